#include "braid/retrieve/search.h"

#include <algorithm>
#include <utility>

#include "braid/retrieve/asked_time.h"

namespace braid::retrieve {

const char* to_string(PartVerdict verdict) {
  switch (verdict) {
    case PartVerdict::kMet:
      return "met";
    case PartVerdict::kLate:
      return "late";
    case PartVerdict::kUnused:
      return "unused";
  }
  return "unused";
}

void take_asked_time(SearchQuery& query, const calendar::Asker& asker) {
  if (auto event = find_asked_event(query.text, asker)) {
    query.event = std::move(event->event);
    query.text = std::move(event->rest);
    return;
  }
  auto time = find_asked_time(query.text, asker);
  if (!time) return;
  query.filter.from = time->from;
  query.filter.to = time->to;
  query.text = std::move(time->rest);
}

bool Found::degraded() const {
  return std::any_of(parts.begin(), parts.end(),
                     [](const SearchPart& part) { return part.verdict == PartVerdict::kLate; });
}

}  // namespace braid::retrieve
