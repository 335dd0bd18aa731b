#pragma once
// What a chat request may hold, before a template sees it.

#include "braid/engine/chat.h"
#include "chat_template.h"

namespace braid::engine::llama {

/// kBadInput, kLimit or kUnsupported, as Tokenizer::render() says. `tools`: they are to be offered.
Status check_chat(const ChatTemplate& chat, const ChatInput& input, bool tools);

}  // namespace braid::engine::llama
