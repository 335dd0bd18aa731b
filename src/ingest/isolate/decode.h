#pragma once
// What a worker does: decodes the input that it was handed, and sends what comes of it.

#include "isolate/guard.h"
#include "isolate/wire.h"

namespace braid::ingest::isolate {

/// To the end of the input, of the asker or of patience. The exit code.
int decode_input(const Open& asked, const OpenSource& open, bool has_spool, bool own_namespaces);

}  // namespace braid::ingest::isolate
