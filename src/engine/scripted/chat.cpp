// Conversations for the scripted engine. A call is written "<call NAME>ARGUMENTS</call>".

#include <algorithm>

#include "scripted/vocabulary.h"

namespace braid::engine::scripted {

namespace {

constexpr std::string_view kCall = "<call ";
constexpr std::string_view kCallEnd = "</call>";

std::string written(const ChatToolCall& call) {
  return std::string(kCall) + call.name + ">" + call.arguments + std::string(kCallEnd);
}

std::string written(const ChatTurn& turn) {
  std::string text = turn.content;
  for (const ChatToolCall& call : turn.tool_calls) text += written(call);
  if (turn.role == "assistant") return "<|answer|>" + text + "<|end|>";
  if (turn.role == "user" || turn.role == "tool") return "<|user|>" + text + "<|end|>";
  return text + "\n";
}

class CallParser final : public ChatParser {
 public:
  Result<ParsedChat> parse(std::string_view text) const override {
    ParsedChat made;
    while (!text.empty()) {
      const std::size_t begin = text.find(kCall);
      made.content += text.substr(0, begin);
      if (begin == std::string_view::npos) break;
      text.remove_prefix(begin + kCall.size());
      const std::size_t name = text.find('>');
      const std::size_t end = text.find(kCallEnd);
      if (name == std::string_view::npos || end == std::string_view::npos || end < name)
        return fail(ErrorCode::kBadInput, "a call in the answer has no end; more tokens may complete it");
      made.tool_calls.push_back({.id = "",
                                 .name = std::string(text.substr(0, name)),
                                 .arguments = std::string(text.substr(name + 1, end - name - 1))});
      text.remove_prefix(end + kCallEnd.size());
    }
    return made;
  }
};

}  // namespace

Result<RenderedChat> Vocabulary::render(const ChatInput& input) const {
  if (input.turns.empty())
    return fail(ErrorCode::kBadInput, "a conversation of 0 turns; at least one is needed");
  RenderedChat made;
  made.prompt = "<|begin|>";
  for (const ChatTurn& turn : input.turns) made.prompt += written(turn);
  made.prompt += "<|answer|>";
  if (!input.tools.empty() && input.tool_choice != "none") made.parser = std::make_shared<CallParser>();
  return made;
}

}  // namespace braid::engine::scripted
