#pragma once
// Records and searches of a memory as JSON objects; docs/json.md is the schema.

#include <boost/json/object.hpp>

#include "braid/retrieve/memory.h"

namespace braid::serve {

boost::json::object record_json(const retrieve::Record& record);
/// A record with its place and score.
boost::json::object hit_json(const retrieve::Hit& hit, std::size_t rank);
/// What of a search isn't a hit: its range and how its parts fared.
boost::json::object search_json(const retrieve::Found& found);
/// A record with how it lies to the one it was found from.
boost::json::object neighbour_json(const retrieve::Neighbour& one);
boost::json::object stats_json(const retrieve::MemoryStats& stats);

/// "2026-11-29T10:02:03Z" to "…/2026-11-29T10:02:05.5Z": how a record is cited.
std::string citation(const retrieve::Record& record);
/// "report.pdf, page 3": its source, and where in it.
std::string cited_source(const retrieve::Record& record);

}  // namespace braid::serve
