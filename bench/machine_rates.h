#pragma once
// What the machine could do at best: the limits that decode and prefill are held against.

#include "braid/base/clock.h"

namespace braid::bench {

/// Bytes a second that `threads` threads read from memory, arrays far beyond the caches, best of several
/// passes: as STREAM (McCalpin 1995) measures, but reading alone, as decode does.
double memory_read_rate(Clock& clock, int threads);

/// Operations a second of ggml's own Q8_0 matrix product (2048 x 2048 by 512 rows), best of several; the
/// layout of the weights that is fastest here.
double matrix_rate(Clock& clock, int threads);

}  // namespace braid::bench
