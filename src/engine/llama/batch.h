#pragma once
// The arrays of a llama_batch, allocated once.

#include <vector>

#include "braid/packet/step.h"
#include "handles.h"

namespace braid::engine::llama {

/// Holds rows of one kind: tokens, or embeddings. One thread.
class Batch {
 public:
  /// `width`: floats of an embedding row; `axes`: positions per embedding row (4 under M-RoPE, else 1).
  Batch(int max_rows, int width, int axes);

  void clear() { rows_ = 0; }
  int rows() const { return rows_; }
  int width() const { return width_; }
  void add_token(const Row& row);
  /// Returns where the row's embedding [width] is to be written.
  float* add_embedding(const Row& row);

  llama_batch tokens();
  llama_batch embeddings();

 private:
  void add(const Row& row);
  llama_batch view(llama_token* tokens, float* embeddings, llama_pos* positions);

  int width_;
  int axes_;
  int rows_ = 0;
  std::vector<llama_token> tokens_;         // [max_rows]
  std::vector<float> embeddings_;           // [max_rows, width]
  std::vector<llama_pos> time_, y_, x_;     // [max_rows] each
  std::vector<llama_pos> axis_positions_;   // [axes, rows]: llama.cpp wants them axis by axis
  std::vector<llama_seq_id> sequences_;     // [max_rows]
  std::vector<llama_seq_id*> sequence_of_;  // [max_rows], into sequences_
  std::vector<std::int32_t> sequence_counts_;
  std::vector<std::int8_t> wants_logits_;
};

}  // namespace braid::engine::llama
