#include "batch.h"

#include <algorithm>

namespace braid::engine::llama {

Batch::Batch(int max_rows, int width, int axes)
    : width_(width),
      axes_(axes),
      tokens_(max_rows),
      embeddings_(static_cast<std::size_t>(max_rows) * width),
      time_(max_rows),
      y_(max_rows),
      x_(max_rows),
      axis_positions_(static_cast<std::size_t>(max_rows) * axes),
      sequences_(max_rows),
      sequence_of_(max_rows),
      sequence_counts_(max_rows, 1),
      wants_logits_(max_rows) {
  for (int i = 0; i < max_rows; ++i) sequence_of_[i] = &sequences_[i];
}

void Batch::add(const Row& row) {
  time_[rows_] = row.position;
  y_[rows_] = row.y;
  x_[rows_] = row.x;
  sequences_[rows_] = static_cast<llama_seq_id>(row.sequence.value);
  wants_logits_[rows_] = row.wants_logits;
  ++rows_;
}

void Batch::add_token(const Row& row) {
  tokens_[rows_] = row.token;
  add(row);
}

float* Batch::add_embedding(const Row& row) {
  float* embedding = embeddings_.data() + static_cast<std::size_t>(rows_) * width_;
  add(row);
  return embedding;
}

llama_batch Batch::tokens() { return view(tokens_.data(), nullptr, time_.data()); }

llama_batch Batch::embeddings() {
  if (axes_ == 1) return view(nullptr, embeddings_.data(), time_.data());
  // Axes are time, y, x and one that M-RoPE leaves at 0.
  auto axis = axis_positions_.begin();
  for (const auto* values : {&time_, &y_, &x_}) axis = std::copy_n(values->begin(), rows_, axis);
  std::fill_n(axis, static_cast<std::ptrdiff_t>(rows_) * (axes_ - 3), 0);
  return view(nullptr, embeddings_.data(), axis_positions_.data());
}

llama_batch Batch::view(llama_token* tokens, float* embeddings, llama_pos* positions) {
  return {.n_tokens = rows_,
          .token = tokens,
          .embd = embeddings,
          .pos = positions,
          .n_seq_id = sequence_counts_.data(),
          .seq_id = sequence_of_.data(),
          .logits = wants_logits_.data()};
}

}  // namespace braid::engine::llama
