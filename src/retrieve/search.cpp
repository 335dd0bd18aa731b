#include "braid/retrieve/search.h"

#include <algorithm>

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

bool Found::degraded() const {
  return std::any_of(parts.begin(), parts.end(),
                     [](const SearchPart& part) { return part.verdict == PartVerdict::kLate; });
}

}  // namespace braid::retrieve
