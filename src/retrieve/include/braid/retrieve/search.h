#pragma once
// What is asked of a memory and what it says.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "braid/retrieve/record.h"

namespace braid::retrieve {

/// Which records may be found; empty lists allow all.
struct Filter {
  UtcTime from = UtcTime::min();  ///< records that touch [from, to)
  UtcTime to = UtcTime::max();    ///< max: open
  std::vector<std::string> sources = {};
  std::vector<RecordKind> kinds = {};
};

struct SearchQuery {
  std::string text = {};  ///< words to look for; none: the newest records of the range
  Filter filter = {};
  int limit = 10;  ///< hits, 1 to kMaxHits
  /// Each part of the search may take so long; what isn't there by then is left out, and said.
  Nanoseconds deadline = Milliseconds(500);
};

inline constexpr int kMaxHits = 1000;
inline constexpr std::size_t kMaxQueryText = 4096;  ///< bytes

/// What each part of the search adds to a hit's score.
struct HitShares {
  double text = 0, vectors = 0, recency = 0;
};

struct Hit {
  Record record;
  double score = 0;       ///< fused; comparable within one answer alone
  HitShares shares = {};  ///< whose sum it is
};

/// How a part of the search fared. Wire names: met, late, unused.
enum class PartVerdict : std::uint8_t { kMet, kLate, kUnused };
const char* to_string(PartVerdict verdict);

struct SearchPart {
  const char* name = "";  ///< "text", "vectors", "recency"
  PartVerdict verdict = PartVerdict::kUnused;
  int candidates = 0;
  Nanoseconds took{};
};

struct Found {
  std::vector<Hit> hits;  ///< best first
  std::vector<SearchPart> parts;
  /// A part came late: the hits are those of the others.
  bool degraded() const;
};

}  // namespace braid::retrieve
