#pragma once
// What is asked of a memory and what it says.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "braid/retrieve/asked_event.h"
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
  /// Told by another event, which is looked up first: its time gives the range, instead of the filter's.
  /// Where there is no such record the filter's stays, cut to when the event is said to have been, and the
  /// event's words are looked for too.
  std::optional<AskedEvent> event = {};
  int limit = 10;  ///< hits, 1 to kMaxHits
  /// Each part of the search may take so long; what isn't there by then is left out, and said.
  Nanoseconds deadline = Milliseconds(500);
};

/// Takes the event or the time that its text names out of it, as find_asked_event() and else
/// find_asked_time() read them, and searches there. Pure.
void take_asked_time(SearchQuery& query, const calendar::Asker& asker);

inline constexpr int kMaxHits = 1000;
inline constexpr std::size_t kMaxQueryText = 4096;  ///< bytes

/// What each part of the search adds to a hit's score.
struct HitShares {
  double text = 0, vectors = 0, recency = 0;
  double graph = 0;  ///< how near it is to the event that was asked by
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
  const char* name = "";  ///< "text", "vectors", "recency"; with an event also "event" and "graph"
  PartVerdict verdict = PartVerdict::kUnused;
  int candidates = 0;
  Nanoseconds took{};
};

/// The event that gave a search its range.
struct RelativeTo {
  AskedEvent asked;
  std::optional<Record> record = std::nullopt;  ///< none: there is none that fits
};

struct Found {
  std::vector<Hit> hits;                               ///< best first
  UtcTime from = UtcTime::min(), to = UtcTime::max();  ///< the range that was searched
  std::optional<RelativeTo> relative_to = std::nullopt;
  std::vector<SearchPart> parts;
  /// A part came late: the hits are those of the others.
  bool degraded() const;
};

}  // namespace braid::retrieve
