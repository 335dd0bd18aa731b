#pragma once
// `braid memory search --server URL`: what a server's memory has.

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "cli/memory_flags.h"

namespace braid::serve {

/// A server's answer: what of it isn't a hit, as `braid memory search --json` ends, and the hits.
struct ServerFound {
  boost::json::object search;
  boost::json::array hits;
};

/// Blocks. The server's own words where it refuses; kBadInput: no answer of Braid's; the errors of
/// net::Client.
Result<ServerFound> search_server(const MemoryFlags& flags);

}  // namespace braid::serve
