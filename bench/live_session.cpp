#include "live_session.h"

#include <utility>

namespace braid::bench {

namespace {

constexpr Nanoseconds kFrameGap = Milliseconds(500);

SessionTime captured_at(std::size_t picture) {
  return kSessionStart + static_cast<std::int64_t>(picture) * kFrameGap;
}

}  // namespace

Camera::Camera(Clock& clock) : changed_(clock) {
  info_.name = "camera";
  info_.streams[static_cast<std::size_t>(StreamKind::kVideo)] = true;
  info_.description = "pictures on demand";
}

Status Camera::run(SourceId id, const ingest::PacketSink& sink) {
  while (true) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopped_ || !frames_.empty(); });
    if (stopped_) return {};
    Frame frame = std::move(frames_.front());
    frames_.pop_front();
    lock.unlock();
    frame.source = id;
    const Bound bound{StreamKind::kVideo, frame.captured + Nanoseconds(1)};
    if (sink(std::move(frame)) == ingest::Accepted::kClosed) return {};
    if (sink(bound) == ingest::Accepted::kClosed) return {};
  }
}

void Camera::stop() {
  std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

void Camera::show(Frame frame) {
  std::lock_guard lock(mutex_);
  frames_.push_back(std::move(frame));
  changed_.notify_all();
}

void Client::on_event(const deliver::Event& event) {
  const SteadyTime now = clock_.now();
  std::lock_guard lock(mutex_);
  if (const auto* perceived = std::get_if<deliver::Perceived>(&event)) {
    ++seen_;
    last_seen_ = now;
    if (!perceived->kept && perceived->reason != "nothing_new")
      faults_.push_back("a picture was dropped: " + perceived->reason);
  } else if (std::holds_alternative<AnswerDelta>(event)) {
    if (!first_text_) first_text_ = now;
  } else if (const auto* answer = std::get_if<Answer>(&event)) {
    answer_ = *answer;
  } else if (const auto* fault = std::get_if<deliver::Fault>(&event)) {
    faults_.push_back(fault->error.message);
  } else {
    return;
  }
  changed_.notify_all();
}

void Client::wait_seen(std::size_t pictures) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return seen_ >= pictures; });
}

SteadyTime Client::last_seen() {
  std::lock_guard lock(mutex_);
  return last_seen_;
}

std::optional<std::string> Client::fault() {
  std::lock_guard lock(mutex_);
  if (faults_.empty()) return std::nullopt;
  return faults_.front();
}

void Client::expect_answer() {
  std::lock_guard lock(mutex_);
  first_text_.reset();
  answer_.reset();
}

Result<Asked> Client::wait_answer(SteadyTime asked) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return answer_.has_value(); });
  const SteadyTime now = clock_.now();
  if (!faults_.empty()) return fail(ErrorCode::kInternal, faults_.front());
  if (answer_->error) return tl::unexpected(*answer_->error);
  if (!first_text_) return fail(ErrorCode::kInternal, "the answer had no text");
  return Asked{.first_token = *first_text_ - asked,
               .wall = now - asked,
               .prompt_tokens = answer_->prompt_tokens,
               .chunks = answer_->window.chunks,
               .stages = answer_->stages,
               .text = answer_->text};
}

serve::SessionOptions live_options(int visible) {
  serve::SessionOptions options;
  options.stay_open = true;
  // Each question sees pictures alone, as the peer's requests do.
  options.join_turns = false;
  options.window.max_rows = 1536;
  options.window.keep = 0.55;
  // Half a gap of tolerance: exactly the newest `visible` pictures are young enough.
  if (visible > 0) options.window.max_age = visible * kFrameGap - kFrameGap / 2;
  options.encode.novelty.enabled = false;
  return options;
}

Result<std::unique_ptr<LiveSession>> LiveSession::open(engine::Engine& engine, Clock& clock,
                                                       const serve::SessionOptions& options) {
  std::unique_ptr<LiveSession> live(new LiveSession(engine, clock));
  auto session = serve::Session::create(options, live->host_, nullptr, clock, live->client_);
  if (!session) return tl::unexpected(session.error());
  live->session_ = std::move(*session);
  auto camera = std::make_unique<Camera>(clock);
  live->camera_ = camera.get();
  if (auto added = live->session_->add_source(std::move(camera)); !added)
    return tl::unexpected(added.error());
  live->session_->start();
  return live;
}

LiveSession::~LiveSession() {
  if (!session_) return;
  session_->stop(false);
  session_->wait();
}

void LiveSession::show(const Frame& picture) {
  Frame frame = picture;
  frame.captured = captured_at(shown_++);
  camera_->show(std::move(frame));
}

SteadyTime LiveSession::wait_seen() {
  client_.wait_seen(shown_);
  return client_.last_seen();
}

Result<Asked> LiveSession::ask(const std::string& text, int max_tokens, std::optional<SteadyTime> asked) {
  client_.expect_answer();
  Question question;
  question.text = text;
  question.max_tokens = max_tokens;
  question.asked = asked.value_or(clock_.now());
  question.at = captured_at(shown_ - 1);
  const SteadyTime begin = question.asked;
  if (auto id = session_->ask(std::move(question)); !id) return tl::unexpected(id.error());
  return client_.wait_answer(begin);
}

}  // namespace braid::bench
