#include "durable/run_bytes.h"

#include <gtest/gtest.h>

namespace braid::serve {
namespace {

EmbeddingRun a_run(bool grid) {
  EmbeddingRun run;
  auto rows = std::make_shared<Matrix>(3, 4);
  for (std::size_t i = 0; i < rows->values.size(); ++i) rows->values[i] = static_cast<float>(i) / 3;
  run.rows = rows;
  run.positions = grid ? 2 : 3;
  run.indivisible = grid;
  if (grid) run.grid = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}};
  return run;
}

TEST(RunBytes, EmbeddingsComeBackToTheBit) {
  for (const bool grid : {false, true}) {
    const EmbeddingRun run = a_run(grid);
    const auto back = parse_run(to_bytes(run));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->rows->rows, 3U);
    EXPECT_EQ(back->rows->columns, 4U);
    EXPECT_EQ(back->rows->values, run.rows->values);
    EXPECT_EQ(back->positions, run.positions);
    EXPECT_EQ(back->indivisible, grid);
    ASSERT_EQ(back->grid.size(), run.grid.size());
    if (grid) {
      EXPECT_EQ(back->grid[1].x, 1);
    }
  }
}

TEST(RunBytes, WhatHasAnotherLengthIsRefused) {
  const std::string bytes = to_bytes(a_run(true));
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(parse_run(bytes.substr(0, length)));
  EXPECT_FALSE(parse_run(bytes + "x"));
  std::string huge = bytes;
  for (std::size_t i = 0; i < 8; ++i) huge[i] = '\xff';  // rows and columns
  EXPECT_FALSE(parse_run(huge));
}

}  // namespace
}  // namespace braid::serve
