#include "server/live_session.h"

#include <algorithm>
#include <utility>

#include "braid/deliver/finish.h"
#include "memory/session_memory.h"
#include "server/stamps.h"

namespace braid::serve {

LiveSession::LiveSession(std::string id, std::string owner, std::int64_t created, Clock& clock)
    : id_(std::move(id)), owner_(std::move(owner)), clock_(clock), created_(created), events_(clock) {
  info_.id = id_;
  info_.state = "running";
  info_.created = created_;
  info_.last_used = unix_seconds();
}

// Its threads may ask for the session until they have ended (a source for its start, a watcher for the time):
// it is still there while they do.
LiveSession::~LiveSession() {
  for (const auto& first : before_end_) first();
  if (!session_) return;
  session_->stop(false);
  session_->wait();
}

Status LiveSession::start(const SessionOptions& options, EngineHost& host,
                          sync::SpeechDetectorFactory* speech,
                          std::vector<std::unique_ptr<ingest::Source>> sources,
                          std::optional<SessionImage> image) {
  if (options.clocks) clocks_ = options.clocks;
  auto session = Session::create(options, host, speech, clock_, *this);
  if (!session) return tl::unexpected(session.error());
  if (image) note(*image);
  if (image)
    if (Status restored = (*session)->restore(std::move(*image)); !restored) return restored;
  for (auto& source : sources) {
    info_.sources.push_back({source->info().name, source->info().live ? "live" : "media", "running", 0, 0});
    if (auto added = (*session)->add_source(std::move(source)); !added) return tl::unexpected(added.error());
  }
  session_ = std::move(*session);
  session_->start();
  return {};
}

UtcTime LiveSession::began() const { return system_now() - (clock_.now() - started_at()); }

Result<QuestionId> LiveSession::ask(Question question, AskSink sink) {
  std::lock_guard lock(mutex_);  // its events wait until it is in the table
  openai::UnansweredQuestion open{question.text, session_->now()};
  auto id = session_->ask(std::move(question));
  if (!id) return id;
  info_.last_used = unix_seconds();
  asked_.emplace(id->value, Asked{std::move(open), std::make_shared<const AskSink>(std::move(sink))});
  return id;
}

std::vector<openai::UnansweredQuestion> LiveSession::open_questions() const {
  std::lock_guard lock(mutex_);
  std::vector<openai::UnansweredQuestion> open = info_.unanswered;
  for (const auto& [id, asked] : asked_) open.push_back(asked.question);
  return open;
}

void LiveSession::recall(std::vector<openai::UnansweredQuestion> left, std::uint64_t perceived,
                         std::uint64_t kept) {
  info_.perceived = perceived;
  info_.kept = kept;
  constexpr std::size_t kMost = 64;
  if (left.size() > kMost) left.erase(left.begin(), left.end() - kMost);
  info_.unanswered = std::move(left);
}

bool LiveSession::take_left(const std::string& question) {
  std::lock_guard lock(mutex_);
  const std::size_t taken = std::erase_if(
      info_.unanswered, [&](const openai::UnansweredQuestion& left) { return left.question == question; });
  ended_ += taken;
  return taken > 0;
}

void LiveSession::cancel(QuestionId id, std::optional<std::size_t> delivered) {
  session_->cancel(id, delivered);
}

bool LiveSession::on_ended_by_id(std::function<void()> told) {
  std::lock_guard lock(mutex_);
  told_of_end_ = std::move(told);
  return !was_ended_by_id_;
}

void LiveSession::ended_by_id() {
  std::function<void()> told;
  {
    std::lock_guard lock(mutex_);
    was_ended_by_id_ = true;
    told = std::move(told_of_end_);
  }
  if (told) told();
}

void LiveSession::listen(std::function<void(const deliver::Event&)> listener) {
  std::lock_guard lock(mutex_);
  listeners_.push_back(std::move(listener));
}

openai::SessionInfo LiveSession::info() const {
  std::lock_guard lock(mutex_);
  openai::SessionInfo info = info_;
  info.bytes = (session_ ? session_->held_bytes() : 0) + events_.bytes();
  if (const WindowInfo window = session_ ? session_->window() : WindowInfo(); window.chunks > 0) {
    info.window_from = window.from;
    info.window_chunks = window.chunks;
    info.window_tokens = window.tokens;
  }
  return info;
}

/// What the next answer will say of it, its template apart.
void LiveSession::note(const SessionImage& image) {
  for (const kv::Kept& kept : image.timeline) {
    info_.window_tokens += kv::prompt_of(kept).rows();
    const auto* chunk = std::get_if<std::shared_ptr<const Chunk>>(&kept);
    if (chunk == nullptr) continue;
    if (info_.window_chunks++ == 0) info_.window_from = (*chunk)->start;
    info_.window_from = std::min(info_.window_from, (*chunk)->start);
    info_.window_to = std::max(info_.window_to, (*chunk)->end);
  }
}

void LiveSession::note(const deliver::Perceived& perceived) {
  ++info_.perceived;
  if (perceived.kept) ++info_.kept;
  for (openai::SourceInfo& source : info_.sources) {
    if (source.name != perceived.source) continue;
    ++source.perceived;
    if (perceived.kept) ++source.kept;
  }
  info_.window_to = std::max(info_.window_to, perceived.end);
}

void LiveSession::on_event(const deliver::Event& event) {
  const auto* answer = std::get_if<Answer>(&event);
  if (answer) return on_answer(event, *answer);
  const auto* begun = std::get_if<deliver::AnswerBegin>(&event);
  const auto* delta = std::get_if<AnswerDelta>(&event);
  std::shared_ptr<const AskSink> sink;
  {
    std::lock_guard lock(mutex_);
    if (const auto* perceived = std::get_if<deliver::Perceived>(&event)) note(*perceived);
    if (const auto* progress = std::get_if<deliver::Progress>(&event); progress && progress->ended)
      for (openai::SourceInfo& source : info_.sources) source.state = "ended";
    if (begun != nullptr) sink = sink_of(begun->id);
    if (delta != nullptr) sink = sink_of(delta->id);
    events_.on_event(event);
    for (const auto& listener : listeners_) listener(event);
  }
  // Who asked may hold locks of its own when it calls us.
  if (begun != nullptr && sink && sink->on_begin) sink->on_begin();
  if (delta != nullptr && sink && sink->on_text) sink->on_text(delta->text);
}

/// With mutex_ held.
std::shared_ptr<const AskSink> LiveSession::sink_of(QuestionId id) const {
  const auto found = asked_.find(id.value);
  return found == asked_.end() ? nullptr : found->second.sink;
}

void LiveSession::on_answer(const deliver::Event& event, Answer answer) {
  deliver::finish_answer(answer, std::max(clock_.now(), answer.last_token));
  std::shared_ptr<const AskSink> sink;
  {
    std::lock_guard lock(mutex_);
    events_.on_event(event);  // as it came: it is finished as it is written
    for (const auto& listener : listeners_) listener(answer);
    const auto found = asked_.find(answer.id.value);
    if (found == asked_.end()) return;
    sink = std::move(found->second.sink);
    asked_.erase(found);
    ++ended_;
  }
  if (sink->on_end) sink->on_end(answer);
}

}  // namespace braid::serve
