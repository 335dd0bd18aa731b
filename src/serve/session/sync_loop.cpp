#include "session/sync_loop.h"

#include <algorithm>
#include <utility>

#include "session/sync_tap.h"

namespace braid::serve {

namespace {

/// The time up to which a packet tells what was.
SessionTime latest(const Packet& packet) {
  struct Visitor {
    SessionTime operator()(const Frame& frame) const { return frame.captured; }
    SessionTime operator()(const AudioBlock& block) const { return block.start + block.duration(); }
    SessionTime operator()(const TextLine& line) const { return line.end; }
    SessionTime operator()(const Reading& reading) const { return reading.at; }
    SessionTime operator()(const Bound& bound) const { return bound.nothing_before; }
    SessionTime operator()(const Damage&) const { return kSessionStart; }
  };
  return std::visit(Visitor{}, packet);
}

}  // namespace

sync::SyncOptions with_lateness(const SessionOptions& options) {
  sync::SyncOptions sync = options.sync;
  sync.lateness.cap = options.live_lateness;
  return sync;
}

SyncLoop::SyncLoop(const SessionOptions& options, Clock& clock, Pace& pace, DueQuestions& due,
                   sync::SpeechDetectorFactory* speech, flow::Sender<sync::Timed> out)
    : options_(options),
      clock_(clock),
      pace_(pace),
      due_(due),
      in_(clock),
      control_(in_.add_lane({.capacity = static_cast<std::size_t>(options.max_waiting_questions) + 8})),
      out_(std::move(out)),
      synchronizer_(with_lateness(options), clock, speech,
                    [this](sync::Timed item) { emit(std::move(item)); }),
      first_packets_(options.realtime ? options.first_packet_patience : Nanoseconds{}) {}

flow::Sender<SyncInput> SyncLoop::add_source(SourceId source, const ingest::SourceInfo& info) {
  // Following the clock, nobody waits for what may never come.
  const bool bounded = info.live || (options_.realtime && info.may_stall);
  live_.push_back(bounded);
  synchronizer_.add_source(source, info.streams, bounded);
  ended_.push_back(false);
  first_packets_.add_source(info.streams);
  return in_.add_lane({.capacity = options_.queue});
}

Fate SyncLoop::fate_of(const sync::Timed& item) {
  if (const auto* question = std::get_if<Question>(&item)) {
    // With all streams ended, repetitions come out that lie behind everything: they were never due.
    if (question->every && note_repetition(*question)) return Fate::kWithheld;
    // The engine hears of those that are not to be answered, so that whoever asked gets an end.
    return discard_ ? Fate::kRefused : Fate::kPassed;
  }
  const bool taken = !options_.tap || options_.tap->let_out(item);
  if (std::holds_alternative<sync::StreamsEnd>(item) || (taken && !discard_)) return Fate::kPassed;
  ++(discard_ ? discarded_ : unperceived_);
  return Fate::kWithheld;
}

void SyncLoop::emit(sync::Timed item) {
  const Fate fate = fate_of(item);
  if (options_.log) options_.log->note(LetOut{key_of(item), fate});
  if (fate == Fate::kWithheld) return;
  if (fate == Fate::kRefused) std::get<Question>(item).max_tokens = 0;
  if (const auto* question = std::get_if<Question>(&item)) due_.let_out(question->asked);
  if (out_.push(std::move(item)) == flow::Pushed::kClosed) out_closed_ = true;
}

bool SyncLoop::note_repetition(const Question& question) {
  const bool behind = *question.at > evidence_;
  for (Standing& standing : standing_)
    if (standing.question.id == question.standing) {
      ++standing.answered;
      standing.over = standing.over || behind;
    }
  return behind;
}

void SyncLoop::add_counts(std::vector<std::pair<std::string, std::uint64_t>>& drops) const {
  const sync::SyncCounts& counts = synchronizer_.counts();
  const auto add = [&](const char* reason, std::uint64_t count) {
    if (count > 0) drops.emplace_back(reason, count);
  };
  add("stopped", discarded_);
  add("unperceived", unperceived_);
  add("repetition", skipped_);
  add("late", counts.late);
  add("overflow", counts.overflow);
  add("noise_burst", counts.noise_bursts);
  add("bad_audio", counts.bad_audio);
  add("unheard", counts.unheard);
}

void SyncLoop::ask(Question question) {
  if (options_.log) options_.log->note(AskedOf{question});
  synchronizer_.ask(std::move(question));
}

void SyncLoop::take_question(Question question) {
  // Its time on the clock; where the sources end before it, the synchronizer says when it is asked.
  if (question.at && !question.now && pace_.realtime())
    question.asked = std::max(pace_.when(*question.at), clock_.now());
  if (question.now && first_packets_.hold(question, clock_.now())) return;
  if (!question.every) return ask(std::move(question));
  question.standing = question.id;
  standing_.push_back({std::move(question), 0, 0});
}

void SyncLoop::ask_standing(Standing& standing) {
  // So many ahead that a jump of the streams' bounds doesn't pass one that was not asked yet.
  constexpr std::int64_t kAhead = 64;
  if (standing.asked > 0 && standing.answered == standing.asked) skip_missed(standing);
  const std::int64_t until = standing.answered + kAhead;
  for (; !standing.over && !stopped_ && standing.asked < until; ++standing.asked) {
    Question question = standing.question;
    if (standing.asked > 0) question.id = next_question_();
    question.at = *question.at + standing.asked * *question.every;
    if (pace_.realtime()) question.asked = pace_.when(*question.at);
    ask(std::move(question));
  }
}

/// After a jump of the streams' times by more than was asked ahead, only the last that is due is asked.
void SyncLoop::skip_missed(Standing& standing) {
  const SessionTime frontier = synchronizer_.frontier();
  if (frontier == SessionTime::max() || frontier < *standing.question.at) return;
  const std::int64_t due = (frontier - *standing.question.at) / *standing.question.every;
  if (due <= standing.asked) return;
  skipped_ += static_cast<std::uint64_t>(due - standing.asked);
  standing.asked = standing.answered = due;
}

bool SyncLoop::take(std::size_t lane) {
  auto item = in_.try_pop(lane);
  if (!item) return false;
  auto& packet = std::get<Packet>(*item);
  const SessionTime time = latest(packet);
  if (time != SessionTime::max()) evidence_ = std::max(evidence_, time);
  first_packets_.came(lane - 1, packet);
  const auto arrived = pace_.realtime() ? std::optional(pace_.now()) : std::nullopt;
  const SourceId source{static_cast<std::int64_t>(lane) - 1};
  if (options_.log) options_.log->arrived(source, packet, arrived);
  if (options_.tap) options_.tap->arrived(source, packet);
  synchronizer_.push(source, std::move(packet), arrived);
  return true;
}

bool SyncLoop::take_control() {
  auto item = in_.try_pop(0);
  if (!item) return false;
  if (auto* question = std::get_if<Question>(&*item)) take_question(std::move(*question));
  if (const auto* withdrawn = std::get_if<WithdrawQuestion>(&*item)) {
    if (options_.log) options_.log->note(Withdrawn{withdrawn->id});
    synchronizer_.withdraw(withdrawn->id);
  }
  if (const auto* stop = std::get_if<StopSync>(&*item)) {
    discard_ = !stop->answer_rest;
    stopped_ = true;
  }
  return true;
}

void SyncLoop::ask_early() {
  // A session that ends waits for nothing.
  const SteadyTime now = stopped_ ? SteadyTime::max() : clock_.now();
  for (Question& question : first_packets_.due(now)) ask(std::move(question));
}

bool SyncLoop::take_packets() {
  const auto hungriest = synchronizer_.hungriest();
  if (!hungriest) return false;
  if (take(static_cast<std::size_t>(hungriest->value) + 1)) return true;
  if (!pace_.realtime()) return false;
  bool any = false;
  for (std::size_t source = 0; source < live_.size(); ++source) any = take(source + 1) || any;
  return any;
}

void SyncLoop::notice_ends() {
  for (std::size_t source = 0; source < ended_.size(); ++source) {
    if (ended_[source] || !in_.ended(source + 1)) continue;
    ended_[source] = true;
    first_packets_.ended(source);
    const SourceId id{static_cast<std::int64_t>(source)};
    if (options_.log) options_.log->note(SourceEnded{id});
    if (options_.tap) options_.tap->ended(id);
    synchronizer_.end_source(id);
  }
}

void SyncLoop::advance_live() {
  BoundsMoved moved{synchronizer_.advance_live(pace_.now())};
  if (options_.tap) options_.tap->assumed(moved.advances);
  if (options_.log && !moved.advances.empty()) options_.log->note(std::move(moved));
}

void SyncLoop::wait(bool any_live) {
  auto until = first_packets_.until();
  if (any_live) until = std::min(until.value_or(SteadyTime::max()), clock_.now() + Milliseconds(50));
  in_.wait(until);
}

void SyncLoop::run() {
  const bool any_live = std::find(live_.begin(), live_.end(), true) != live_.end();
  while (!out_closed_) {
    bool any = false;
    while (take_control()) any = true;
    for (Standing& standing : standing_) ask_standing(standing);
    any = take_packets() || any;
    const SessionTime frontier = synchronizer_.frontier();
    if (frontier != SessionTime::max()) pace_.followed(frontier);
    notice_ends();
    ask_early();
    if (any_live) advance_live();
    if (options_.tap) options_.tap->passed(synchronizer_.frontier());
    if (any) continue;
    const bool all_ended = std::find(ended_.begin(), ended_.end(), false) == ended_.end();
    if (all_ended && (!options_.stay_open || stopped_)) break;
    wait(any_live);
  }
  if (options_.log) options_.log->note(SyncFinished{});
  synchronizer_.finish();
  in_.close();
  out_.end();
}

}  // namespace braid::serve
