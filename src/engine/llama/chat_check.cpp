#include "chat_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "grammar/schema_check.h"
#include "text.h"

namespace braid::engine::llama {

namespace {

constexpr std::array<std::string_view, 5> kRoles = {"system", "developer", "user", "assistant", "tool"};

/// Calls and tools are written by the template, between its own control tokens: they can't be tokenised
/// apart, so they must not hold any.
Status check_outside(const llama_vocab* vocab, const char* what, const std::string& text) {
  TokenRun tokens;
  append_tokens(vocab, text, true, tokens);
  for (const Token token : tokens)
    if (llama_vocab_is_control(vocab, token))
      return fail(ErrorCode::kBadInput,
                  fmt::format("{} holds '{}', a control token of the model; leave it out", what,
                              written_form(vocab, token)));
  return {};
}

/// JSON as a template writes it: escapes may spell a control token.
Status check_json(const llama_vocab* vocab, const char* what, const std::string& text) {
  if (auto ok = check_outside(vocab, what, text); !ok) return ok;
  try {
    const common_json read = common_json::parse(text);
    if (!read.is_object()) return fail(ErrorCode::kBadInput, fmt::format("{} must be a JSON object", what));
    return check_outside(vocab, what, read.dump());
  } catch (const std::exception&) {
    return fail(ErrorCode::kBadInput, fmt::format("{} can't be read as JSON", what));
  }
}

Status first_error(std::initializer_list<Status> checks) {
  for (const Status& check : checks)
    if (!check) return check;
  return {};
}

Status check_turn(const ChatTemplate& chat, const ChatTurn& turn) {
  if (std::find(kRoles.begin(), kRoles.end(), turn.role) == kRoles.end())
    return fail(ErrorCode::kBadInput, fmt::format("a role must be one of {}", fmt::join(kRoles, ", ")));
  if (!chat.takes_tools() && (turn.role == "tool" || !turn.tool_calls.empty()))
    return fail(ErrorCode::kUnsupported,
                "the model's chat template has no tools; leave out calls and results");
  const llama_vocab* vocab = chat.vocab();
  for (const ChatToolCall& call : turn.tool_calls)
    if (auto ok = first_error({check_outside(vocab, "a tool call's id", call.id),
                               check_outside(vocab, "a tool call's name", call.name),
                               check_json(vocab, "a tool call's arguments", call.arguments)});
        !ok)
      return ok;
  return first_error(
      {check_outside(vocab, "tool_call_id", turn.tool_call_id), check_outside(vocab, "a name", turn.name)});
}

Result<common_chat_tool> check_tool(const llama_vocab* vocab, const ChatTool& tool, double& cost_left) {
  if (tool.name.empty()) return fail(ErrorCode::kBadInput, "a tool has no name");
  if (auto ok = first_error({check_outside(vocab, "a tool's name", tool.name),
                             check_outside(vocab, "a tool's description", tool.description)});
      !ok)
    return tl::unexpected(ok.error());
  common_chat_tool made{.name = tool.name, .description = tool.description, .parameters = "{}"};
  if (tool.parameters.empty()) return made;
  if (auto ok = check_json(vocab, "a tool's parameters", tool.parameters); !ok)
    return tl::unexpected(ok.error());
  auto schema = grammar::check_schema(tool.parameters, cost_left);
  if (!schema) return tl::unexpected(schema.error());
  made.parameters = std::move(*schema);
  return made;
}

}  // namespace

Status check_turns(const ChatTemplate& chat, const std::vector<ChatTurn>& turns) {
  if (turns.empty()) return fail(ErrorCode::kBadInput, "a conversation of 0 turns; at least one is needed");
  for (const ChatTurn& turn : turns)
    if (auto ok = check_turn(chat, turn); !ok) return ok;
  return {};
}

Result<std::vector<common_chat_tool>> check_tools(const ChatTemplate& chat, const ChatInput& input) {
  std::vector<common_chat_tool> tools;
  if (input.tools.empty() || input.tool_choice == "none") return tools;
  if (!chat.takes_tools())
    return fail(ErrorCode::kUnsupported,
                "the model's chat template has no tools; leave them out, or load a model that has");
  if (input.tools.size() > ChatBounds::kTools)
    return fail(ErrorCode::kLimit,
                fmt::format("{} tools; at most {} are taken", input.tools.size(), ChatBounds::kTools));
  const bool named = input.tool_choice != "auto" && input.tool_choice != "required";
  std::size_t bytes = 0;
  double cost_left = grammar::SchemaBounds::kCost;
  for (const ChatTool& tool : input.tools) {
    bytes += tool.parameters.size();
    if (bytes > ChatBounds::kSchemaBytes)
      return fail(ErrorCode::kLimit,
                  fmt::format("the tools' parameters take more than {} bytes", ChatBounds::kSchemaBytes));
    auto checked = check_tool(chat.vocab(), tool, cost_left);
    if (!checked) return tl::unexpected(checked.error());
    if (!named || tool.name == input.tool_choice) tools.push_back(std::move(*checked));
  }
  if (tools.empty())
    return fail(ErrorCode::kBadInput, "tool_choice must be auto, none, required or the name of a tool");
  return tools;
}

}  // namespace braid::engine::llama
