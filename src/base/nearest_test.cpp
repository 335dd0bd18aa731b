#include "braid/base/nearest.h"

#include <gtest/gtest.h>

#include <array>

namespace braid {
namespace {

constexpr std::array<std::string_view, 2> kNames = {"port", "address"};

TEST(Nearest, TheFewestChangesWin) {
  EXPECT_EQ(nearest("adress", kNames), "address");
  EXPECT_EQ(nearest("zzz", kNames), "");
  EXPECT_EQ(nearest("", kNames), "");
}

TEST(Nearest, ASwapOfNeighboursIsOneChange) {
  constexpr std::array<std::string_view, 2> kFlags = {"fps", "ask"};
  EXPECT_EQ(nearest("aks", kFlags), "ask");
}

TEST(Nearest, WhatNobodyCouldMeanIsNotCompared) {
  const std::string long_name(65, 'a');
  const std::array<std::string_view, 1> same = {long_name};
  EXPECT_EQ(nearest(long_name, same), "");
}

TEST(Nearest, TheCureIsANameOrAllOfThem) {
  EXPECT_EQ(did_you_mean("adress", kNames), "did you mean 'address'?");
  EXPECT_EQ(did_you_mean("zzz", kNames), "there are port, address");
}

}  // namespace
}  // namespace braid
