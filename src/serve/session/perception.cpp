#include "session/perception.h"

#include <algorithm>
#include <utility>

namespace braid::serve {

namespace {

engine::PositionRange to_engine(kv::Range range) { return {range.begin, range.end}; }

}  // namespace

Perception::Perception(kv::WindowOptions window, engine::Engine& engine, kv::Ledger& ledger, Clock& clock,
                       std::function<void(encode::Encoded&)> on_seen)
    : timeline_(window, engine.tokenizer->tokenize(engine.tokenizer->chat().begin, true),
                engine.tokenizer->tokenize("\n", false),
                engine.tokenizer->tokenize(engine.tokenizer->chat().next_turn, true)),
      window_(window),
      can_hide_ranges_(engine.info.can_hide_ranges),
      decoder_(*engine.decoder),
      ledger_(ledger),
      clock_(clock),
      on_seen_(std::move(on_seen)) {}

Status Perception::open() {
  auto sequence = ledger_.open();
  if (!sequence) return tl::unexpected(sequence.error());
  sequence_ = *sequence;
  if (auto reserved = reserve(sequence_, 0, timeline_.opening()); !reserved) return reserved;
  add_job(0, timeline_.opening(), std::nullopt);
  return {};
}

Status Perception::reserve(SequenceId sequence, Position begin, const Prompt& prompt) {
  return ledger_.append(sequence, {begin, begin + prompt.positions()}, prompt.rows());
}

void Perception::add_job(Position start, Prompt prompt, std::optional<encode::Encoded> chunk) {
  jobs_.push_back({schedule::PrefillJob(sequence_, start, std::move(prompt), RowKind::kPerception, false),
                   std::move(chunk)});
}

bool Perception::offer(encode::Encoded& encoded) {
  if (encoded.chunk) {
    // Separators and the like take a few rows more than the chunk itself.
    constexpr int kSlack = 16;
    const int rows = encoded.chunk->prompt.rows();
    room_wanted_ = rows;
    if (ledger_.used() + rows + kSlack > ledger_.capacity()) return false;
    auto entry = timeline_.append(encoded.chunk);
    if (!entry && entry.error().code == ErrorCode::kFull) return false;
    room_wanted_ = 0;
    const Status placed =
        entry ? reserve(sequence_, entry->range.begin, entry->prompt) : tl::unexpected(entry.error());
    if (placed) {
      add_job(entry->range.begin, std::move(entry->prompt), std::move(encoded));
      return true;
    }
    encoded.error = placed.error();
    encoded.reason = "window";
    encoded.chunk = nullptr;
  }
  add_job(timeline_.end(), {}, std::move(encoded));
  pass_on_done(clock_.now());
  return true;
}

bool Perception::join(Prompt turns, SessionTime at) {
  if (!timeline_.has_room(turns.rows()) || ledger_.used() + turns.rows() > ledger_.capacity()) return false;
  auto entry = timeline_.append_turns(std::move(turns), at);
  if (!entry || !reserve(sequence_, entry->range.begin, entry->prompt)) return false;
  add_job(entry->range.begin, std::move(entry->prompt), std::nullopt);
  return true;
}

void Perception::ready(schedule::Ready& ready) {
  for (Job& job : jobs_)
    if (!job.prefill.done()) ready.perception.push_back(&job.prefill);
  for (schedule::PrefillJob& job : rebuilds_) ready.rebuilds.push_back(&job);
}

void Perception::step_begins(const schedule::Planned& planned, SteadyTime at) {
  for (const auto& share : planned.shares)
    for (Job& job : jobs_)
      if (&job.prefill == share.job && job.chunk) job.chunk->trace.enter(Stage::kPrefill, at);
}

void Perception::step_done(const schedule::Planned& planned, SteadyTime at) {
  for (const auto& share : planned.shares) {
    const bool mine =
        std::any_of(jobs_.begin(), jobs_.end(), [&](const Job& job) { return &job.prefill == share.job; }) ||
        std::any_of(rebuilds_.begin(), rebuilds_.end(), [&](const auto& job) { return &job == share.job; });
    if (mine) share.job->commit(share.rows);
  }
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
  if (!job.chunk) return;
  if (job.chunk->chunk) {
    job.chunk->trace.leave(at);
    last_trace_ = job.chunk->trace;
  }
  on_seen_(*job.chunk);
}

void Perception::rebuild(const Prompt& prompt) {
  if (!successor_.valid()) return;
  if (!reserve(successor_, successor_end_, prompt)) return give_up_turn_over();
  rebuilds_.emplace_back(successor_, successor_end_, prompt, RowKind::kRebuild, false);
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
  // With forks holding the cells that the successor needs, it has to wait for them.
  const int needed = static_cast<int>(window_.keep * window_.max_rows) + timeline_.opening().rows();
  return !timeline_.entries().empty() && ledger_.used() + needed <= ledger_.capacity();
}

bool Perception::turn_over_if_due() {
  if (!timeline_.turning_over()) {
    if (!successor_is_due()) return false;
    auto sequence = ledger_.open();
    if (!sequence) return false;
    successor_ = *sequence;
    successor_end_ = 0;
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
}

Result<SequenceId> Perception::fork(SessionTime now) {
  auto sequence = ledger_.open();
  if (!sequence) return sequence;
  auto ranges = timeline_.visible(now, timeline_.end());
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
