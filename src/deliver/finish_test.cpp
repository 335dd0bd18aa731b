#include "braid/deliver/finish.h"

#include <gtest/gtest.h>

namespace braid::deliver {
namespace {

SteadyTime at_ms(int ms) { return SteadyTime(Milliseconds(ms)); }

Answer answer_until(int last_token_ms) {
  Answer answer;
  answer.asked = at_ms(100);
  answer.last_token = at_ms(last_token_ms);
  answer.stages[Stage::kSchedule] = Milliseconds(5);
  answer.stages[Stage::kDecode] = Milliseconds(40);
  return answer;
}

TEST(FinishTest, DeliverRunsFromLastTokenAndTheRestIsUnattributed) {
  Answer answer = answer_until(150);
  finish_answer(answer, at_ms(157));
  EXPECT_EQ(answer.stages[Stage::kDeliver], Milliseconds(7));
  EXPECT_EQ(answer.stages[Stage::kUnattributed], Milliseconds(5));
  EXPECT_EQ(answer.stages.sum(), Milliseconds(57));
}

TEST(FinishTest, TimeClaimedTwiceShowsAsNegativeSoThatTheSumStaysRight) {
  Answer answer = answer_until(120);
  finish_answer(answer, at_ms(120));
  EXPECT_EQ(answer.stages[Stage::kUnattributed], Milliseconds(-25));
  EXPECT_EQ(answer.stages.sum(), Milliseconds(20));
}

struct Case {
  FinishReason finish;
  std::optional<Nanoseconds> deadline;
  Verdict verdict;
};

class VerdictTest : public testing::TestWithParam<Case> {};

TEST_P(VerdictTest, FollowsFromDeadlineAndEnd) {
  Answer answer = answer_until(150);
  answer.finish = GetParam().finish;
  answer.deadline = GetParam().deadline;
  finish_answer(answer, at_ms(150));
  EXPECT_EQ(answer.verdict, GetParam().verdict);
}

INSTANTIATE_TEST_SUITE_P(All, VerdictTest,
                         testing::Values(Case{FinishReason::kStop, std::nullopt, Verdict::kNone},
                                         Case{FinishReason::kStop, Milliseconds(50), Verdict::kMet},
                                         Case{FinishReason::kLength, Milliseconds(49), Verdict::kLate},
                                         Case{FinishReason::kError, Milliseconds(500), Verdict::kLate},
                                         Case{FinishReason::kCancelled, Milliseconds(10), Verdict::kNone},
                                         Case{FinishReason::kShed, Milliseconds(500), Verdict::kShed}));

}  // namespace
}  // namespace braid::deliver
