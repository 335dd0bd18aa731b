#include "braid/base/nearest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace braid {

namespace {

constexpr std::size_t kMaxText = 64;  // bytes; a client's may have millions

std::size_t distance(std::string_view a, std::string_view b) {
  // From the first i of `a` to the first j of `b`; the rows of i - 1 and i - 2 beside it.
  std::vector<std::size_t> row(b.size() + 1), above(b.size() + 1), upper(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(upper, above);
    std::swap(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], upper[j - 2] + 1);
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
