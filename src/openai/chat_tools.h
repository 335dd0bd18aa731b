#pragma once
// What a chat request says of tools and of the answer's form.

#include "braid/openai/chat_request.h"
#include "field_reader.h"

namespace braid::openai {

/// Tools and tool_choice of the request `root`. Failures stay in `reader`.
void read_tools(FieldReader& reader, JsonIndex root, const ChatLimits& limits, ChatRequest& request);

/// response_format of the request `root`.
void read_response_format(FieldReader& reader, JsonIndex root, const ChatLimits& limits,
                          ChatRequest& request);

}  // namespace braid::openai
