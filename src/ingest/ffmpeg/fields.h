#pragma once
// Interlaced pictures: two moments woven into one, line by line.

#include "handles.h"

namespace braid::ingest::ffmpeg {

/// Said to be interlaced, and its lines differ from both neighbours where those agree, as edges in motion do:
/// combs. What stands still has none and is best shown woven.
bool is_combed(const AVFrame& frame);

}  // namespace braid::ingest::ffmpeg
