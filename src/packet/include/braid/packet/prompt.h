#pragma once
// What the model reads: runs of tokens and of embedding rows.

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "braid/base/ids.h"
#include "braid/base/time.h"
#include "braid/packet/packet.h"
#include "braid/tensor/matrix.h"

namespace braid {

using Token = std::int32_t;
using Position = std::int32_t;

/// Where a row of a medium lies, relative to the medium's first position. Used by M-RoPE models alone.
struct GridPosition {
  std::int32_t t = 0, y = 0, x = 0;
};

/// One encoded medium, or the part of it that was kept.
struct EmbeddingRun {
  std::shared_ptr<const Matrix> rows;  ///< [n_rows, model dim] f32
  std::vector<GridPosition> grid;      ///< [n_rows], or empty: row i is at position i
  int positions = 0;                   ///< how many positions it advances the sequence; n_rows without a grid
  bool indivisible = false;            ///< must be in one step of its own (non-causal attention inside)
};

using TokenRun = std::vector<Token>;
using Piece = std::variant<TokenRun, EmbeddingRun>;

/// Prompt pieces in order.
struct Prompt {
  std::vector<Piece> pieces;

  int rows() const;           ///< KV cells it takes
  int positions() const;      ///< positions it advances
  std::size_t bytes() const;  ///< of its tokens and embedding rows
  void append(TokenRun tokens);
  void append(const Prompt& other);
};

/// A perceived frame, utterance, line or reading, ready to be prefilled. Kept, with its embeddings, as long
/// as it is in the window, so that a timeline can be rebuilt.
struct Chunk {
  ChunkId id;
  Modality modality = Modality::kText;
  SourceId source;
  SessionTime start;
  SessionTime end;            ///< chunks are ordered by it
  Prompt prompt;              ///< its time as text, then the content
  Nanoseconds error_bound{};  ///< of start and end
};

}  // namespace braid
