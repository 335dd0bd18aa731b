#pragma once
// The messages of a chat request.

#include "braid/openai/chat_request.h"
#include "field_reader.h"

namespace braid::openai {

/// Reads `array`, the request's messages. Failures stay in `reader`.
std::vector<Message> read_messages(FieldReader& reader, JsonIndex array, const ChatLimits& limits);

}  // namespace braid::openai
