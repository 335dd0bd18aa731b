#include "server/transcription_api.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "braid/net/sse.h"
#include "braid/openai/transcription.h"
#include "chat/spoken_words.h"
#include "server/api_errors.h"

namespace braid::serve {

namespace {

constexpr std::size_t kAtOnce = 2;  // pieces of one file that are answered beside each other

/// Where a transcript's time went. Its pieces are answered beside each other: each instant belongs to the one
/// that ended next.
class TranscriptAccount {
 public:
  explicit TranscriptAccount(SteadyTime arrived) : arrived_(arrived), until_(arrived) {}

  /// What is said in the file is known, and encoded.
  void read(const MediaTimes& times, SteadyTime now) {
    account_.stages[Stage::kEncodeQueue] = times.encode_queue;
    account_.stages[Stage::kEncode] = times.encode;
    account_.stages[Stage::kIngest] = now - arrived_ - times.encode_queue - times.encode;
    until_ = now;
  }

  void piece(const ChatEnd& end) {
    usage_.prompt += end.prompt_rows;
    usage_.cached += end.cached_rows;
    usage_.completion += end.answer_tokens;
    if (end.first_token)
      account_.ttft = std::min(account_.ttft.value_or(Nanoseconds::max()), *end.first_token - arrived_);
    Nanoseconds left = std::max(end.last_token - until_, Nanoseconds{});
    until_ += left;
    for (std::size_t i = kStageCount; i-- > 0;) {
      const Nanoseconds taken = std::min(left, end.stages.by_stage[i]);
      account_.stages.by_stage[i] += taken;
      left -= taken;
    }
  }

  openai::Account close(SteadyTime now) {
    account_.wall = now - arrived_;
    account_.stages[Stage::kDeliver] = now - until_;
    account_.stages[Stage::kUnattributed] += account_.wall - account_.stages.sum();
    return account_;
  }
  const openai::Usage& usage() const { return usage_; }

 private:
  const SteadyTime arrived_;
  SteadyTime until_;  // accounted for
  openai::Account account_;
  openai::Usage usage_;
};

/// One file's transcript while it is made. Its callbacks keep it alive.
class Transcription : public std::enable_shared_from_this<Transcription> {
 public:
  Transcription(TranscriptionParts parts, openai::TranscriptionRequest request, net::Exchange exchange,
                const RequestWatch& watch, SteadyTime arrived)
      : parts_(std::move(parts)),
        request_(std::move(request)),
        exchange_(std::move(exchange)),
        facts_{"transcription", "", request_.model.empty() ? parts_.model : request_.model, "", arrived},
        watch_(watch),
        account_(arrived) {}

  /// Worker thread.
  void begin() {
    MediaTimes times;
    auto speech = parts_.media.read_speech(request_.file, times);
    if (!speech) {
      watch_.failed(facts_, speech.error(), parts_.clock.now());
      return respond_error(exchange_, openai::to_api_error(speech.error(), "file"));
    }
    account_.read(times, parts_.clock.now());
    request_.file = {};
    spoken_ = std::move(speech->parts);
    made_.duration_s = std::chrono::duration<double>(speech->duration).count();
    made_.language = request_.language;
    made_.segments.resize(spoken_.size());
    answered_.resize(spoken_.size());
    exchange_.on_gone([weak = weak_from_this()] {
      if (auto self = weak.lock()) self->stop();
    });
    if (request_.stream) sse_.emplace(std::move(exchange_));
    left_ = spoken_.size();
    if (left_ == 0) return finish();
    for (std::size_t i = 0; i < kAtOnce; ++i) ask_next();
  }

 private:
  void ask_next() {
    std::unique_lock lock(mutex_);
    if (next_ == spoken_.size() || over_) return;
    const std::size_t index = next_++;
    lock.unlock();
    ChatJob job;
    job.arrived = parts_.clock.now();
    job.max_tokens = kSpokenTokens;
    job.sampling.temperature = static_cast<float>(request_.temperature.value_or(0.0));
    job.cancel = cancel_;
    const auto self = shared_from_this();
    job.make = [self, index] {
      return make_media_question(self->spoken_[index].prompt, kSpokenQuestion, self->parts_.tokenizer);
    };
    job.on_begin = [](const ChatPrompt&) {};
    job.sink.on_text = [](const ShownText&) {};
    job.sink.on_end = [self, index](ChatEnd end) { self->take(index, std::move(end)); };
    if (auto submitted = parts_.chats.submit(std::move(job)); !submitted) give_up(submitted.error());
  }

