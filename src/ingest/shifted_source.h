#pragma once
// A source whose times are off by a known amount, put right.

#include <memory>

#include "braid/ingest/source.h"

namespace braid::ingest {

/// Adds `shift` to all times. What then lies before the session's start is left out; of sound that begins
/// before it, the part before.
std::unique_ptr<Source> shift_source(std::unique_ptr<Source> source, Nanoseconds shift);

}  // namespace braid::ingest
