#include "fusion.h"

#include <algorithm>

namespace braid::retrieve {

std::unordered_map<std::int64_t, double> shares(const Ranking& ranking) {
  constexpr double kRankOffset = 60;
  std::unordered_map<std::int64_t, double> shares;
  std::size_t rank = 0;
  for (std::size_t i = 0; i < ranking.ids.size(); ++i) {
    const bool same = i > 0 && i < ranking.scores.size() && ranking.scores[i] == ranking.scores[i - 1];
    if (!same) rank = i + 1;
    shares[ranking.ids[i]] = ranking.weight / (kRankOffset + static_cast<double>(rank));
  }
  return shares;
}

std::vector<std::pair<std::int64_t, double>> fuse(const std::vector<Ranking>& rankings) {
  std::unordered_map<std::int64_t, double> scores;
  for (const Ranking& ranking : rankings)
    for (const auto& [id, share] : shares(ranking)) scores[id] += share;
  std::vector<std::pair<std::int64_t, double>> fused(scores.begin(), scores.end());
  std::sort(fused.begin(), fused.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first > b.first;
  });
  return fused;
}

}  // namespace braid::retrieve
