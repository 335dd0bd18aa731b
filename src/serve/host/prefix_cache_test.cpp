#include "host/prefix_cache.h"

#include <gtest/gtest.h>

#include <random>

namespace braid::serve {
namespace {

std::shared_ptr<const Matrix> media(int rows) {
  auto matrix = std::make_shared<Matrix>();
  matrix->rows = static_cast<std::size_t>(rows);
  return matrix;
}

EmbeddingRun run(std::shared_ptr<const Matrix> rows) {
  EmbeddingRun run;
  run.positions = static_cast<int>(rows->rows);
  run.rows = std::move(rows);
  return run;
}

Prompt text(TokenRun tokens) {
  Prompt prompt;
  prompt.append(std::move(tokens));
  return prompt;
}

TEST(SharedRowsTest, EndsAtTheFirstDifferenceAndBeforeTheBound) {
  EXPECT_EQ(shared_rows(text({1, 2, 3}), text({1, 2, 4}), 99).rows, 2);
  EXPECT_EQ(shared_rows(text({1, 2, 3}), text({1, 2, 3, 4}), 99).rows, 3);
  EXPECT_EQ(shared_rows(text({1, 2, 3}), text({1, 2, 3}), 2).rows, 2);
  EXPECT_EQ(shared_rows(text({1}), {}, 99).rows, 0);
}

TEST(SharedRowsTest, MediaAreSharedWholeAndByTheirVeryEmbeddings) {
  const auto picture = media(4);
  Prompt a = text({1, 2});
  a.pieces.emplace_back(run(picture));
  a.append({3, 4});
  Prompt b = text({1, 2});
  b.pieces.emplace_back(run(picture));
  b.append({3, 5});
  EXPECT_EQ(shared_rows(a, b, 99).rows, 7);
  EXPECT_EQ(shared_rows(a, b, 5).rows, 2);
  Prompt other = text({1, 2});
  other.pieces.emplace_back(run(media(4)));
  EXPECT_EQ(shared_rows(a, other, 99).rows, 2);
}

TEST(SharedRowsTest, WithoutThemIsTheRest) {
  std::mt19937 random(7);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const std::vector<std::shared_ptr<const Matrix>> pictures = {media(3), media(5)};
  const auto any = [&] {
    Prompt prompt;
    for (int i = 0; i < 6; ++i) {
      if (below(2) != 0)
        prompt.append({below(3), below(3)});
      else
        prompt.pieces.emplace_back(run(pictures[static_cast<std::size_t>(below(2))]));
    }
    return prompt;
  };
  for (int i = 0; i < 2000; ++i) {
    const Prompt a = any(), b = any();
    const SharedRows shared = shared_rows(a, b, a.rows() - 1);
    EXPECT_EQ(shared.rows, shared_rows(b, a, a.rows() - 1).rows);
    EXPECT_LT(shared.rows, a.rows());
    EXPECT_EQ(without_first(a, shared.rows).rows(), a.rows() - shared.rows);
    EXPECT_EQ(shared_rows(a, a, 1000).rows, a.rows());
  }
}

}  // namespace
}  // namespace braid::serve
