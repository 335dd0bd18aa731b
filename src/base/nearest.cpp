#include "braid/base/nearest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace braid {

namespace {

constexpr std::size_t kMaxText = 64;  // bytes; a client's may have millions

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);  // from the first i of `a` to the first j of `b`
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t exchanged = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, exchanged});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view text, std::span<const std::string_view> candidates) {
  std::string_view best;
  if (text.size() > kMaxText) return best;
  std::size_t least = text.size() / 2 + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t apart = distance(text, candidate);
    if (apart >= least) continue;
    least = apart;
    best = candidate;
  }
  return best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> known) {
  const std::string_view meant = nearest(name, known);
  if (meant.empty()) return fmt::format("there are {}", fmt::join(known, ", "));
  return fmt::format("did you mean '{}'?", meant);
}

}  // namespace braid
