#include "batch.h"

#include <gtest/gtest.h>

namespace braid::engine::llama {
namespace {

Row row(int sequence, Position t, int y, int x) {
  return {
      .sequence = SequenceId{sequence}, .position = t, .y = y, .x = x, .token = 7, .wants_logits = t == 5};
}

TEST(Batch, PositionsOfEmbeddingRowsLieAxisByAxis) {
  Batch batch(4, 2, 4);
  batch.add_embedding(row(0, 5, 6, 7));
  batch.add_embedding(row(1, 9, 10, 11));
  const llama_batch view = batch.embeddings();
  ASSERT_EQ(view.n_tokens, 2);
  const std::vector<llama_pos> positions(view.pos, view.pos + 8);
  EXPECT_EQ(positions, (std::vector<llama_pos>{5, 9, 6, 10, 7, 11, 0, 0}));
  EXPECT_EQ(view.token, nullptr);
  EXPECT_EQ(view.seq_id[1][0], 1);
  EXPECT_TRUE(view.logits[0]);
  EXPECT_FALSE(view.logits[1]);
}

TEST(Batch, TokenRowsHaveOnePositionAndReuseTheArrays) {
  Batch batch(4, 2, 4);
  batch.add_token(row(0, 5, 6, 7));
  const llama_token* first = batch.tokens().token;
  batch.clear();
  batch.add_token(row(2, 3, 0, 0));
  const llama_batch view = batch.tokens();
  EXPECT_EQ(view.token, first);
  EXPECT_EQ(view.n_tokens, 1);
  EXPECT_EQ(view.pos[0], 3);
  EXPECT_EQ(view.seq_id[0][0], 2);
  EXPECT_EQ(view.embd, nullptr);
}

}  // namespace
}  // namespace braid::engine::llama
