#include "braid/kv/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace braid::kv {

namespace {

std::size_t index_of(SequenceId sequence) { return static_cast<std::size_t>(sequence.value); }

// The first run that begins at `at` or after it.
template <class Runs>
auto first_from(Runs& runs, Position at) {
  return std::lower_bound(runs.begin(), runs.end(), at,
                          [](const auto& run, Position p) { return run.range.begin < p; });
}

// The run that begins before `at` and ends after it, or end().
template <class Runs>
auto straddling(Runs& runs, Position at) {
  const auto next = first_from(runs, at);
  if (next == runs.begin()) return runs.end();
  const auto before = next - 1;
  return before->range.end > at ? before : runs.end();
}

}  // namespace

Ledger::Ledger(int capacity, int max_sequences)
    : capacity_(capacity),
      runs_(static_cast<std::size_t>(max_sequences)),
      open_(static_cast<std::size_t>(max_sequences)) {}

bool Ledger::is_open(SequenceId sequence) const {
  return sequence.valid() && index_of(sequence) < open_.size() && open_[index_of(sequence)];
}

const Ledger::Runs& Ledger::runs(SequenceId sequence) const {
  if (!is_open(sequence)) throw std::logic_error(fmt::format("sequence {} is not open", sequence.value));
  return runs_[index_of(sequence)];
}

Ledger::Runs& Ledger::runs(SequenceId sequence) {
  return const_cast<Runs&>(static_cast<const Ledger&>(*this).runs(sequence));
}

Result<SequenceId> Ledger::open() {
  const auto free = std::find(open_.begin(), open_.end(), false);
  if (free == open_.end())
    return fail(
        ErrorCode::kFull,
        fmt::format("all {} sequences of the KV cache are in use; wait for an answer to end", open_.size()),
        true);
  *free = true;
  return SequenceId{free - open_.begin()};
}

void Ledger::close(SequenceId sequence) {
  for (const Run& run : runs(sequence)) drop(run);
  runs(sequence).clear();
  open_[index_of(sequence)] = false;
}

Status Ledger::append(SequenceId sequence, Range range, int cells) {
  if (!is_open(sequence))
    return fail(ErrorCode::kInternal, fmt::format("sequence {} is not open", sequence.value));
  if (cells <= 0 || range.begin < 0 || range.end < range.begin)
    return fail(ErrorCode::kInternal,
                fmt::format("{} cells at [{}, {}): expected at least one cell and a range", cells,
                            range.begin, range.end));
  Runs& held = runs(sequence);
  auto next = first_from(held, range.begin);
  while (next != held.end() && next->range.end == range.begin) ++next;  // a medium that hasn't advanced yet
  const bool overlaps_next =
      next != held.end() && (next->range.begin < range.end || range.begin == range.end);
  const bool overlaps_last = next != held.begin() && (next - 1)->range.end > range.begin;
  if (overlaps_next || overlaps_last)
    return fail(ErrorCode::kInternal, fmt::format("sequence {} already holds positions of [{}, {})",
                                                  sequence.value, range.begin, range.end));
  if (cells > capacity_ - used_)
    return fail(ErrorCode::kFull,
                fmt::format("{} cells don't fit: {} of {} are in use", cells, used_, capacity_), true);

  used_ += cells;
  if (next == held.end() && !held.empty() && extend(held.back(), range, cells)) return {};
  held.insert(next, Run{range, cells, next_run_});
  holders_[next_run_++] = {cells, 1};
  return {};
}

// Keeps the number of runs small: what nobody shares yet grows in place.
bool Ledger::extend(Run& last, Range range, int cells) {
  Holders& holders = holders_.at(last.id);
  const bool unfinished_medium = last.range.begin == last.range.end;
  const bool plain = last.one_cell_a_position() && cells == range.end - range.begin;
  if (holders.count != 1 || last.range.end != range.begin || !(unfinished_medium || plain)) return false;
  last.range.end = range.end;
  last.cells += cells;
  holders.cells = last.cells;
  return true;
}

bool Ledger::can_cut(const Runs& held, Position at) const {
  const auto run = straddling(held, at);
  return run == held.end() || run->one_cell_a_position();
}

// Cuts the run around `at` in every sequence that holds it, so that its parts can have different holders.
void Ledger::cut(SequenceId sequence, Position at) {
  const auto found = straddling(runs(sequence), at);
  if (found == runs(sequence).end()) return;
  const Run whole = *found;
  const Run left{{whole.range.begin, at}, at - whole.range.begin, whole.id};
  const Run right{{at, whole.range.end}, whole.range.end - at, next_run_++};
  for (Runs& held : runs_) {
    const auto same = straddling(held, at);
    if (same == held.end() || same->id != whole.id) continue;
    *same = left;
    held.insert(same + 1, right);
  }
  holders_[right.id] = {right.cells, holders_.at(whole.id).count};
  holders_[left.id].cells = left.cells;
}

Status Ledger::check_fork(SequenceId from, SequenceId to, std::span<const Range> ranges) const {
  if (!is_open(from) || !is_open(to) || from == to || !runs(to).empty())
    return fail(
        ErrorCode::kInternal,
        fmt::format("fork of {} to {}: expected two open sequences, the second empty", from.value, to.value));
  Position last = 0;
  for (const Range& range : ranges) {
    if (range.begin < last || range.end < range.begin)
      return fail(ErrorCode::kInternal, fmt::format("fork range [{}, {}): ranges must ascend and not overlap",
                                                    range.begin, range.end));
    if (!can_cut(runs(from), range.begin) || !can_cut(runs(from), range.end))
      return fail(ErrorCode::kInternal,
                  fmt::format("fork range [{}, {}) cuts a medium in two", range.begin, range.end));
    last = range.end;
  }
  return {};
}

Status Ledger::fork(SequenceId from, SequenceId to, std::span<const Range> ranges) {
  if (Status checked = check_fork(from, to, ranges); !checked) return checked;
  for (const Range& range : ranges) {
    if (range.begin == range.end) continue;
    cut(from, range.begin);
    cut(from, range.end);
    for (auto run = first_from(runs(from), range.begin);
         run != runs(from).end() && run->range.begin < range.end; ++run) {
      runs(to).push_back(*run);
      ++holders_.at(run->id).count;
    }
  }
  return {};
}

void Ledger::forget(SequenceId sequence, Range range) {
  Runs& held = runs(sequence);
  if (range.begin >= range.end) return;
  if (!can_cut(held, range.begin) || !can_cut(held, range.end))
    throw std::logic_error(fmt::format("[{}, {}) cuts a medium in two", range.begin, range.end));
  cut(sequence, range.begin);
  cut(sequence, range.end);
  const auto first = first_from(held, range.begin);
  const auto last = first_from(held, range.end);
  std::for_each(first, last, [this](const Run& run) { drop(run); });
  held.erase(first, last);
}

void Ledger::drop(const Run& run) {
  const auto found = holders_.find(run.id);
  if (--found->second.count > 0) return;
  used_ -= found->second.cells;
  holders_.erase(found);
}

int Ledger::cells(SequenceId sequence) const {
  int n = 0;
  for (const Run& run : runs(sequence)) n += run.cells;
  return n;
}

Position Ledger::end(SequenceId sequence) const {
  return runs(sequence).empty() ? 0 : runs(sequence).back().range.end;
}

int Ledger::sequences() const { return static_cast<int>(std::count(open_.begin(), open_.end(), true)); }

}  // namespace braid::kv
