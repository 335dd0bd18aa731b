#pragma once
// A chat request to a prompt, by a template.

#include "braid/engine/chat.h"
#include "chat_template.h"

namespace braid::engine::llama {

/// As Tokenizer::render(). Any thread.
Result<RenderedChat> render_chat(const ChatTemplate& chat, const ChatInput& input);

}  // namespace braid::engine::llama
