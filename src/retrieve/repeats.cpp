#include "repeats.h"

#include <algorithm>
#include <numeric>

namespace braid::retrieve {

std::optional<std::int64_t> Repeats::repeated(const Record& record, std::span<const float> vector) {
  if (record.kind != RecordKind::kVision) return std::nullopt;
  std::deque<Seen>& seen = by_source_[{record.session, record.source}];
  for (auto one = seen.rbegin(); one != seen.rend(); ++one) {
    const bool goes_on = record.start >= one->end && record.start - one->end <= kGap;
    if (!goes_on || one->vector.size() != vector.size()) continue;
    if (std::inner_product(vector.begin(), vector.end(), one->vector.begin(), 0.F) < kLikeness) continue;
    one->end = std::max(one->end, record.end);
    return one->id;
  }
  seen.push_back({record.id, record.end, {vector.begin(), vector.end()}});
  if (seen.size() > kLast) seen.pop_front();
  // Sources that come and go without end; which of them is forgotten doesn't matter.
  if (by_source_.size() > kSources) by_source_.erase(by_source_.begin());
  return std::nullopt;
}

}  // namespace braid::retrieve
