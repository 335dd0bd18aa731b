#include "braid/sync/stamp_fusion.h"

#include <gtest/gtest.h>

namespace braid::sync {
namespace {

using Stamps = std::array<std::optional<SessionTime>, 3>;

SessionTime ms(std::int64_t t) { return SessionTime(Milliseconds(t)); }

TEST(StampFusion, OneOfThreeMayBeWrongByAnything) {
  StampFusion fusion(Milliseconds(5));
  EXPECT_EQ(fusion.fuse(Stamps{ms(100), ms(103), ms(101)}), ms(101));
  EXPECT_EQ(fusion.fuse(Stamps{ms(100), ms(103), SessionTime::max()}), ms(103));
  EXPECT_EQ(fusion.fuse(Stamps{SessionTime::min(), ms(103), ms(101)}), ms(101));
  EXPECT_EQ(fusion.fuse(Stamps{ms(-9000), ms(103), ms(101)}), ms(101));
  EXPECT_EQ(fusion.outliers(), (std::array<std::uint64_t, 3>{2, 0, 1}));
}

TEST(StampFusion, WithFewerTheEarliestCounts) {
  StampFusion fusion(Milliseconds(5));
  EXPECT_EQ(fusion.fuse(Stamps{std::nullopt, ms(103), ms(101)}), ms(101));
  EXPECT_EQ(fusion.fuse(Stamps{std::nullopt, std::nullopt, ms(7)}), ms(7));
  EXPECT_EQ(fusion.fuse(Stamps{}), std::nullopt);
  EXPECT_EQ(fusion.fuse({}), std::nullopt);
  EXPECT_EQ(fusion.outliers(), (std::array<std::uint64_t, 3>{0, 0, 0}));
}

}  // namespace
}  // namespace braid::sync
