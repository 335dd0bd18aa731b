#pragma once
// Pictures for benchmarks, as frames.

#include <string>
#include <vector>

#include "braid/packet/packet.h"
#include "braid/tensor/slot_pool.h"

namespace braid::bench {

/// The pictures of a folder, `0.ppm`, `1.ppm` … (binary P6, 8 bits), until one is missing. kBadInput: none,
/// or not one size. Each keeps its own slot, so frames of it cost nothing to make.
Result<std::vector<Frame>> read_pictures(const std::string& folder);

/// Pictures that all differ for the novelty filter: coloured blocks from a seed.
std::vector<Frame> draw_pictures(int count, int width, int height);

}  // namespace braid::bench
