#include "session/perception.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace braid::serve {

namespace {

engine::PositionRange to_engine(kv::Range range) { return {range.begin, range.end}; }

}  // namespace

Perception::Perception(kv::WindowOptions window, StepLoop& loop, Clock& clock, Tally& tally,
                       std::function<void(encode::Encoded&)> on_seen)
    : timeline_(window, loop.timeline_text().begin, loop.timeline_text().separator,
                loop.timeline_text().next_turn),
      window_(window),
      can_hide_ranges_(loop.engine().info.can_hide_ranges),
      max_step_rows_(loop.engine().info.max_step_rows),
      slack_(static_cast<int>(loop.timeline_text().next_turn.size()) + 8),
      decoder_(*loop.engine().decoder),
      ledger_(loop.ledger()),
      clock_(clock),
      tally_(tally),
      on_seen_(std::move(on_seen)) {}

Status Perception::open() {
  auto sequence = ledger_.open();
  if (!sequence) return tl::unexpected(sequence.error());
  sequence_ = *sequence;
  if (auto reserved = reserve(sequence_, 0, timeline_.opening()); !reserved) return reserved;
  add_job(0, timeline_.opening(), std::nullopt);
  for (const kv::Entry& entry : timeline_.entries()) {
    if (auto reserved = reserve(sequence_, entry.range.begin, entry.prompt); !reserved) return reserved;
    add_job(entry.range.begin, entry.prompt, std::nullopt, RowKind::kRebuild);
  }
  return {};
}

void Perception::sleep() {
  if (timeline_.turning_over()) give_up_turn_over();
  jobs_.clear();
  if (!awake()) return;
  decoder_.free(sequence_);
  ledger_.close(sequence_);
  sequence_ = {};
}

bool Perception::settled() const {
  return jobs_.empty() && waiting_turns_.empty() && !timeline_.turning_over() && !successor_is_due();
}

Status Perception::reserve(SequenceId sequence, Position begin, const Prompt& prompt) {
  return ledger_.append(sequence, {begin, begin + prompt.positions()}, prompt.rows());
}

void Perception::add_job(Position start, Prompt prompt, std::optional<encode::Encoded> chunk, RowKind kind) {
  jobs_.push_back({schedule::PrefillJob(sequence_, start, std::move(prompt), kind, false), std::move(chunk)});
}

std::optional<Error> Perception::too_large(const Prompt& prompt) const {
  for (const Piece& piece : prompt.pieces) {
    const auto* run = std::get_if<EmbeddingRun>(&piece);
    if (run && run->indivisible && static_cast<int>(run->rows->rows) > max_step_rows_)
      return Error{ErrorCode::kLimit,
                   fmt::format("the model takes this picture in one piece of {} rows, a step holds "
                               "{}: use smaller pictures (--max-frame-side)",
                               run->rows->rows, max_step_rows_)};
  }
  return std::nullopt;
}

// False: no room yet.
Result<bool> Perception::place(encode::Encoded& encoded) {
  const Prompt& prompt = encoded.chunk->prompt;
  if (auto error = too_large(prompt)) return tl::unexpected(*error);
  room_wanted_ = prompt.rows();
  if (!awake()) timeline_.drop_oldest(std::max(prompt.rows(), prompt.positions()));
  if (awake() && !has_cells(prompt.rows())) return false;
  auto entry = timeline_.append(encoded.chunk);
  if (!entry && entry.error().code == ErrorCode::kFull) return false;
  room_wanted_ = 0;
  if (!entry) return tl::unexpected(entry.error());
  if (!awake()) {
    pass_on(encoded);
    return true;
  }
  if (auto reserved = reserve(sequence_, entry->range.begin, entry->prompt); !reserved)
    return tl::unexpected(reserved.error());
  add_job(entry->range.begin, std::move(entry->prompt), std::move(encoded));
  return true;
}

bool Perception::offer(encode::Encoded& encoded) {
  if (encoded.chunk) {
    const Result<bool> placed = place(encoded);
    if (placed) return *placed;
    encoded.error = placed.error();
    encoded.reason = "window";
    encoded.chunk = nullptr;
  }
  pass_on(encoded);
  return true;
}

// What brings no rows comes after those before it all the same.
void Perception::pass_on(encode::Encoded& encoded) {
  if (jobs_.empty()) return seen(encoded, clock_.now());
  add_job(timeline_.end(), {}, std::move(encoded));
}

void Perception::join(Prompt turns, SessionTime at) {
  // Answers end one by one and turn-overs make room soon; more than a few waiting means that they never fit.
  constexpr std::size_t kMaxWaiting = 8;
  waiting_turns_.push_back({std::move(turns), at});
  if (waiting_turns_.size() > kMaxWaiting) {
    tally_.dropped("turns");
    waiting_turns_.pop_front();
  }
  join_waiting();
}

void Perception::join_waiting() {
  while (!waiting_turns_.empty()) {
    Turns& turns = waiting_turns_.front();
    if (!has_cells(turns.prompt.rows())) return;
    auto entry = timeline_.append_turns(turns.prompt, turns.at);
    if (!entry && entry.error().code == ErrorCode::kFull) {
      room_wanted_ = std::max(room_wanted_, turns.prompt.rows());
      return;
    }
    if (entry && reserve(sequence_, entry->range.begin, entry->prompt))
      add_job(entry->range.begin, std::move(entry->prompt), std::nullopt);
    waiting_turns_.pop_front();
  }
}

