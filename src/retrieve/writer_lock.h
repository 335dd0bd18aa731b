#pragma once
// One process writes to a memory.

#include <string>

#include "braid/base/result.h"

namespace braid::retrieve {

/// Held by the one process that writes.
class WriterLock {
 public:
  WriterLock() = default;
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;
  ~WriterLock();
  /// kFull: another process has it.
  Status take(const std::string& folder);

 private:
  int fd_ = -1;
};

}  // namespace braid::retrieve
