#pragma once
// Who may use a memory's embedder now.

#include <mutex>
#include <string>
#include <vector>

#include "braid/base/clock.h"
#include "braid/retrieve/memory.h"

namespace braid::retrieve {

/// One at a time, queries before records. Thread-safe.
class Embedder {
 public:
  Embedder(Embed embed, Clock& clock) : embed_(std::move(embed)), changed_(clock) {}

  /// kLate: its turn didn't come by `until`.
  Result<std::vector<float>> query(const std::string& text, SteadyTime until);
  /// Waits for its turn for as long as it takes.
  Result<std::vector<float>> records(const std::vector<std::string>& texts);

 private:
  Result<std::vector<float>> run(const std::vector<std::string>& texts);

  const Embed embed_;
  std::mutex mutex_;  // guards what follows
  Signal changed_;
  bool busy_ = false;
  int queries_ = 0;  // that wait
};

}  // namespace braid::retrieve
