#pragma once
// The model that makes vectors of texts, and whose turn it is with it.

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "braid/base/clock.h"
#include "braid/base/result.h"

namespace braid::retrieve {

/// Texts to vectors of length 1, one after the other: [texts, dim]. One thread at a time; may take as long as
/// it does.
using Embed = std::function<Result<std::vector<float>>(const std::vector<std::string>& texts)>;

/// One at a time, whoever waits for an answer before records. Several memories may share it. Thread-safe.
class Embedder {
 public:
  /// `name`: the model's; vectors of one name can be compared.
  Embedder(std::string name, Embed embed, Clock& clock)
      : name_(std::move(name)), embed_(std::move(embed)), changed_(clock) {}

  const std::string& name() const { return name_; }
  /// kLate: its turn didn't come by `until`. The embedder's error.
  Result<std::vector<float>> query(const std::vector<std::string>& texts, SteadyTime until);
  /// Waits for its turn for as long as it takes.
  Result<std::vector<float>> records(const std::vector<std::string>& texts);

 private:
  Result<std::vector<float>> run(const std::vector<std::string>& texts);

  const std::string name_;
  const Embed embed_;
  std::mutex mutex_;  // guards what follows
  Signal changed_;
  bool busy_ = false;
  int queries_ = 0;  // that wait
};

}  // namespace braid::retrieve
