#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "braid/kv/ledger.h"

namespace braid::kv {
namespace {

// Each cell an object: which sequences hold it, and at which position.
class NaiveLedger {
 public:
  NaiveLedger(int capacity, int max_sequences) : capacity_(capacity), positions_(max_sequences) {}

  bool append(int sequence, Range range) {
    if (used() + range.end - range.begin > capacity_) return false;
    for (Position p = range.begin; p < range.end; ++p) {
      cells_[next_] = {sequence};
      positions_[sequence][p] = next_++;
    }
    return true;
  }
  void fork(int from, int to, const std::vector<Range>& ranges) {
    for (const auto& [position, cell] : positions_[from])
      for (const Range& range : ranges)
        if (position >= range.begin && position < range.end) {
          cells_[cell].insert(to);
          positions_[to][position] = cell;
        }
  }
  void forget(int sequence, Range range) {
    std::erase_if(positions_[sequence], [&](const auto& held) {
      if (held.first < range.begin || held.first >= range.end) return false;
      cells_[held.second].erase(sequence);
      if (cells_[held.second].empty()) cells_.erase(held.second);
      return true;
    });
  }
  int used() const { return static_cast<int>(cells_.size()); }
  int cells(int sequence) const { return static_cast<int>(positions_[sequence].size()); }
  Position end(int sequence) const {
    return positions_[sequence].empty() ? 0 : positions_[sequence].rbegin()->first + 1;
  }
  bool holds(int sequence, Position p) const { return positions_[sequence].contains(p); }

 private:
  int capacity_;
  int next_ = 0;
  std::map<int, std::set<int>> cells_;  // holders by cell
  std::vector<std::map<Position, int>> positions_;
};

class LedgerProperty : public ::testing::Test {
 protected:
  static constexpr int kSequences = 6;
  static constexpr int kCapacity = 150;

  int pick(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
  Range any_range() {
    const int begin = pick(0, 60);
    return {begin, begin + pick(1, 25)};
  }
  int any_open() {
    int sequence = pick(0, kSequences - 1);
    while (!open_[sequence]) sequence = (sequence + 1) % kSequences;
    return sequence;
  }

  void append() {
    const int s = any_open();
    const Position begin = pick(0, 3) == 0 ? any_range().begin : naive_.end(s) + pick(0, 2);
    const Range range{begin, begin + pick(1, 12)};
    bool overlaps = false;
    for (Position p = range.begin; p < range.end; ++p) overlaps |= naive_.holds(s, p);
    const Status status = ledger_.append(SequenceId{s}, range, range.end - range.begin);
    if (overlaps)
      ASSERT_EQ(status.error().code, ErrorCode::kInternal);
    else
      ASSERT_EQ(status.has_value(), naive_.append(s, range));
    refused_ += !status && status.error().code == ErrorCode::kFull;
  }
  void fork() {
    const int from = any_open();
    const auto to = ledger_.open();
    ASSERT_EQ(to.has_value(), std::count(open_.begin(), open_.end(), false) > 0);
    if (!to) return;
    open_[to->value] = true;
    std::vector<Range> ranges;
    for (Position at = pick(0, 9); at < 60; at += pick(0, 20)) {
      ranges.push_back({at, at + pick(0, 20)});
      at = ranges.back().end;
    }
    ASSERT_TRUE(ledger_.fork(SequenceId{from}, *to, ranges));
    naive_.fork(from, static_cast<int>(to->value), ranges);
  }
  void forget() {
    const int s = any_open();
    const Range range = any_range();
    ledger_.forget(SequenceId{s}, range);
    naive_.forget(s, range);
  }
  void close() {
    if (std::count(open_.begin(), open_.end(), true) == 1) return;
    const int s = any_open();
    ledger_.close(SequenceId{s});
    naive_.forget(s, {0, 1 << 20});
    open_[s] = false;
  }
  void act() {
    switch (pick(0, 7)) {
      case 0:
      case 1:
        return fork();
      case 2:
        return forget();
      case 3:
        return close();
      default:
        return append();
    }
  }
  void compare() {
    ASSERT_EQ(ledger_.used(), naive_.used());
    ASSERT_EQ(ledger_.sequences(), std::count(open_.begin(), open_.end(), true));
    for (int s = 0; s < kSequences; ++s) {
      if (!open_[s]) continue;
      ASSERT_EQ(ledger_.cells(SequenceId{s}), naive_.cells(s)) << "sequence " << s;
      ASSERT_EQ(ledger_.end(SequenceId{s}), naive_.end(s)) << "sequence " << s;
    }
  }

  std::mt19937 random_{7};
  Ledger ledger_{kCapacity, kSequences};
  NaiveLedger naive_{kCapacity, kSequences};
  std::array<bool, kSequences> open_{};
  int refused_ = 0;
};

TEST_F(LedgerProperty, ten_thousand_random_operations_equal_a_model_that_keeps_every_cell) {
  open_[static_cast<std::size_t>(ledger_.open()->value)] = true;
  for (int i = 0; i < 10'000; ++i) {
    act();
    if (HasFatalFailure()) FAIL() << "operation " << i;
    compare();
    if (HasFatalFailure()) FAIL() << "after operation " << i;
  }
  EXPECT_GT(refused_, 100) << "the capacity was never reached: the test shows too little";
}

}  // namespace
}  // namespace braid::kv
