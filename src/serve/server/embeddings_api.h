#pragma once
// POST /v1/embeddings.

#include "braid/net/router.h"
#include "memory/text_embedder.h"
#include "server/workers.h"

namespace braid::serve {

/// What the route uses; outlives the router.
struct EmbeddingsApiParts {
  TextModelSlot& embedder;
  Workers& workers;
  Clock& clock;
};

/// By the model that memories are searched with, in pieces, so that their searches come in between.
void add_embeddings_route(net::Router& router, const EmbeddingsApiParts& parts);

}  // namespace braid::serve
