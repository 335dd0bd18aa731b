#pragma once
// A session's answer in the words of the protocols.

#include "braid/openai/chat_response.h"
#include "braid/packet/question.h"

namespace braid::serve {

openai::Finish finish_of(FinishReason reason);

/// Of an answer that has been delivered: its stages sum to its wall time.
openai::Account account_of(const Answer& answer);

}  // namespace braid::serve