void Perception::ready(schedule::Ready& ready, std::optional<SteadyTime> awaited) {
  auto& jobs = awaited ? ready.awaited : ready.perception;
  // All of a sequence's alike: they are sorted by it and have to stay in order.
  const auto add = [&](std::vector<schedule::PrefillJob*>& to, schedule::PrefillJob& job) {
    job.wait_since(&to == &ready.rebuilds || !awaited ? successor_since_ : *awaited);
    to.push_back(&job);
  };
  // With no room left nothing goes on before the successor takes over, and that reads what waits here too.
  const bool full = room_wanted_ > 0 && !rebuilds_.empty();
  for (Job& job : jobs_)
    if (!full && !job.prefill.done()) add(jobs, job.prefill);
  for (schedule::PrefillJob& job : rebuilds_) add(full ? jobs : ready.rebuilds, job);
}

void Perception::step_begins(const schedule::Planned& planned, SteadyTime at) {
  for (const auto& share : planned.shares)
    for (Job& job : jobs_)
      if (&job.prefill == share.job && job.chunk) job.chunk->trace.enter(Stage::kPrefill, at);
}

bool Perception::is_mine(const schedule::PrefillJob* job) const {
  return std::any_of(jobs_.begin(), jobs_.end(), [&](const Job& one) { return &one.prefill == job; }) ||
         std::any_of(rebuilds_.begin(), rebuilds_.end(), [&](const auto& one) { return &one == job; });
}

bool Perception::has_rows_in(const schedule::Planned& planned) const {
  return std::any_of(planned.shares.begin(), planned.shares.end(),
                     [&](const auto& share) { return is_mine(share.job); });
}

void Perception::step_done(const schedule::Planned& planned, SteadyTime at) {
  for (const auto& share : planned.shares)
    if (is_mine(share.job)) share.job->commit(share.rows);
  pass_on_done(at);
  while (!rebuilds_.empty() && rebuilds_.front().done()) rebuilds_.pop_front();
}

void Perception::pass_on_done(SteadyTime at) {
  while (!jobs_.empty() && jobs_.front().prefill.done()) {
    seen(jobs_.front(), at);
    jobs_.pop_front();
  }
}

void Perception::seen(Job& job, SteadyTime at) {
  if (job.chunk) seen(*job.chunk, at);
}

void Perception::seen(encode::Encoded& encoded, SteadyTime at) {
  if (encoded.chunk) {
    encoded.trace.leave(at);
    last_trace_ = encoded.trace;
  }
  on_seen_(encoded);
}

void Perception::give_up() {
  for (Job& job : jobs_) {
    if (!job.chunk) continue;
    job.chunk->chunk = nullptr;
    job.chunk->reason = "engine_failed";
    on_seen_(*job.chunk);
  }
  jobs_.clear();
}

void Perception::rebuild(const Prompt& prompt) {
  if (!successor_.valid()) return;
  if (!reserve(successor_, successor_end_, prompt)) return give_up_turn_over();
  rebuilds_.emplace_back(successor_, successor_end_, prompt, RowKind::kRebuild, false, successor_since_);
  successor_end_ += prompt.positions();
}

void Perception::give_up_turn_over() {
  timeline_.abandon_turn_over();
  rebuilds_.clear();
  decoder_.free(successor_);
  ledger_.close(successor_);
  successor_ = {};
}

bool Perception::successor_is_due() const {
  if (!timeline_.wants_turn_over(room_wanted_)) return false;
  if (timeline_.entries().empty()) return false;
  // With forks holding the cells that the successor needs, it has to wait for them. The newest entry is kept
  // whatever its size.
  const int kept =
      std::max(static_cast<int>(window_.keep * window_.max_rows), timeline_.entries().back().prompt.rows());
  return has_cells(kept + timeline_.opening().rows());
}

bool Perception::turn_over_if_due() {
  if (!awake()) return false;
  if (!timeline_.turning_over()) {
    if (!successor_is_due()) return false;
    auto sequence = ledger_.open();
    if (!sequence) return false;
    successor_ = *sequence;
    successor_end_ = 0;
    successor_since_ = clock_.now();
    for (const Prompt& prompt : timeline_.begin_turn_over(room_wanted_)) rebuild(prompt);
    return false;
  }
  for (const Prompt& prompt : timeline_.successor_tail()) rebuild(prompt);
  if (!successor_.valid() || !rebuilds_.empty()) return false;
  swap(clock_.now());
  return true;
}

void Perception::swap(SteadyTime at) {
  timeline_.finish_turn_over();
  // What was still waiting for the old sequence has been read by the new one.
  for (Job& job : jobs_) seen(job, at);
  jobs_.clear();
  decoder_.free(sequence_);
  ledger_.close(sequence_);
  sequence_ = std::exchange(successor_, SequenceId{});
  room_wanted_ = 0;
  join_waiting();
}

bool Perception::has_turns() const {
  const auto& entries = timeline_.entries();
  return std::any_of(entries.begin(), entries.end(),
                     [](const kv::Entry& entry) { return entry.chunk() == nullptr; });
}

Result<SequenceId> Perception::fork(const Question& question) {
  auto sequence = ledger_.open();
  if (!sequence) return sequence;
  auto ranges = timeline_.visible(question.asked_at, timeline_.end(), as_of(question));
  if (!can_hide_ranges_) ranges.assign(1, kv::Range{0, timeline_.end()});
  std::vector<engine::PositionRange> shared(ranges.size());
  std::transform(ranges.begin(), ranges.end(), shared.begin(), to_engine);
  Status forked = ledger_.fork(sequence_, *sequence, ranges);
  if (forked) forked = decoder_.fork(sequence_, *sequence, shared);
  if (forked) return sequence;
  ledger_.close(*sequence);
  return tl::unexpected(forked.error());
}

}  // namespace braid::serve
