#pragma once
// A chat request to a prompt, by a template.

#include "braid/engine/chat.h"
#include "chat_grammar.h"
#include "chat_template.h"

namespace braid::engine::llama {

/// As Tokenizer::render(). `vocabulary` is asked where an answer is to be bound. Any thread.
Result<RenderedChat> render_chat(const ChatTemplate& chat, const VocabularySource& vocabulary,
                                 const ChatInput& input);

}  // namespace braid::engine::llama
