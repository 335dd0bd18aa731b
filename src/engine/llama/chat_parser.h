#pragma once
// Answers with calls, read by llama-common's parsers.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "braid/engine/chat.h"
#include "handles.h"

namespace braid::engine::llama {

/// The reader of what this template makes the model write. Any thread.
Result<std::shared_ptr<const ChatParser>> make_chat_parser(const common_chat_params& params);

/// The control tokens among these texts, with the text.
std::vector<std::pair<Token, std::string>> marks_of(const llama_vocab* vocab,
                                                    const std::vector<std::string>& texts);

}  // namespace braid::engine::llama
