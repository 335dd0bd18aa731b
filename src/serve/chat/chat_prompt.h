#pragma once
// A request's messages to what the model reads.

#include <memory>
#include <string>
#include <vector>

#include "braid/engine/engine.h"
#include "braid/openai/chat_request.h"
#include "braid/packet/question.h"
#include "chat/media_prompts.h"

namespace braid::serve {

struct ChatPrompt {
  Prompt prompt;
  engine::RenderedChat chat;  ///< its prompt text is used up
  MediaTimes times;
  int image_rows = 0, audio_rows = 0;
};

/// What the client said, over the server's defaults.
Sampling sampling_of(const openai::SamplingParams& params);

/// One user turn: a medium, a line break, a question. Errors of the template.
Result<ChatPrompt> make_media_question(const Prompt& medium, const std::string& question,
                                       const engine::Tokenizer& tokenizer);

/// Media are decoded and encoded on this thread: blocks. Template text may hold control tokens, the client's
/// texts never do. Errors of the media and of the template; kUnsupported: a URL that isn't a data URI.
Result<ChatPrompt> make_chat_prompt(const openai::ChatRequest& request, const engine::Tokenizer& tokenizer,
                                    MediaPrompts& media);

}  // namespace braid::serve
