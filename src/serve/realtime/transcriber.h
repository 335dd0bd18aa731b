#pragma once
// The words of an utterance, asked of the model beside the session's answers.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "braid/openai/chat_response.h"
#include "chat/chat_service.h"
#include "chat/media_prompts.h"

namespace braid::serve {

/// All outlive the work.
struct TranscriberParts {
  ChatService& chats;
  MediaPrompts& media;
  const engine::Tokenizer& tokenizer;
  Clock& clock;
};

struct Transcribed {
  std::string text;  ///< empty: nobody spoke
  openai::Usage usage;
};

/// `samples`: of 16 kHz, -1..1. `then` is called once, on the engine's thread or a chat worker's, or here; it
/// must not block. Cancelled: `then` gets kCancelled.
void transcribe(TranscriberParts parts, const std::vector<float>& samples, std::shared_ptr<ChatCancel> cancel,
                std::function<void(Result<Transcribed>)> then);

}  // namespace braid::serve
