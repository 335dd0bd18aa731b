#include "chat_template.h"

#include <array>
#include <exception>
#include <initializer_list>
#include <utility>

#include "braid/base/log.h"
#include "text.h"

namespace braid::engine::llama {

namespace {

constexpr const char* kChatMl =
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + "
    "message['content'] + '<|im_end|>' + '\n'}}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

// Plain letters: nothing a template would escape, trim or parse.
constexpr std::array<const char*, 4> kProbes = {"ProbePlaceholderOne", "ProbePlaceholderTwo",
                                                "ProbePlaceholderThree", "ProbePlaceholderFour"};

bool has_chatml_marks(const llama_vocab* vocab) {
  TokenRun tokens;
  return append_tokens(vocab, "<|im_start|>", true, tokens) && tokens.size() == 1;
}

/// Whether a conversation of these roles comes out with every text in its place.
bool renders(const ChatTemplate& made, std::initializer_list<const char*> roles) {
  std::vector<common_chat_msg> messages;
  for (const char* role : roles) messages.push_back(chat_message(role, kProbes.at(messages.size())));
  try {
    const std::string prompt = made.plain(messages);
    std::size_t at = 0;
    for (const common_chat_msg& message : messages)
      if (at = prompt.find(message.content, at); at == std::string::npos) return false;
    return true;
  } catch (const std::exception& refused) {
    log(LogLevel::kDebug, "chat template: {}", refused.what());
    return false;
  }
}

}  // namespace

common_chat_msg chat_message(std::string role, std::string content) {
  common_chat_msg made;
  made.role = std::move(role);
  made.content = std::move(content);
  return made;
}

ChatTemplate::ChatTemplate(const llama_model* model, const std::string& override_source)
    : vocab_(llama_model_get_vocab(model)) {
  if (llama_vocab_get_add_bos(vocab_)) bos_ = written_form(vocab_, llama_vocab_bos(vocab_));
  const bool has_one = !override_source.empty() || llama_model_chat_template(model, nullptr) != nullptr;
  if (has_one && use(model, override_source)) return;
  const char* reason = has_one ? "a chat template that can't be used" : "no chat template";
  if (has_chatml_marks(vocab_) && use(model, kChatMl)) {
    log(LogLevel::kWarning, "the model has {}; using ChatML", reason);
    return;
  }
  log(LogLevel::kWarning, "the model has {}; questions and answers are bare lines", reason);
  templates_ = nullptr;
}

bool ChatTemplate::use(const llama_model* model, const std::string& source) {
  try {
    templates_ = common_chat_templates_init(model, source);
    const auto abilities = common_chat_templates_get_caps(templates_.get());
    takes_tools_ = abilities.at("supports_tools") && abilities.at("supports_tool_calls");
  } catch (const std::exception& refused) {
    log(LogLevel::kDebug, "chat template: {}", refused.what());
    templates_ = nullptr;
    return false;
  }
  takes_system_ = renders(*this, {"system", "user", "assistant", "user"});
  return takes_system_ || renders(*this, {"user", "assistant", "user"});
}

common_chat_params ChatTemplate::apply(const common_chat_templates_inputs& inputs) const {
  common_chat_templates_inputs quick = inputs;
  quick.enable_thinking = false;  // an answer inside a deadline has no time to think aloud
  return common_chat_templates_apply(templates_.get(), quick);
}

std::string ChatTemplate::plain(std::vector<common_chat_msg> messages) const {
  common_chat_templates_inputs inputs;
  inputs.messages = std::move(messages);
  inputs.force_pure_content = true;  // no study of how the template writes calls: it renders it a dozen times
  return apply(inputs).prompt;
}

std::string ChatTemplate::with_bos(std::string prompt) const {
  if (!bos_.empty() && !prompt.starts_with(bos_)) prompt.insert(0, bos_);
  return prompt;
}

}  // namespace braid::engine::llama
