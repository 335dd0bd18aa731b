#include <exception>

#include "braid/base/log.h"
#include "text.h"

namespace braid::engine::llama {

namespace {

constexpr const char* kChatMl =
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + "
    "message['content'] + '<|im_end|>' + '\n'}}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

// Stand for the texts that are written later. Plain letters: nothing a template would escape, trim or parse.
constexpr std::string_view kFirstQuestion = "QuestionPlaceholderOne";
constexpr std::string_view kAnswer = "AnswerPlaceholderOne";
constexpr std::string_view kNextQuestion = "QuestionPlaceholderTwo";

common_chat_msg message(const char* role, std::string_view content) {
  common_chat_msg made;
  made.role = role;
  made.content = content;
  return made;
}

/// A rendered conversation of one question, or of question, answer, question. Throws what llama-common
/// throws.
std::string render(const common_chat_templates* templates, const std::optional<std::string>& system,
                   bool two_turns) {
  common_chat_templates_inputs inputs;
  inputs.enable_thinking = false;  // an answer inside a deadline has no time to think aloud
  if (system) inputs.messages.push_back(message("system", *system));
  inputs.messages.push_back(message("user", kFirstQuestion));
  if (two_turns) {
    inputs.messages.push_back(message("assistant", kAnswer));
    inputs.messages.push_back(message("user", kNextQuestion));
  }
  return common_chat_templates_apply(templates, inputs).prompt;
}

/// What stands between two marks; nothing if they don't come in that order.
std::optional<std::string> between(const std::string& text, std::string_view from, std::string_view to) {
  const std::size_t begin = from.empty() ? 0 : text.find(from);
  if (begin == std::string::npos) return std::nullopt;
  const std::size_t end = to.empty() ? text.size() : text.find(to, begin + from.size());
  if (end == std::string::npos) return std::nullopt;
  return text.substr(begin + from.size(), end - begin - from.size());
}

/// The template's cuts, or nothing where it can't be used as it is.
std::optional<ChatFormat> cut(const llama_model* model, const char* source,
                              const std::optional<std::string>& system) {
  try {
    const auto templates = common_chat_templates_init(model, source);
    const std::string once = render(templates.get(), system, false);
    const std::string twice = render(templates.get(), system, true);
    const auto begin = between(once, "", kFirstQuestion);
    const auto end = between(once, kFirstQuestion, "");
    const auto next = between(twice, kAnswer, kNextQuestion);
    if (!begin || !end || !next) return std::nullopt;
    return ChatFormat{.begin = *begin, .end_of_question = *end, .next_turn = *next, .stops = {}};
  } catch (const std::exception& refused) {
    log(LogLevel::kDebug, "chat template: {}", refused.what());
    return std::nullopt;
  }
}

bool has_chatml_marks(const llama_vocab* vocab) {
  TokenRun tokens;
  return append_tokens(vocab, "<|im_start|>", true, tokens) && tokens.size() == 1;
}

ChatFormat bare_lines(const std::optional<std::string>& system) {
  return {.begin = system.value_or("") + (system ? "\n\n" : ""),
          .end_of_question = "\n",
          .next_turn = "\n\n",
          .stops = {"\n\n"}};
}

ChatFormat choose(const llama_model* model, const std::optional<std::string>& system) {
  const bool has_template = llama_model_chat_template(model, nullptr) != nullptr;
  if (has_template) {
    if (auto format = cut(model, "", system)) return *format;
    // Some templates refuse a system role: its text then leads the user's.
    if (auto format = cut(model, "", std::nullopt)) {
      if (system && !system->empty()) format->begin += *system + "\n\n";
      return *format;
    }
  }
  const char* reason = has_template ? "a chat template that can't be used" : "no chat template";
  if (has_chatml_marks(llama_model_get_vocab(model)))
    if (auto format = cut(model, kChatMl, system)) {
      log(LogLevel::kWarning, "the model has {}; using ChatML", reason);
      return *format;
    }
  log(LogLevel::kWarning, "the model has {}; questions and answers are bare lines", reason);
  return bare_lines(system);
}

}  // namespace

ChatFormat make_chat_format(const llama_model* model, const std::optional<std::string>& system) {
  ChatFormat format = choose(model, system);
  const llama_vocab* vocab = llama_model_get_vocab(model);
  const std::string bos = written_form(vocab, llama_vocab_bos(vocab));
  if (llama_vocab_get_add_bos(vocab) && !bos.empty() && !format.begin.starts_with(bos))
    format.begin.insert(0, bos);
  return format;
}

}  // namespace braid::engine::llama
