#include "chat/chat_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace braid::serve {

ChatService::ChatService(EngineHost& host, Clock& clock, ChatServiceOptions options)
    : host_(host), clock_(clock), options_(options), changed_(clock) {
  for (int i = 0; i < options_.workers; ++i)
    workers_.emplace_back(clock, fmt::format("chat-{}", i), [this] { work(); });
}

ChatService::~ChatService() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    for (auto& one : under_way_)
      if (auto cancel = one.lock()) cancel->cancel();
    changed_.notify_all();
  }
  host_.loop().wake();
  for (Thread& worker : workers_) worker.join();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return running_ == 0; });
}

Status ChatService::submit(ChatJob job) {
  std::lock_guard lock(mutex_);
  if (stopping_) return fail(ErrorCode::kCancelled, "the server is stopping", true);
  const std::size_t before = asked_.size() + making_ + made_.size();
  if (before >= options_.max_waiting)
    return fail(ErrorCode::kFull, fmt::format("{} requests wait already: try again in a while", before),
                true);
  std::erase_if(under_way_, [](const auto& one) { return one.expired(); });
  under_way_.push_back(job.cancel);
  asked_.push_back(std::move(job));
  changed_.notify_all();
  return {};
}

void ChatService::wake() {
  std::lock_guard lock(mutex_);
  room_may_be_ = true;  // who waits first may have gone
  changed_.notify_all();
  host_.loop().wake();
}

std::size_t ChatService::waiting() const {
  std::lock_guard lock(mutex_);
  return asked_.size() + making_ + made_.size();
}

std::size_t ChatService::running() const {
  std::lock_guard lock(mutex_);
  return running_;
}

void ChatService::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !asked_.empty() || (room_may_be_ && !made_.empty()); });
    if (!made_.empty() && (room_may_be_ || stopping_)) {
      lock.unlock();
      start_next();
      lock.lock();
    } else if (!asked_.empty()) {
      ChatJob job = std::move(asked_.front());
      asked_.pop_front();
      ++making_;
      lock.unlock();
      make(std::move(job));
      lock.lock();
      --making_;
    } else if (stopping_) {
      return;
    }
  }
}

Status ChatService::check_size(const Made& made) const {
  const engine::EngineInfo& model = host_.info();
  const int needed = ChatRun::cells_needed(made.prompt.prompt, made.max_tokens);
  const int most = model.trained_context > 0 ? std::min(model.trained_context, model.cells) : model.cells;
  if (needed <= most) return {};
  return fail(
      ErrorCode::kLimit,
      fmt::format("the messages take {} tokens and the answer may take {}; this model's context holds "
                  "{}: shorten the messages or lower max_tokens",
                  made.prompt.prompt.rows(), made.max_tokens, most));
}

void ChatService::make(ChatJob job) {
  StageMeter meter;
  meter.enter(Stage::kIngest, job.arrived);
  if (job.cancel->cancelled())
    return end(job.sink, FinishReason::kCancelled, {ErrorCode::kCancelled, "the client went away"}, meter);
  auto prompt = job.make();
  if (!prompt) return end(job.sink, FinishReason::kError, prompt.error(), meter);
  // What is neither the encoder's nor the wait for it was spent reading.
  const SteadyTime now = clock_.now();
  const Nanoseconds encoding = prompt->times.encode + prompt->times.encode_queue;
  meter.stop(now - encoding);
  StageTimes encoded;
  encoded[Stage::kEncodeQueue] = prompt->times.encode_queue;
  encoded[Stage::kEncode] = prompt->times.encode;
  meter.add(encoded);
  meter.enter(Stage::kPrefillQueue, now);
  Made made{std::move(job), std::move(*prompt), meter, 0};
  made.max_tokens = made.job.max_tokens.value_or(options_.default_max_tokens);
  if (!made.job.max_tokens) {
    const int context = host_.info().trained_context > 0 ? host_.info().trained_context : host_.info().cells;
    made.max_tokens = std::clamp(context - made.prompt.prompt.rows(), 1, made.max_tokens);
  }
  if (auto fits = check_size(made); !fits)
    return end(made.job.sink, FinishReason::kError, fits.error(), meter);
  // Nobody else is woken for it: this worker starts it next.
  std::lock_guard lock(mutex_);
  made_.push_back(std::move(made));
  room_may_be_ = true;
}

// One worker at a time gets past the promise, so that requests start in order.
bool ChatService::start_next() {
  std::unique_lock lock(mutex_);
  if (made_.empty()) return false;
  Made& first = made_.front();
  const bool gone = first.job.cancel->cancelled();
  StepLoop::Promise promise;
  if (!gone) {
    auto promised = host_.loop().promise(ChatRun::cells_needed(first.prompt.prompt, first.max_tokens), 1);
    if (!promised) {
      room_may_be_ = false;
      return false;
    }
    promise = std::move(*promised);
  }
  Made made = std::move(first);
  made_.pop_front();
  if (!gone) ++running_;
  lock.unlock();
  if (gone)
    end(made.job.sink, FinishReason::kCancelled, {ErrorCode::kCancelled, "the client went away"}, made.meter);
  else
    start(std::move(made), std::move(promise));
  return true;
}

void ChatService::start(Made made, StepLoop::Promise promise) {
  made.job.on_begin(made.prompt);
  ChatWork work;
  work.prompt = std::move(made.prompt.prompt);
  work.options.max_tokens = made.max_tokens;
  work.options.stops = std::move(made.prompt.chat.stops);
  const auto& stops = made.job.stops;
  work.options.stops.insert(work.options.stops.end(), stops.begin(), stops.end());
  work.options.sampling = made.job.sampling;
  work.options.top_logprobs = made.job.top_logprobs;
  work.options.marks = std::move(made.prompt.chat.marks);
  if (made.prompt.chat.grammar) work.options.filter = made.prompt.chat.grammar->filter();
  work.meter = made.meter;
  work.cancel = made.job.cancel;
  work.sink.on_text = std::move(made.job.sink.on_text);
  work.sink.on_end = [this, on_end = std::move(made.job.sink.on_end)](ChatEnd end) {
    on_end(std::move(end));
    std::lock_guard lock(mutex_);
    --running_;
    room_may_be_ = true;
    changed_.notify_all();
  };
  host_.loop().add(std::make_unique<ChatRun>(host_.loop(), clock_, std::move(promise), std::move(work)));
}

void ChatService::end(const ChatSink& sink, FinishReason finish, Error error, const StageMeter& meter) {
  ChatEnd end;
  end.finish = finish;
  end.error = std::move(error);
  end.last_token = clock_.now();
  StageMeter stopped = meter;
  stopped.stop(end.last_token);
  end.stages = stopped.times();
  sink.on_end(std::move(end));
}

}  // namespace braid::serve
