#pragma once
// What a chat request may hold, before a template sees it.

#include "braid/engine/chat.h"
#include "chat_template.h"

namespace braid::engine::llama {

/// kBadInput or kUnsupported, as Tokenizer::render() says.
Status check_turns(const ChatTemplate& chat, const std::vector<ChatTurn>& turns);

/// The tools to offer, their schemas as check_schema() writes them: all, or the one that `tool_choice` names;
/// none where it says so. kBadInput, kLimit or kUnsupported, as Tokenizer::render() says.
Result<std::vector<common_chat_tool>> check_tools(const ChatTemplate& chat, const ChatInput& input);

}  // namespace braid::engine::llama
