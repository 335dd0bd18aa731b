#pragma once
// One forward pass: rows of many sequences, and what came of it.

#include <cstdint>
#include <span>
#include <vector>

#include "braid/packet/prompt.h"

namespace braid {

/// Why a row is computed. Counters and the planner's order depend on it, the mathematics doesn't.
enum class RowKind : std::uint8_t {
  kDecode,      ///< the last sampled token of an answer
  kQuestion,    ///< question rows of a fork
  kPerception,  ///< new rows of a timeline
  kRebuild,     ///< rows of the sequence that will replace a timeline
};
inline constexpr std::size_t kRowKinds = 4;

/// Exactly one of token and embedding is set.
struct Row {
  SequenceId sequence;
  Position position = 0;             ///< in the sequence; also the cell's time axis under M-RoPE
  std::int32_t y = 0, x = 0;         ///< the other axes under M-RoPE; equal `position` for text
  Token token = -1;                  ///< -1: embedding
  const float* embedding = nullptr;  ///< [model dim]; alive until the step is done
  bool wants_logits = false;
  RowKind kind = RowKind::kPerception;
};

/// Rows of a sequence stand in order of position. Rows are computed as one pass where the engine can, else as
/// few.
struct StepPlan {
  std::vector<Row> rows;
  bool non_causal = false;  ///< all rows are one indivisible medium

  int count(RowKind kind) const;
};

/// [model vocabulary] f32 for each row that wanted logits, in plan order; valid until the engine's next step.
struct StepResult {
  std::vector<std::span<const float>> logits;
};

}  // namespace braid
