#include "term_weights.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "sentences.h"

namespace braid::retrieve {

float cosine(const TermVector& a, const TermVector& b) {
  float sum = 0;
  for (auto left = a.begin(), right = b.begin(); left != a.end() && right != b.end();) {
    if (left->first == right->first)
      sum += (left++)->second * (right++)->second;
    else if (left->first < right->first)
      ++left;
    else
      ++right;
  }
  return sum;
}

void TermWeights::count(std::string_view text) {
  ++texts_;
  const std::vector<std::string> stems = stems_of(text);
  for (const std::string& stem : std::set<std::string>(stems.begin(), stems.end())) {
    const int next = static_cast<int>(terms_.size());
    ++terms_.try_emplace(stem, Term{next, 0}).first->second.texts;
  }
}

TermVector TermWeights::vector_of(std::string_view text) const {
  std::map<int, float> weights;
  for (const std::string& stem : stems_of(text)) {
    const auto term = terms_.find(stem);
    if (term == terms_.end()) continue;
    weights[term->second.id] +=
        std::log(1.F + static_cast<float>(texts_) / static_cast<float>(term->second.texts));
  }
  TermVector vector(weights.begin(), weights.end());
  float squares = 0;
  for (const auto& [id, weight] : vector) squares += weight * weight;
  for (auto& [id, weight] : vector) weight /= std::sqrt(squares);
  return vector;
}

}  // namespace braid::retrieve
