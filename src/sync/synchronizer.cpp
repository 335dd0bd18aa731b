#include "braid/sync/synchronizer.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "order.h"
#include "stream_bounds.h"
#include "utterance_cutter.h"

namespace braid::sync {

struct Synchronizer::State {
  State(SyncOptions o, Clock& c, SpeechDetectorFactory* s, Emit e)
      : options(o), clock(c), speech(s), emit(std::move(e)), live(o.lateness) {}

  void take(Frame frame);
  void take(TextLine line);
  void take(Reading reading);
  void take(Damage damage) { hold(std::move(damage)); }
  void take(const AudioBlock& block);
  void take(const Bound&) {}  // needs the source: promise()
  void promise(SourceId source, StreamKind kind, SessionTime nothing_before);
  void end(SourceId source);
  void heard(SourceId source);
  void learn(SourceId source, const Packet& packet, SessionTime arrived);

  void hold(Timed timed);
  void release();
  void pass_on(Timed timed);
  void let_out(Question question, SessionTime asked_at);
  void reach(SessionTime time);
  void tell_end();
  bool is_late(const Place& place) const { return place.time < passed || place < last; }

  const SyncOptions options;
  Clock& clock;
  SpeechDetectorFactory* const speech;
  const Emit emit;
  StreamBounds bounds;
  LiveBounds live;
  Order order;
  SyncCounts counts;
  std::map<SourceId, UtteranceCutter> cutters;
  std::vector<Utterance> cut;                         // scratch
  std::vector<Question> at_end;                       // in the order in which they were asked
  Place last{SessionTime::min(), Rank::kDamage, {}};  // of what was passed on, the furthest
  SessionTime passed = SessionTime::min();            // nothing earlier is to come
  SessionTime end_seen = kSessionStart;               // the latest time of any packet or promise
  bool finished = false;
  bool end_told = false;
};

void Synchronizer::State::take(Frame frame) {
  bounds.raise(frame.source, StreamKind::kVideo, frame.captured);
  hold(std::move(frame));
}

void Synchronizer::State::take(TextLine line) {
  // Lines come in order of their starts; ends may cross.
  bounds.raise(line.source, StreamKind::kText, line.start);
  line.end = std::max(line.start, line.end);
  hold(std::move(line));
}

void Synchronizer::State::take(Reading reading) {
  bounds.raise(reading.source, StreamKind::kReading, reading.at);
  hold(std::move(reading));
}

void Synchronizer::State::take(const AudioBlock& block) {
  const auto cutter = cutters.find(block.source);
  if (cutter == cutters.end()) {
    ++counts.unheard;
    bounds.raise(block.source, StreamKind::kAudio, block.start);
    return;
  }
  cutter->second.push(block, cut);
  heard(block.source);
}

void Synchronizer::State::promise(SourceId source, StreamKind kind, SessionTime nothing_before) {
  const auto cutter = kind == StreamKind::kAudio ? cutters.find(source) : cutters.end();
  if (cutter == cutters.end()) {
    bounds.raise(source, kind, nothing_before);
    reach(nothing_before);
    return;
  }
  cutter->second.promise(nothing_before, cut);
  heard(source);
}

/// Takes over what a cutter has made and promises now.
void Synchronizer::State::heard(SourceId source) {
  const UtteranceCutter& cutter = cutters.at(source);
  for (Utterance& utterance : cut) hold(std::move(utterance));
  cut.clear();
  bounds.raise(source, StreamKind::kAudio, cutter.bound());
  reach(cutter.reached());
}

void Synchronizer::State::end(SourceId source) {
  if (const auto cutter = cutters.find(source); cutter != cutters.end()) {
    cutter->second.finish(cut);
    heard(source);
    cutters.erase(cutter);
  }
  bounds.end(source);
  for (std::size_t kind = 0; kind < kStreamKinds; ++kind)
    live.remove({source, static_cast<StreamKind>(kind)});
}

void Synchronizer::State::learn(SourceId source, const Packet& packet, SessionTime arrived) {
  if (const auto* frame = std::get_if<Frame>(&packet))
    live.arrived({source, StreamKind::kVideo}, frame->captured, arrived);
  if (const auto* line = std::get_if<TextLine>(&packet))
    live.arrived({source, StreamKind::kText}, line->start, arrived);
  if (const auto* reading = std::get_if<Reading>(&packet))
    live.arrived({source, StreamKind::kReading}, reading->at, arrived);
}

void Synchronizer::State::reach(SessionTime time) {
  // A stream that ends early promises the end of time; that is not when the session ended.
  if (time != SessionTime::max()) end_seen = std::max(end_seen, time);
}

void Synchronizer::State::hold(Timed timed) {
  const Place place = place_of(timed);
  reach(place.time);
  if (is_late(place)) {
    ++counts.late;
    pass_on(std::move(timed));
    return;
  }
  order.push(place, std::move(timed));
  while (order.packets() > options.max_held) {
    if (order.first().rank != Rank::kQuestion) ++counts.overflow;
    last = std::max(last, order.first());
    pass_on(order.pop());
  }
}

void Synchronizer::State::release() {
  if (!bounds.any() && !finished) return;  // whoever asks first may still add sources
  const auto least = bounds.least();
  const bool no_more = !least || least->time == SessionTime::max();
  while (!order.empty() && (!least || order.first() <= *least)) {
    // What is asked for a time that no stream has got to is asked at the end of them all.
    if (no_more && order.first().rank == Rank::kQuestion && order.first().time > end_seen) tell_end();
    last = std::max(last, order.first());
    pass_on(order.pop());
  }
  passed = std::max(passed, least && least->time != SessionTime::max() ? least->time : end_seen);
  if (!finished && !bounds.all_ended()) return;
  tell_end();
  for (Question& question : std::exchange(at_end, {})) let_out(std::move(question), end_seen);
}

void Synchronizer::State::tell_end() {
  if (!std::exchange(end_told, true)) emit(StreamsEnd{end_seen});
}

void Synchronizer::State::pass_on(Timed timed) {
  if (auto* question = std::get_if<Question>(&timed)) {
    const SessionTime at = end_told ? std::min(*question->at, end_seen) : *question->at;
    return let_out(std::move(*question), at);
  }
  const SteadyTime now = clock.now();
  std::visit(
      [now](auto& packet) {
        if constexpr (requires { packet.trace; }) packet.trace.enter(Stage::kEncodeQueue, now);
      },
      timed);
  emit(std::move(timed));
}

void Synchronizer::State::let_out(Question question, SessionTime asked_at) {
  const SteadyTime now = clock.now();
  if (question.asked == SteadyTime{} || question.asked > now) question.asked = now;
  question.asked_at = asked_at;
  question.trace.enter(Stage::kSync, question.asked);
  question.trace.enter(Stage::kEncodeQueue, now);
  emit(std::move(question));
}

Synchronizer::Synchronizer(SyncOptions options, Clock& clock, SpeechDetectorFactory* speech, Emit emit)
    : state_(std::make_unique<State>(options, clock, speech, std::move(emit))) {}

Synchronizer::~Synchronizer() = default;

void Synchronizer::add_source(SourceId source, std::array<bool, kStreamKinds> streams, bool live) {
  state_->bounds.add(source, streams);
  for (std::size_t kind = 0; kind < kStreamKinds; ++kind)
    if (live && streams[kind]) state_->live.add({source, static_cast<StreamKind>(kind)});
  if (!streams[static_cast<std::size_t>(StreamKind::kAudio)] || state_->speech == nullptr) return;
  if (auto detector = state_->speech->make())
    state_->cutters.try_emplace(source, state_->options, std::move(detector), state_->counts);
}

void Synchronizer::push(SourceId source, Packet packet, std::optional<SessionTime> arrived) {
  if (arrived) state_->learn(source, packet, *arrived);
  const SteadyTime now = state_->clock.now();
  std::visit(
      [&](auto& content) {
        if constexpr (requires { content.source; }) content.source = source;
        if constexpr (requires { content.trace; }) content.trace.enter(Stage::kSync, now);
      },
      packet);
  if (const auto* bound = std::get_if<Bound>(&packet))
    state_->promise(source, bound->stream, bound->nothing_before);
  else
    std::visit([this](auto&& content) { state_->take(std::forward<decltype(content)>(content)); },
               std::move(packet));
  state_->release();
}

void Synchronizer::end_source(SourceId source) {
  state_->end(source);
  state_->release();
}

void Synchronizer::ask(Question question) {
  if (question.now) {
    question.at = question.at.value_or(frontier());
    const SessionTime at = *question.at;
    return state_->let_out(std::move(question), at);
  }
  const Place place{question.at.value_or(SessionTime::max()), Rank::kQuestion, {}};
  if (question.at)
    state_->order.push(place, std::move(question));
  else
    state_->at_end.push_back(std::move(question));
  state_->release();
}

void Synchronizer::withdraw(QuestionId id) {
  std::optional<Question> question = state_->order.take(id);
  auto& at_end = state_->at_end;
  const auto is_it = [&](const Question& held) { return held.id == id; };
  if (const auto found = std::find_if(at_end.begin(), at_end.end(), is_it); found != at_end.end()) {
    question = std::move(*found);
    at_end.erase(found);
  }
  if (!question) return;
  question->max_tokens = 0;
  state_->let_out(std::move(*question), state_->end_seen);
}

std::vector<Advance> Synchronizer::advance_live(SessionTime now) {
  std::vector<Advance> moved = state_->live.advance(now);
  for (const Advance& advance : moved)
    state_->promise(advance.stream.source, advance.stream.kind, advance.nothing_before);
  state_->release();
  return moved;
}

void Synchronizer::advance(const Advance& advance) {
  state_->promise(advance.stream.source, advance.stream.kind, advance.nothing_before);
  state_->release();
}

void Synchronizer::finish() {
  while (!state_->cutters.empty()) state_->end(state_->cutters.begin()->first);
  state_->bounds.end_all();
  state_->finished = true;
  state_->release();
}

std::optional<SourceId> Synchronizer::hungriest() const { return state_->bounds.hungriest(); }

SessionTime Synchronizer::frontier() const { return std::max(kSessionStart, state_->passed); }

const SyncCounts& Synchronizer::counts() const { return state_->counts; }

}  // namespace braid::sync
