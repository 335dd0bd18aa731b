#include "braid/store/budget.h"

#include <fmt/format.h>

namespace braid::store {

Status Budget::take(const std::string& owner, std::uint64_t bytes) {
  std::lock_guard lock(mutex_);
  const auto found = by_owner_.find(owner);
  const std::uint64_t of_owner = found == by_owner_.end() ? 0 : found->second;
  if (bytes > limits_.bytes || taken_ > limits_.bytes - bytes)
    return fail(ErrorCode::kLimit,
                fmt::format("{} bytes are kept, {} more would pass the {} that may be: raise max_bytes",
                            taken_, bytes, limits_.bytes),
                true);
  if (bytes > limits_.bytes_per_owner || of_owner > limits_.bytes_per_owner - bytes)
    return fail(
        ErrorCode::kLimit,
        fmt::format(
            "{} bytes of this key are kept, {} more would pass the {} that may be: raise max_bytes_per_key",
            of_owner, bytes, limits_.bytes_per_owner),
        true);
  by_owner_[owner] = of_owner + bytes;
  taken_ += bytes;
  return {};
}

void Budget::hold(const std::string& owner, std::uint64_t bytes) {
  if (bytes == 0) return;
  std::lock_guard lock(mutex_);
  by_owner_[owner] += bytes;
  taken_ += bytes;
}

void Budget::give(const std::string& owner, std::uint64_t bytes) {
  std::lock_guard lock(mutex_);
  const auto found = by_owner_.find(owner);
  if (found == by_owner_.end()) return;
  found->second -= bytes;
  taken_ -= bytes;
  if (found->second == 0) by_owner_.erase(found);
}

std::uint64_t Budget::taken() const {
  std::lock_guard lock(mutex_);
  return taken_;
}

Status Charge::set(std::uint64_t bytes) {
  if (bytes > bytes_)
    if (Status taken = budget_.take(owner_, bytes - bytes_); !taken) return taken;
  if (bytes < bytes_) budget_.give(owner_, bytes_ - bytes);
  bytes_ = bytes;
  return {};
}

void Charge::settle(std::uint64_t bytes) {
  budget_.hold(owner_, bytes);
  budget_.give(owner_, bytes_);
  bytes_ = bytes;
}

}  // namespace braid::store
