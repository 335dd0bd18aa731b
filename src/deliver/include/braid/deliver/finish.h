#pragma once
// The last stage of an answer's account.

#include "braid/packet/question.h"

namespace braid::deliver {

/// The answer's last byte went out at `delivered`: adds kDeliver (since the last token) and kUnattributed
/// (what nobody claimed), so that the stages' sum is the wall time, and sets the verdict. With a deadline, a
/// complete answer is met or late, a failed one late, a cancelled one none; kShed stays. Pure.
void finish_answer(Answer& answer, SteadyTime delivered);

}  // namespace braid::deliver
