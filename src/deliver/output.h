#pragma once
// Bytes to a stdio stream whose reader may go away.

#include <atomic>
#include <cstdio>
#include <string_view>

#include "braid/base/result.h"

namespace braid::deliver {

/// One thread writes; status() from any.
class Output {
 public:
  explicit Output(std::FILE* file) : file_(file) {}

  /// Writes and flushes. A closed pipe is remembered, never a SIGPIPE for this thread.
  void write(std::string_view bytes);
  Status status() const;
  bool is_terminal() const;
  /// Of the terminal now; 80 where it doesn't say.
  int columns() const;

 private:
  std::FILE* file_;
  std::atomic<int> error_ = 0;  // errno of the first failure
};

}  // namespace braid::deliver
