#pragma once
// Braid's account of an answer, as members of the object that is open.

#include "braid/openai/chat_response.h"
#include "json_out.h"

namespace braid::openai {

/// ttft_ms, wall_ms, freshness_ms, stages_ms, verdict, degraded, deadline_ms, window, evidence
/// (docs/json.md).
void append_account(JsonOut& out, const Account& account);

}  // namespace braid::openai
