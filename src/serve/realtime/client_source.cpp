#include "realtime/client_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "realtime/picture_file.h"

namespace braid::serve {

namespace {

// More than the hole that ends a run of sound, so that what was committed isn't joined to what comes next.
constexpr Nanoseconds kGap = Milliseconds(20);
constexpr std::size_t kCameras = 16;
constexpr Nanoseconds kGrowth = Milliseconds(300);
constexpr Nanoseconds kQuiet = Milliseconds(1000);  // beyond the silence that ends a turn
constexpr Nanoseconds kGone = Milliseconds(300);    // without sound: what was noticed is no speech

}  // namespace

ClientSource::ClientSource(ClientSourceOptions options, std::shared_ptr<ClientQueue> queue,
                           std::weak_ptr<ClientSourceEvents> events, sync::SpeechDetectorFactory* speech,
                           sync::TurnModel* turns, Clock& clock)
    : options_(std::move(options)),
      queue_(std::move(queue)),
      events_(std::move(events)),
      clock_(clock),
      turns_(speech != nullptr ? speech->make() : nullptr, turns) {
  info_.name = options_.name;
  info_.description = "what a client sends";
  const auto has = [this](StreamKind kind) -> bool& { return info_.streams[static_cast<std::size_t>(kind)]; };
  has(StreamKind::kVideo) = options_.sees;
  has(StreamKind::kAudio) = options_.hears;
  has(StreamKind::kText) = true;
}

Status ClientSource::run(SourceId, const ingest::PacketSink& sink) {
  sink_ = &sink;
  ClientInput input;
  while (open_) {
    std::optional<SteadyTime> until;
    if (turns_.speaking()) until = last_sound_ + turns_.silence() + kQuiet;
    if (turns_.noticing()) until = last_sound_ + kGone;
    const ClientQueue::Took took = queue_->take(input, until);
    if (took == ClientQueue::Took::kClosed) break;
    if (!start_) start_ = options_.session_start();
    received_ = took == ClientQueue::Took::kInput ? input.received : clock_.now();
    if (took == ClientQueue::Took::kTimeout)
      end_quiet_turn();
    else
      std::visit([this](auto& body) { take(body); }, input.body);
    promise_all(stamp());
  }
  return {};
}

SessionTime ClientSource::stamp() const { return std::max(furthest_, SessionTime(received_ - *start_)); }

StageTrace ClientSource::trace() const {
  StageTrace trace;
  trace.enter(Stage::kCapture, received_);
  trace.enter(Stage::kIngest, clock_.now());
  return trace;
}

void ClientSource::send(Packet packet) {
  if (open_) open_ = (*sink_)(std::move(packet)) == ingest::Accepted::kTaken;
}

void ClientSource::promise(StreamKind stream, SessionTime nothing_before) {
  const auto index = static_cast<std::size_t>(stream);
  if (!info_.streams[index] || nothing_before <= promised_[index]) return;
  promised_[index] = nothing_before;
  send(Bound{stream, nothing_before});
}

void ClientSource::promise_all(SessionTime nothing_before) {
  furthest_ = std::max(furthest_, nothing_before);
  promise(StreamKind::kVideo, nothing_before);
  promise(StreamKind::kText, nothing_before);
  // What is being said ends after its last voice.
  promise(StreamKind::kAudio,
          turns_.speaking() ? std::min(time_of(turns_.last_voice()), nothing_before) : nothing_before);
}

int ClientSource::camera_of(const std::string& sender) {
  const auto next = static_cast<int>(cameras_.size());
  if (cameras_.size() >= kCameras && !cameras_.contains(sender)) return next;
  return cameras_.emplace(sender, next).first->second;
}

sync::Captured ClientSource::captured(const std::string& sender,
                                      const std::optional<std::int64_t>& stamp_us) const {
  const auto clock = stamp_us ? options_.clocks->open(sender, kClientClock) : nullptr;
  if (!clock) return {stamp(), kClientClock.unknown_path, true};
  sync::Captured captured = clock->observe(*stamp_us, SessionTime(received_ - *start_));
  if (captured.at < kSessionStart) captured.error_bound += kSessionStart - captured.at;
  captured.at = std::max(captured.at, kSessionStart);
  return captured;
}

/// When a sample of the buffer was: the last one came just now.
SessionTime ClientSource::time_of(std::int64_t sample) const {
  return std::max(kSessionStart, SessionTime(last_sound_ - *start_) - to_span(buffer_.end() - sample));
}

void ClientSource::take(client::Sound& sound) {
  std::vector<float> samples;
  decoder_.decode(sound.bytes, sound.format, samples);
  buffer_.append(samples);
  last_sound_ = received_;
  follow_turns();
}

void ClientSource::follow_turns() {
  const auto events = events_.lock();
  if (!events) return;
  while (const auto change = turns_.next(buffer_)) follow(*change, *events);
  if (turns_.speaking() && buffer_.end() - grown_ >= to_samples(kGrowth)) {
    grown_ = buffer_.end();
    events->sound_grew(buffer_.view(buffer_.begin(), buffer_.end()));
  }
  if (turns_.speaking() && buffer_.end() - buffer_.begin() >= to_samples(options_.max_turn)) {
    end_turn(buffer_.end());
    forget_turn();
  }
  buffer_.drop_before(std::max(turns_.needed_from(buffer_), buffer_.end() - to_samples(options_.max_turn)));
}

void ClientSource::follow(const TurnDetector::Change& change, ClientSourceEvents& events) {
  using Kind = TurnDetector::Change::Kind;
  const Nanoseconds at = to_span(change.at);
  switch (change.kind) {
    case Kind::kVoice:
      if (events.voice_noticed(at)) turns_.contest();
      break;
    case Kind::kQuiet:
    case Kind::kBackchannel:
      events.voice_gone(at, change.kind == Kind::kBackchannel);
      break;
    case Kind::kStarted:
      buffer_.drop_before(change.at);
      events.speech_started(at);
      break;
    case Kind::kStopped:
      end_turn(change.at);
      break;
  }
}

void ClientSource::forget_turn() {
  const auto events = events_.lock();
  if (turns_.noticing() && events) events->voice_gone(to_span(buffer_.end()), false);
  turns_.forget(buffer_);
}

void ClientSource::end_turn(std::int64_t at) {
  const auto events = events_.lock();
  if (!events) return;
  commit(events->speech_stopped(to_span(at)), at);
}

void ClientSource::end_quiet_turn() {
  if (turns_.speaking()) end_turn(buffer_.end());
  forget_turn();
}

void ClientSource::commit(const std::string& item, std::int64_t to) {
  const auto view = buffer_.view(buffer_.begin(), to);
  const std::vector<float> samples(view.begin(), view.end());
  hear(samples, time_of(to));
  buffer_.drop_before(to);
  if (const auto events = events_.lock()) events->sound_committed(item, samples);
}

void ClientSource::hear(const std::vector<float>& samples, SessionTime end) {
  AudioBlock block;
  block.start = std::max(end - to_span(static_cast<std::int64_t>(samples.size())), sound_end_);
  block.sample_rate = sync::SpeechDetector::kSampleRate;
  block.samples = samples;
  block.trace = trace();
  sound_end_ = block.start + block.duration() + kGap;
  send(std::move(block));
  promise(StreamKind::kAudio, sound_end_);
  furthest_ = std::max(furthest_, sound_end_);
}

void ClientSource::take(client::Commit& committed) {
  commit(committed.item, buffer_.end());
  forget_turn();
}

void ClientSource::take(client::Clear&) {
  buffer_.drop_before(buffer_.end());
  forget_turn();
}

void ClientSource::take(client::WholeSound& sound) {
  std::vector<float> samples;
  SoundDecoder().decode(sound.bytes, sound.format, samples);
  hear(samples, stamp());
  if (const auto events = events_.lock()) events->sound_committed(sound.item, samples);
}

void ClientSource::take(client::Line& line) {
  TextLine text;
  text.start = text.end = stamp();
  text.text = std::move(line.text);
  text.trace = trace();
  send(std::move(text));
}

void ClientSource::take(client::Picture& picture) {
  StageTrace taken = trace();
  auto frame = read_picture(picture.bytes, options_.pictures, clock_);
  if (!frame) {
    if (const auto events = events_.lock()) events->picture_failed(picture.event, frame.error());
    return;
  }
  const sync::Captured when = captured(picture.source, picture.captured_us);
  frame->captured = when.at;
  frame->error_bound = when.error_bound;
  frame->camera = camera_of(picture.source);
  frame->trace = taken;
  send(std::move(*frame));
}

void ClientSource::take(client::Reading& reading) {
  // A source has one name, a client's sensors have many: the line reads as a reading of that name would.
  TextLine line;
  const sync::Captured when = captured(reading.reading.source, reading.reading.at_us);
  line.start = line.end = when.at;
  line.error_bound = when.error_bound;
  line.text = reading.reading.source;
  for (const auto& [name, value] : reading.reading.values) line.text += fmt::format(" {}={}", name, value);
  std::replace_if(
      line.text.begin(), line.text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  line.trace = trace();
  send(std::move(line));
}

void ClientSource::take(client::Turns& turns) {
  if (!turns.turns) forget_turn();
  turns_.configure(turns.turns, buffer_);
}

void ClientSource::take(client::Ask& ask) {
  const SessionTime at = stamp();
  const auto events = events_.lock();
  if (!events) return;
  // What is still being said is not part of it.
  promise_all(at + Microseconds(1));
  promise(StreamKind::kAudio, at + Microseconds(1));
  events->ask(std::move(ask.ask), at);
}

}  // namespace braid::serve
