#include "braid/deliver/finish.h"

#include <cassert>

namespace braid::deliver {

namespace {

Verdict judge(const Answer& answer, Nanoseconds wall) {
  if (answer.verdict == Verdict::kShed || answer.finish == FinishReason::kShed) return Verdict::kShed;
  if (!answer.deadline || answer.finish == FinishReason::kCancelled) return Verdict::kNone;
  const bool met = answer.finish != FinishReason::kError && wall <= *answer.deadline;
  return met ? Verdict::kMet : Verdict::kLate;
}

}  // namespace

void finish_answer(Answer& answer, SteadyTime delivered) {
  const Nanoseconds wall = delivered - answer.asked;
  assert(wall >= Nanoseconds::zero() && delivered >= answer.last_token);
  assert(!answer.first_token || *answer.first_token >= answer.asked);
  answer.stages[Stage::kDeliver] += delivered - answer.last_token;
  answer.stages[Stage::kUnattributed] += wall - answer.stages.sum();
  answer.verdict = judge(answer, wall);
}

}  // namespace braid::deliver
