#pragma once
// What lies around a record: the memory as a graph, whose edges are times and links.

#include <cstdint>

#include "braid/retrieve/record.h"

namespace braid::retrieve {

/// How a record lies to the one that it was found from. Wire names: before, after, overlaps, caused_by (it
/// caused that one), causes, belongs_to (that one belongs to it), has.
enum class Edge : std::uint8_t { kBefore, kAfter, kOverlaps, kCausedBy, kCauses, kBelongsTo, kHas };
inline constexpr std::size_t kEdges = 7;
const char* to_string(Edge edge);

struct Neighbour {
  Record record;
  Edge edge = Edge::kOverlaps;
  std::int64_t from = 0;  ///< the record that it was found from
  int hops = 1;           ///< from the one that was asked about
  Nanoseconds gap{};      ///< between the two; 0: they touch or overlap
  bool same_source = false;
  bool same_session = false;
};

struct AroundQuery {
  Nanoseconds reach = std::chrono::minutes(10);  ///< on either side, of each hop; links reach farther
  int hops = 1;                                  ///< 1 or 2
  int limit = 10;                                ///< for each edge of a record, and four times as many in all
};

inline constexpr int kMaxHops = 2;
inline constexpr int kMaxNeighbours = 100;  ///< of limit

}  // namespace braid::retrieve