  void take(std::size_t index, ChatEnd end) {
    if (end.error) return give_up(*end.error);
    const auto seconds = [](SessionTime time) {
      return std::chrono::duration<double>(time.time_since_epoch()).count();
    };
    std::unique_lock lock(mutex_);
    account_.piece(end);
    made_.segments[index] = {seconds(spoken_[index].start), seconds(spoken_[index].end),
                             spoken_words(end.text)};
    answered_[index] = true;
    if (sse_) show();
    const bool last = --left_ == 0;
    lock.unlock();
    if (last) return finish();
    ask_next();
  }

  // Pieces are answered beside each other, and shown in order.
  void show() {
    for (; shown_ < spoken_.size() && answered_[shown_]; ++shown_) {
      const std::string& text = made_.segments[shown_].text;
      if (text.empty()) continue;
      sse_->event(openai::print_transcript_delta(any_shown_ ? " " + text : text));
      any_shown_ = true;
    }
  }

  /// What comes to an end does so once, with nothing beside it.
  void tell(FinishReason finish) {
    const SteadyTime now = parts_.clock.now();
    watch_.ended(facts_, finish, account_.close(now), account_.usage(), now);
  }

  void finish() {
    tell(cancel_->cancelled() ? FinishReason::kCancelled : FinishReason::kStop);
    if (!sse_)
      return exchange_.respond(200, openai::content_type(request_.format),
                               openai::print_transcript(made_, request_.format));
    sse_->event(openai::print_transcript_done(made_));
    sse_->finish();
  }

  void give_up(const Error& error) {
    {
      std::lock_guard lock(mutex_);
      if (std::exchange(over_, true)) return;
      if (cancel_->cancelled())
        tell(FinishReason::kCancelled);
      else
        watch_.failed(facts_, error, parts_.clock.now());
    }
    stop();
    if (!sse_) return respond_error(exchange_, openai::to_api_error(error, "file"));
    sse_->event(openai::print_error(openai::to_api_error(error)));
    sse_->finish();
  }

  void stop() {
    cancel_->cancel();
    parts_.chats.wake();
  }

  TranscriptionParts parts_;
  openai::TranscriptionRequest request_;
  net::Exchange exchange_;
  const RequestFacts facts_;
  const RequestWatch watch_;
  std::optional<net::Sse> sse_;
  std::vector<MediaPrompts::Spoken> spoken_;
  const std::shared_ptr<ChatCancel> cancel_ = std::make_shared<ChatCancel>();
  std::mutex mutex_;  // guards what follows
  TranscriptAccount account_;
  openai::Transcript made_;
  std::size_t next_ = 0;
  std::vector<bool> answered_;  // by segment
  std::size_t shown_ = 0;       // of the stream
  bool any_shown_ = false;
  std::size_t left_ = 0;
  bool over_ = false;
};

void transcribe(const TranscriptionParts& parts, net::Request request, net::Exchange exchange,
                SteadyTime arrived) {
  const auto type = request.header("content-type").value_or("");
  auto wanted = openai::parse_transcription(type, request.body);
  if (!wanted) return respond_error(exchange, wanted.error());
  request.body = {};
  const RequestWatch watch(parts.observers, request.header("traceparent"));
  std::make_shared<Transcription>(parts, std::move(*wanted), std::move(exchange), watch, arrived)->begin();
}

}  // namespace

void add_transcription_route(net::Router& router, TranscriptionParts parts) {
  router.route("POST", "/v1/audio/transcriptions", [parts](net::Request request, net::Exchange exchange) {
    run_on(parts.workers, std::move(request), std::move(exchange),
           [parts, arrived = parts.clock.now()](net::Request taken, net::Exchange answer) {
             transcribe(parts, std::move(taken), std::move(answer), arrived);
           });
  });
}

}  // namespace braid::serve
