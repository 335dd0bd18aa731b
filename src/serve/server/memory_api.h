#pragma once
// POST /v1/memory/search.

#include "braid/net/router.h"
#include "memory/memories.h"
#include "server/workers.h"

namespace braid::serve {

/// What the route uses; outlives the router.
struct MemoryApiParts {
  Memories* memories;  ///< null: nothing is remembered
  Workers& workers;
};

/// Finds what sessions of the request's key left, and nothing else.
void add_memory_route(net::Router& router, const MemoryApiParts& parts);

}  // namespace braid::serve
