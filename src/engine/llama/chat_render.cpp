#include "chat_render.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>

#include "braid/base/utf8.h"
#include "chat_check.h"
#include "chat_parser.h"
#include "text.h"

namespace braid::engine::llama {

namespace {

using Messages = std::vector<common_chat_msg>;

common_chat_msg to_message(const ChatTurn& turn) {
  common_chat_msg made = chat_message(turn.role == "developer" ? "system" : turn.role, turn.content);
  made.tool_call_id = turn.tool_call_id;
  if (turn.role == "tool") made.tool_name = turn.name;
  for (const ChatToolCall& call : turn.tool_calls)
    made.tool_calls.push_back({.name = call.name, .arguments = call.arguments, .id = call.id});
  return made;
}

Messages to_messages(const std::vector<ChatTurn>& turns) {
  Messages messages;
  for (const ChatTurn& turn : turns) messages.push_back(to_message(turn));
  return messages;
}

void join(std::string& text, const std::string& more) {
  if (!text.empty() && !more.empty()) text += "\n\n";
  text += more;
}

/// System turns lead the text of the user's turn after them; at the end they become one.
Messages without_system(const Messages& messages) {
  Messages kept;
  std::string waiting;
  for (const common_chat_msg& message : messages) {
    if (message.role == "system") {
      join(waiting, message.content);
      continue;
    }
    kept.push_back(message);
    if (message.role != "user" || waiting.empty()) continue;
    join(waiting, message.content);
    kept.back().content = std::exchange(waiting, {});
  }
  if (!waiting.empty()) kept.push_back(chat_message("user", waiting));
  return kept;
}

/// Later system turns become the user's; templates take one at the beginning at most.
Messages one_system(Messages messages) {
  for (std::size_t i = 1; i < messages.size(); ++i)
    if (messages[i].role == "system") messages[i].role = messages[i - 1].role == "system" ? "system" : "user";
  return messages;
}

/// Neighbours of one role become one turn, for templates in which roles must alternate.
Messages alternating(const Messages& messages) {
  Messages kept;
  for (const common_chat_msg& message : messages) {
    const bool same = !kept.empty() && kept.back().role == message.role && message.role != "tool" &&
                      kept.back().tool_calls.empty() && message.tool_calls.empty();
    if (same)
      join(kept.back().content, message.content);
    else
      kept.push_back(message);
  }
  return kept;
}

std::string bare_lines(const Messages& messages) {
  std::string prompt;
  for (const common_chat_msg& message : messages)
    prompt += message.content + (message.role == "user" ? "\n" : "\n\n");
  return prompt;
}

common_chat_templates_inputs to_inputs(const ChatInput& input, std::vector<common_chat_tool> tools) {
  common_chat_templates_inputs inputs;
  inputs.force_pure_content = tools.empty();
  inputs.tools = std::move(tools);
  inputs.tool_choice =
      input.tool_choice == "auto" ? COMMON_CHAT_TOOL_CHOICE_AUTO : COMMON_CHAT_TOOL_CHOICE_REQUIRED;
  inputs.parallel_tool_calls = input.parallel_tool_calls;
  return inputs;
}

/// Applies the template to the conversation as it is, or in the first simpler shape that it takes.
Result<common_chat_params> apply(const ChatTemplate& chat, common_chat_templates_inputs inputs,
                                 const Messages& messages) {
  const Messages once = one_system(messages);
  const std::array<Messages, 4> shapes = {chat.takes_system() ? messages : without_system(messages), once,
                                          alternating(once), alternating(without_system(messages))};
  std::string reason;
  for (const Messages& shape : shapes) {
    inputs.messages = shape;
    try {
      return chat.apply(inputs);
    } catch (const std::exception& refused) {
      if (reason.empty()) reason = refused.what();
    }
  }
  return fail(ErrorCode::kUnsupported, fmt::format("the model's chat template refuses this conversation: {}",
                                                   to_valid_utf8(reason.substr(0, 200))));
}

std::string schema_of(const ChatInput& input) {
  return input.json_schema.empty() && input.json_object ? kAnyObject : input.json_schema;
}

/// A conversation with tools: stops, marks, parser and grammar of an answer that may hold calls.
Result<RenderedChat> with_tools(const ChatTemplate& chat, const VocabularySource& vocabulary,
                                const ChatInput& input, const common_chat_templates_inputs& inputs) {
  const Messages messages = to_messages(input.turns);
  const auto applied = apply(chat, inputs, messages);
  if (!applied) return tl::unexpected(applied.error());
  RenderedChat made;
  made.prompt = chat.with_bos(applied->prompt);
  made.stops = applied->additional_stops;
  made.marks = marks_of(chat.vocab(), applied->preserved_tokens);
  auto parser = make_chat_parser(*applied);
  if (!parser) return tl::unexpected(parser.error());
  made.parser = std::move(*parser);

  // Where calls are the model's choice, the schema binds what it says in their place.
  const std::string schema = input.tool_choice == "auto" ? schema_of(input) : "";
  auto bound = inputs;
  bound.tool_choice = COMMON_CHAT_TOOL_CHOICE_REQUIRED;
  const auto required = schema.empty() ? applied : apply(chat, bound, messages);
  if (!required) return tl::unexpected(required.error());
  auto grammar = call_grammar(*required, schema, made.marks, vocabulary);
  if (!grammar) return tl::unexpected(grammar.error());
  made.grammar = std::move(*grammar);
  return made;
}

}  // namespace

Result<RenderedChat> render_chat(const ChatTemplate& chat, const VocabularySource& vocabulary,
                                 const ChatInput& input) {
  if (auto ok = check_turns(chat, input.turns); !ok) return tl::unexpected(ok.error());
  auto tools = check_tools(chat, input);
  if (!tools) return tl::unexpected(tools.error());
  const bool calls = !tools->empty();
  const auto inputs = to_inputs(input, std::move(*tools));
  if (calls) return with_tools(chat, vocabulary, input, inputs);
  const Messages messages = to_messages(input.turns);
  RenderedChat made;
  if (chat.bare()) {
    made.prompt = chat.with_bos(bare_lines(messages));
    made.stops = {"\n\n"};
  } else {
    const auto applied = apply(chat, inputs, messages);
    if (!applied) return tl::unexpected(applied.error());
    made.prompt = chat.with_bos(applied->prompt);
  }
  const std::string schema = schema_of(input);
  if (schema.empty()) return made;
  auto grammar = json_grammar(schema, vocabulary);
  if (!grammar) return tl::unexpected(grammar.error());
  made.grammar = std::move(*grammar);
  return made;
}

Result<RenderedChat> LlamaTokenizer::render(const ChatInput& input) const {
  using std::chrono::floor;
  const auto now = std::chrono::system_clock::now();
  const auto minute = floor<std::chrono::minutes>(now).time_since_epoch().count();
  const auto render = [this](const ChatInput& wanted) {
    return render_chat(
        template_, [this] { return index(); }, wanted);
  };
  try {
    return rendered_.get(input, minute, render);
  } catch (const std::exception& refused) {
    return fail(ErrorCode::kBadInput, fmt::format("the conversation can't be rendered: {}",
                                                  to_valid_utf8(std::string(refused.what()).substr(0, 200))));
  }
}

}  // namespace braid::engine::llama
