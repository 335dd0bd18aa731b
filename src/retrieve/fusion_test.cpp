#include "fusion.h"

#include <gmock/gmock.h>

#include "query_words.h"

namespace braid::retrieve {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Fusion, WhatTwoRankingsAgreeOnComesFirst) {
  const auto fused = fuse({{.ids = {1, 2, 3}}, {.ids = {4, 3}}});
  ASSERT_EQ(fused.size(), 4U);
  EXPECT_EQ(fused[0].first, 3);
  EXPECT_DOUBLE_EQ(fused[0].second, 1.0 / 63 + 1.0 / 62);
  EXPECT_EQ(fused[1].first, 4);  // as good as 1, and newer
}

TEST(Fusion, AWeightCountsFewerOfARankingsRanks) {
  EXPECT_EQ(fuse({{.ids = {1, 2}}, {.ids = {2, 1}, .weight = 0.1}}).front().first, 1);
}

TEST(Fusion, NeighboursThatScoreTheSameShareARank) {
  const auto fused = fuse({{.ids = {1, 2, 3}, .scores = {5, 5, 4}}});
  EXPECT_DOUBLE_EQ(fused[0].second, 1.0 / 61);
  EXPECT_DOUBLE_EQ(fused[1].second, 1.0 / 61);
  EXPECT_DOUBLE_EQ(fused[2].second, 1.0 / 63);
}

TEST(QueryWords, AreLowerCaseOnceAndWithoutFunctionWords) {
  EXPECT_THAT(query_words("When did the Weld-Alarm of press_1 start, the ALARM?"),
              ElementsAre("weld", "alarm", "press", "1", "start"));
  EXPECT_THAT(query_words("Türen öffnen"), ElementsAre("türen", "öffnen"));
}

TEST(QueryWords, FunctionWordsCountWhereThereIsNothingElse) {
  EXPECT_THAT(query_words("Who is it?"), ElementsAre("who", "is", "it"));
  EXPECT_THAT(query_words(" ?!"), IsEmpty());
}

TEST(QueryWords, AreBounded) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "word" + std::to_string(i) + ' ';
  EXPECT_EQ(query_words(text).size(), kMaxQueryWords);
}

}  // namespace
}  // namespace braid::retrieve
