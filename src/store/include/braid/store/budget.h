#pragma once
// How many bytes may be kept on disk, by each owner and in all.

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

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
  void give(const std::string& owner, std::uint64_t bytes);
  std::uint64_t taken() const;

 private:
  const BudgetLimits limits_;
  mutable std::mutex mutex_;  // guards what follows
  std::map<std::string, std::uint64_t> by_owner_;
  std::uint64_t taken_ = 0;
};

}  // namespace braid::store
