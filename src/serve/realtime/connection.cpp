#include "realtime/connection.h"

#include <fmt/format.h>

#include <utility>

namespace braid::serve {

namespace {

constexpr std::uint16_t kDone = 1000, kTryAgain = 1013;
constexpr std::uint16_t kTakenOver = 4001;  // ours: RFC 6455, section 7.4.2

}  // namespace

openai::RealtimeAbilities RealtimeConnection::abilities(const RealtimeParts& parts) {
  openai::RealtimeAbilities can;
  can.hears = parts.model.hears && parts.speech != nullptr;
  can.sees = parts.model.sees;
  can.max_output_tokens = parts.sessions.session_options().max_answer_tokens;
  return can;
}

RealtimeConnection::RealtimeConnection(const RealtimeParts& parts, RealtimeClient client)
    : parts_(parts),
      client_(std::move(client)),
      events_(parts.bounds.events_per_second, parts.bounds.events_burst),
      bytes_(parts.bounds.bytes_per_second, parts.bounds.bytes_burst),
      begun_(parts.bounds.sessions_per_second, parts.bounds.sessions_burst) {}

RealtimeConnection::~RealtimeConnection() { end_session(true); }

Result<std::shared_ptr<RealtimeConnection>> RealtimeConnection::open(const RealtimeParts& parts,
                                                                     openai::SavedConversation start,
                                                                     RealtimeClient client,
                                                                     std::uint64_t seed,
                                                                     std::optional<SessionRebirth> again) {
  auto connection = std::make_shared<RealtimeConnection>(parts, std::move(client));
  std::lock_guard lock(connection->mutex_);
  connection->untouched_ = !again;
  if (auto begun = connection->begin_session(start.config, std::move(again)); !begun)
    return tl::unexpected(begun.error());
  connection->conversation_ = std::make_unique<openai::RealtimeConversation>(
      *connection, std::move(start), abilities(parts), seed, parts.bounds.events);
  return connection;
}

/// Begins one with these settings, and ends the one before.
Status RealtimeConnection::begin_session(openai::RealtimeConfig& config,
                                         std::optional<SessionRebirth> again) {
  SessionOptions options = parts_.sessions.session_options();
  if (config.braid.window) options.window.max_age = *config.braid.window;
  options.asks_blind = true;  // people talk before they show anything
  options.encode.novelty.enabled = options.encode.novelty.enabled && config.braid.novelty;
  const openai::RealtimeAbilities can = abilities(parts_);
  auto queue = std::make_shared<ClientQueue>(parts_.clock, parts_.bounds.queue);
  ClientSourceOptions source;
  source.sees = can.sees;
  source.hears = can.hears;
  source.pictures = parts_.pictures;
  source.max_turn = parts_.bounds.events.buffer;
  auto clocks = options.clocks = source.clocks;
  // Input comes when the session is known.
  source.session_start = [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return SteadyTime{};
    std::lock_guard lock(self->mutex_);
    return self->live_ ? self->live_->session().started_at() : self->parts_.clock.now();
  };
  std::vector<std::unique_ptr<ingest::Source>> sources;
  sources.push_back(std::make_unique<ClientSource>(std::move(source), queue, weak_from_this(),
                                                   can.hears ? parts_.speech : nullptr, parts_.turns,
                                                   parts_.clock));
  const bool is_new = !again;
  auto live =
      parts_.sessions.create(std::move(sources), options, client_.owner, std::move(again), live_.get());
  if (!live) return tl::unexpected(live.error());
  end_session(false);
  queue_ = std::move(queue);
  clocks_ = std::move(clocks);
  live_ = std::move(*live);
  const bool is_wanted = live_->on_ended_by_id([weak = weak_from_this(), id = live_->id()] {
    if (const auto self = weak.lock()) self->session_deleted(id);
  });
  if (!is_wanted) return fail(ErrorCode::kCancelled, "the session was deleted as it began");
  session_settings_ = config.braid;
  config.id = live_->id();
  if (is_new) config.braid.resume_token = keep_session();
  format_ = config.input;
  transcribes_ = config.transcription.has_value();
  if (!can.hears) return {};
  return queue_->post({client::Turns{config.turns}, {}});
}

std::string RealtimeConnection::keep_session() {
  if (parts_.durability == nullptr) return {};
  SavedSession saved;
  saved.id = live_->id();
  saved.owner = client_.owner;
  saved.kind = SessionKind::kClient;
  saved.created = live_->info().created;
  return parts_.durability->keep(live_, std::move(saved), weak_from_this());
}

std::uint64_t RealtimeConnection::changes() {
  std::lock_guard lock(mutex_);
  return conversation_ ? conversation_->changes() : 0;
}

std::string RealtimeConnection::saved() {
  std::lock_guard lock(mutex_);
  return live_ && conversation_ ? openai::print_saved(conversation_->save()) : "";
}

std::shared_ptr<LiveSession> RealtimeConnection::live() {
  std::lock_guard lock(mutex_);
  return live_;
}

void RealtimeConnection::end_session(bool may_resume) {
  if (queue_) queue_->close();
  drop_partial();
  if (!live_) return;
  // As it is when its line breaks: what has been answered must not be asked again.
  if (may_resume && parts_.durability != nullptr && conversation_)
    parts_.durability->write_last(live_, openai::print_saved(conversation_->save()));
  live_->session().stop(false);
  parts_.end_session(std::move(live_), may_resume);
}

void RealtimeConnection::begin(std::shared_ptr<RealtimeWire> wire, std::shared_ptr<Lifecycle> line) {
  std::lock_guard lock(mutex_);
  if (wire_) {
    conversation_->taken_over();
    line_->take(LineEvent::kTaken);
    wire_->close(kTakenOver, "the session goes on on another connection");
  }
  wire_ = std::move(wire);
  line_ = std::move(line);
  if (!live_) return close(kTryAgain, "the session has just ended: try again");
  conversation_->begin();
  close_if_stopped();
}

bool RealtimeConnection::admit(std::size_t bytes) {
  const SteadyTime now = parts_.clock.now();
  if (events_.take(1, now) && bytes_.take(static_cast<double>(bytes), now)) {
    refused_ = 0;
    return true;
  }
  conversation_->refuse(
      {ErrorCode::kFull, "events come faster than they may: this one was not looked at", true});
  if (++refused_ >= parts_.bounds.refused_events) close(1008, "too many events");
  return false;
}

void RealtimeConnection::message(const std::shared_ptr<Lifecycle>& line, std::string_view text,
                                 bool is_text) {
  std::lock_guard lock(mutex_);
  if (!live_ || !wire_ || line != line_) return;
  if (!line_->take(LineEvent::kMessage))
    return conversation_->refuse({ErrorCode::kUsage, fmt::format("an event came while the connection was {}",
                                                                 to_string(line_->state()))});
  if (line_->state() == LineState::kClosing || !admit(text.size())) return;
  if (is_text) return conversation_->take(text);
  conversation_->refuse({ErrorCode::kBadInput, "a binary message came; events are JSON in text messages"});
}

void RealtimeConnection::closed(const std::shared_ptr<Lifecycle>& line, bool may_resume) {
  {
    std::lock_guard lock(mutex_);
    if (line_ && line != line_) return;
    end_session(may_resume);
  }
  give_up();
}

/// Of what is being transcribed. Without mutex_.
void RealtimeConnection::give_up() {
  gone_->cancel();
  if (parts_.transcriber) parts_.transcriber->chats.wake();
}

void RealtimeConnection::session_deleted(const std::string& id) {
  {
    std::lock_guard lock(mutex_);
    if (!live_ || live_->id() != id) return;
    constexpr const char* kWhy = "The session was ended by DELETE /v1/sessions/{id}.";
    if (wire_) {
      conversation_->session_over("session_deleted", kWhy);
      close(kDone, kWhy);
    }
    end_session(false);
  }
  give_up();
}

void RealtimeConnection::stopping() {
  std::lock_guard lock(mutex_);
  stopping_ = true;
  close_if_stopped();
}

void RealtimeConnection::close_if_stopped() {
  if (stopping_ && wire_ && conversation_->open_response().empty()) close(1001, "the server is stopping");
}

void RealtimeConnection::close(std::uint16_t code, std::string_view reason) {
  line_->take(LineEvent::kStop);
  wire_->close(code, reason);
}

void RealtimeConnection::send(std::string event) {
  if (wire_) wire_->send(std::move(event));
}

Status RealtimeConnection::configure(openai::RealtimeConfig& config) {
  const bool other =
      config.braid.window != session_settings_.window || config.braid.novelty != session_settings_.novelty;
  if (other && !untouched_)
    return fail(
        ErrorCode::kUsage,
        "session.braid.window_s and .novelty can't be changed once the session has been sent something: set "
        "them first");
  if (other && !begun_.take(1, parts_.clock.now()))
    return fail(
        ErrorCode::kFull,
        "session.braid.window_s and .novelty were changed too often: each time another session begins; "
        "choose them once, or try again in some seconds",
        true);
  if (other) return begin_session(config, std::nullopt);
  if (Status told = queue_->post({client::Turns{config.turns}, {}}); !told) return told;
  format_ = config.input;
  transcribes_ = config.transcription.has_value();
  return {};
}

Status RealtimeConnection::post(decltype(ClientInput::body) body) {
  untouched_ = false;
  return queue_->post({std::move(body), {}});
}

Status RealtimeConnection::append_sound(std::string bytes) {
  return post(client::Sound{std::move(bytes), format_});
}
Status RealtimeConnection::commit_sound(const std::string& item) { return post(client::Commit{item}); }
Status RealtimeConnection::clear_sound() { return post(client::Clear{}); }
Status RealtimeConnection::add_text(std::string text) { return post(client::Line{std::move(text)}); }

Status RealtimeConnection::add_sound(const std::string& item, std::string bytes) {
  return post(client::WholeSound{item, std::move(bytes), format_});
}

Status RealtimeConnection::add_picture(openai::event::AppendPicture picture, const std::string& event) {
  return post(
      client::Picture{std::move(picture.bytes), picture.captured_us, std::move(picture.source), event});
}

Status RealtimeConnection::add_reading(openai::event::AppendReading reading) {
  return post(client::Reading{std::move(reading)});
}

Status RealtimeConnection::ask(openai::RealtimeAsk ask) {
  asked_ = {ask.response, std::nullopt};
  drop_partial();
  return post(client::Ask{std::move(ask)});
}

void RealtimeConnection::cancel(const std::string& response, std::size_t delivered) {
  if (asked_.response != response) return;
  asked_.cancelled = true;
  asked_.delivered = delivered;
  if (asked_.id && live_) live_->cancel(*asked_.id, delivered);
}

std::int64_t RealtimeConnection::session_us() const {
  return live_ ? to_us(SessionTime(parts_.clock.now() - live_->session().started_at())) : 0;
}

void RealtimeConnection::compare_clocks(const openai::RealtimeExchange& told) {
  const auto at = [](std::int64_t us) { return SessionTime(Microseconds(us)); };
  clocks_->exchange(told.sources, kClientClock, {told.t1_us, at(told.t2_us), at(told.t3_us), told.t4_us});
}

}  // namespace braid::serve
