#include "chat_parser.h"

#include <fmt/format.h>

#include <exception>

#include "braid/base/utf8.h"
#include "text.h"

namespace braid::engine::llama {

namespace {

class LlamaChatParser final : public ChatParser {
 public:
  explicit LlamaChatParser(common_chat_parser_params params) : params_(std::move(params)) {}

  Result<ParsedChat> parse(std::string_view text) const override {
    try {
      common_chat_msg read = common_chat_parse(std::string(text), /*is_partial=*/false, params_);
      ParsedChat made;
      made.content = std::move(read.content);
      for (common_chat_tool_call& call : read.tool_calls)
        made.tool_calls.push_back(
            {.id = std::move(call.id), .name = std::move(call.name), .arguments = std::move(call.arguments)});
      return made;
    } catch (const std::exception& refused) {
      return fail(ErrorCode::kBadInput,
                  fmt::format("the answer doesn't keep to the model's format for calls: {}",
                              to_valid_utf8(std::string(refused.what()).substr(0, 200))));
    }
  }

 private:
  common_chat_parser_params params_;
};

}  // namespace

Result<std::shared_ptr<const ChatParser>> make_chat_parser(const common_chat_params& params) {
  try {
    common_chat_parser_params made(params);
    if (!params.parser.empty()) made.parser.load(params.parser);
    return std::make_shared<LlamaChatParser>(std::move(made));
  } catch (const std::exception& refused) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("no parser for the model's calls: {}",
                            to_valid_utf8(std::string(refused.what()).substr(0, 200))));
  }
}

std::vector<std::pair<Token, std::string>> marks_of(const llama_vocab* vocab,
                                                    const std::vector<std::string>& texts) {
  std::vector<std::pair<Token, std::string>> marks;
  for (const std::string& text : texts) {
    TokenRun tokens;
    if (append_tokens(vocab, text, true, tokens) && tokens.size() == 1 &&
        llama_vocab_is_control(vocab, tokens.front()))
      marks.emplace_back(tokens.front(), text);
  }
  return marks;
}

}  // namespace braid::engine::llama
