#include <algorithm>
#include <cmath>

#include "load.h"

namespace braid::engine::llama {

namespace {

constexpr int kProbeTokens = 6;
constexpr float kTolerance = 1e-3F;  // of the logits' span; measured 0 on a CPU

std::vector<float> last_logits(llama_context* context, const llama_batch& batch, int vocabulary) {
  llama_memory_clear(llama_get_memory(context), false);
  std::vector<float> logits;
  if (llama_decode(context, batch) != 0) return logits;
  const float* values = llama_get_logits_ith(context, batch.n_tokens - 1);
  if (values) logits.assign(values, values + vocabulary);
  return logits;
}

/// The probe's i-th row: tokens spread over the vocabulary, of sequence 0.
Row probe_row(int i, int vocabulary) {
  Row row;
  row.sequence = SequenceId{0};
  row.position = row.y = row.x = i;
  row.token = static_cast<Token>((static_cast<std::int64_t>(vocabulary) * (2 * i + 1)) / (2 * kProbeTokens));
  row.wants_logits = i + 1 == kProbeTokens;
  return row;
}

Batch probe_batch(const llama_model* model) {
  return {kProbeTokens, llama_model_n_embd_inp(model), position_axes(model)};
}

int vocabulary_of(const llama_model* model) { return llama_vocab_n_tokens(llama_model_get_vocab(model)); }

std::vector<float> logits_of_tokens(llama_context* context) {
  const int vocabulary = vocabulary_of(llama_get_model(context));
  Batch batch = probe_batch(llama_get_model(context));
  for (int i = 0; i < kProbeTokens; ++i) batch.add_token(probe_row(i, vocabulary));
  return last_logits(context, batch.tokens(), vocabulary);
}

}  // namespace

int position_axes(const llama_model* model) {
  const llama_rope_type rope = llama_model_rope_type(model);
  return rope == LLAMA_ROPE_TYPE_MROPE || rope == LLAMA_ROPE_TYPE_IMROPE ? 4 : 1;
}

bool repeats_bit_for_bit(llama_context* context) {
  const std::vector<float> once = logits_of_tokens(context);
  const std::vector<float> again = logits_of_tokens(context);
  llama_memory_clear(llama_get_memory(context), false);
  return !once.empty() && once == again;
}

bool tokens_equal_rows(llama_context* context, const TokenTable& table) {
  const int vocabulary = vocabulary_of(llama_get_model(context));
  const std::vector<float> expected = logits_of_tokens(context);
  Batch batch = probe_batch(llama_get_model(context));
  if (table.columns() > batch.width()) return false;

  for (int i = 0; i < kProbeTokens; ++i) {
    const Row row = probe_row(i, vocabulary);
    float* out = batch.add_embedding(row);
    table.row(row.token, out);
    std::fill(out + table.columns(), out + batch.width(), 0.0F);
  }
  const std::vector<float> got = last_logits(context, batch.embeddings(), vocabulary);
  llama_memory_clear(llama_get_memory(context), false);
  if (expected.empty() || got.empty()) return false;

  const auto [low, high] = std::minmax_element(expected.begin(), expected.end());
  float worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) worst = std::max(worst, std::abs(got[i] - expected[i]));
  return worst <= kTolerance * (*high - *low);  // false for NaN too
}

}  // namespace braid::engine::llama
