#pragma once
// Several rankings made one.

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace braid::retrieve {

struct Ranking {
  std::vector<std::int64_t> ids = {};  ///< best first, each once
  std::vector<double> scores = {};  ///< of the ids; neighbours with the same share a rank. Empty: all differ
  double weight = 1;
};

/// What the ranking adds to the score of each of its ids.
std::unordered_map<std::int64_t, double> shares(const Ranking& ranking);

/// Reciprocal rank fusion (Cormack, Clarke, Buettcher 2009) with k = 60: ids and scores, best first; of two
/// as good the higher id, which was added later. Pure.
std::vector<std::pair<std::int64_t, double>> fuse(const std::vector<Ranking>& rankings);

}  // namespace braid::retrieve
