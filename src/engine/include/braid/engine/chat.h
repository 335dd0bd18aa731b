#pragma once
// A conversation rendered by the model's own template, with what binds its answer (grammar) and reads it
// (parser). Implemented by a backend's Tokenizer.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/base/result.h"
#include "braid/packet/prompt.h"

namespace braid::engine {

/// A function call that the model made. `arguments` is JSON text.
struct ChatToolCall {
  std::string id;  ///< empty where the model's format has none
  std::string name;
  std::string arguments;
};

/// One message. `content` may hold placeholders of the caller's: plain letters and digits, which templates
/// leave as they are.
struct ChatTurn {
  std::string role;  ///< system, developer, user, assistant, tool
  std::string content;
  std::vector<ChatToolCall> tool_calls;  ///< of assistant
  std::string tool_call_id;              ///< of tool
  std::string name;                      ///< of tool: the function's; else who speaks. Mostly empty
};

/// A function that the model may call.
struct ChatTool {
  std::string name;
  std::string description;
  std::string parameters;  ///< JSON schema as text; empty: no arguments
};

struct ChatInput {
  std::vector<ChatTurn> turns;       ///< at least one
  std::vector<ChatTool> tools;       ///< empty: none
  std::string tool_choice = "auto";  ///< auto, none, required, or the name of one of the tools
  bool parallel_tool_calls = true;
  std::string json_schema;   ///< text the answer must keep to, where it is no call; empty: none
  bool json_object = false;  ///< the answer must be a JSON object; ignored with a schema
};

/// Says which tokens may come next. One answer's; one thread. Doesn't throw.
class TokenFilter {
 public:
  virtual ~TokenFilter() = default;
  /// Whether this token may come next. Costs microseconds.
  virtual bool allows(Token token) = 0;
  /// Sets the logits of all tokens that may not come next to -infinity. `logits`: [vocabulary].
  virtual void apply(std::span<float> logits) = 0;
  /// The token that was chosen; one that may come next.
  virtual void accept(Token token) = 0;
  /// An error ends the answer: kLimit where the grammar took more work than bounded, kInternal where it was
  /// given a token that it forbids or where no token of the vocabulary may come next. The filter allows
  /// everything from then on.
  virtual Status status() const = 0;
};

/// What an answer must look like. Immutable; any thread.
class ChatGrammar {
 public:
  virtual ~ChatGrammar() = default;
  virtual std::unique_ptr<TokenFilter> filter() const = 0;
};

/// A finished answer, read.
struct ParsedChat {
  std::string content;
  std::vector<ChatToolCall> tool_calls;
};

/// Reads finished answers. Immutable; any thread. Doesn't throw.
class ChatParser {
 public:
  virtual ~ChatParser() = default;
  /// `text`: the whole answer, `marks` written out. kBadInput where it doesn't keep to the model's format for
  /// calls (cut short, say); the text itself is then the content.
  virtual Result<ParsedChat> parse(std::string_view text) const = 0;
};

struct RenderedChat {
  std::string prompt;              ///< from BOS to where the answer begins; for tokenize(..., true)
  std::vector<std::string> stops;  ///< texts that end the answer beside the end-of-generation tokens
  std::shared_ptr<const ChatGrammar> grammar;  ///< null: any text
  std::shared_ptr<const ChatParser> parser;    ///< null: the answer's text is its content
  /// Control tokens that are part of the answer's text, and how they are written there: piece() gives "" for
  /// them, `parser` needs them.
  std::vector<std::pair<Token, std::string>> marks;
};

/// Bounds of ChatInput; what passes one is refused with kLimit.
struct ChatBounds {
  static constexpr std::size_t kSchemaBytes = 64U << 10;  ///< of a JSON schema, and of all tools' together
  static constexpr std::size_t kTools = 128;
};

}  // namespace braid::engine
