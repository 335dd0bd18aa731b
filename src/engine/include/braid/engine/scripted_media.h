#pragma once
// Pictures and sound whose meaning the scripted engine reads back after they went through the whole pipeline.

#include <optional>
#include <string>
#include <string_view>

#include "braid/base/result.h"
#include "braid/packet/packet.h"
#include "braid/tensor/slot_pool.h"

namespace braid::engine {

/// A picture that carries `label` in its first bytes; the rest is a pattern of the label, so that different
/// labels differ for the novelty filter and none looks blank. kLimit: the label is longer than 3 * width - 5
/// bytes or 255. kFull: no slot, or the pool's slots are smaller than 3 * width * height.
Result<Frame> make_labelled_frame(SlotPool& pool, std::string_view label, SessionTime captured,
                                  SourceId source, int width = 64, int height = 48);

/// A picture of one colour: nothing to see.
Result<Frame> make_blank_frame(SlotPool& pool, SessionTime captured, SourceId source, int width = 64,
                               int height = 48);

/// A sine tone, loud enough for the energy detector; amplitude 0 makes silence.
AudioBlock make_tone(SessionTime start, Nanoseconds duration, SourceId source, double hz = 440.0,
                     float amplitude = 0.3F);

/// The label a picture carries, if it carries one.
std::optional<std::string> label_of(const Frame& frame);

}  // namespace braid::engine
