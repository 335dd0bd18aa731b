#pragma once
// How many bytes may be kept on disk, by each owner and in all.

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "braid/base/result.h"

namespace braid::store {

struct BudgetLimits {
  std::uint64_t bytes = 4ULL << 30;            ///< of all owners
  std::uint64_t bytes_per_owner = 1ULL << 30;  ///< of one
};

/// Thread-safe; nothing blocks.
class Budget {
 public:
  explicit Budget(BudgetLimits limits) : limits_(limits) {}

  /// kLimit (retryable): they would pass what may be kept; nothing was taken.
  Status take(const std::string& owner, std::uint64_t bytes);
  /// Of what is there already, whatever may be: what may be kept may be passed then.
  void hold(const std::string& owner, std::uint64_t bytes);
  void give(const std::string& owner, std::uint64_t bytes);
  std::uint64_t taken() const;

 private:
  const BudgetLimits limits_;
  mutable std::mutex mutex_;  // guards what follows
  std::map<std::string, std::uint64_t> by_owner_;
  std::uint64_t taken_ = 0;
};

/// So many bytes of one owner, for as long as it lives. One thread at a time.
class Charge {
 public:
  /// None yet. `budget` outlives it.
  Charge(Budget& budget, std::string owner) : budget_(budget), owner_(std::move(owner)) {}
  ~Charge() { budget_.give(owner_, bytes_); }
  Charge(const Charge&) = delete;
  Charge& operator=(const Charge&) = delete;

  /// That it is so many from now on. Errors of Budget::take(): it is as many as it was then.
  Status set(std::uint64_t bytes);
  /// The same of what is there already.
  void settle(std::uint64_t bytes);
  std::uint64_t bytes() const { return bytes_; }

 private:
  Budget& budget_;
  const std::string owner_;
  std::uint64_t bytes_ = 0;
};

}  // namespace braid::store
