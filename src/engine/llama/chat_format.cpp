#include <exception>

#include "braid/base/log.h"
#include "chat_template.h"
#include "text.h"

namespace braid::engine::llama {

namespace {

// Stand for the texts that are written later. Plain letters: nothing a template would escape, trim or parse.
constexpr std::string_view kFirstQuestion = "QuestionPlaceholderOne";
constexpr std::string_view kAnswer = "AnswerPlaceholderOne";
constexpr std::string_view kNextQuestion = "QuestionPlaceholderTwo";

/// A rendered conversation of one question, or of question, answer, question. Throws what llama-common
/// throws.
std::string render(const ChatTemplate& chat, const std::optional<std::string>& system, bool two_turns) {
  std::vector<common_chat_msg> messages;
  if (system) messages.push_back(chat_message("system", *system));
  messages.push_back(chat_message("user", std::string(kFirstQuestion)));
  if (two_turns) {
    messages.push_back(chat_message("assistant", std::string(kAnswer)));
    messages.push_back(chat_message("user", std::string(kNextQuestion)));
  }
  return chat.plain(std::move(messages));
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
std::optional<ChatFormat> cut(const ChatTemplate& chat, const std::optional<std::string>& system) {
  try {
    const std::string once = render(chat, system, false);
    const std::string twice = render(chat, system, true);
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

ChatFormat bare_lines(const std::optional<std::string>& system) {
  return {.begin = system.value_or("") + (system ? "\n\n" : ""),
          .end_of_question = "\n",
          .next_turn = "\n\n",
          .stops = {"\n\n"}};
}

ChatFormat choose(const ChatTemplate& chat, const std::optional<std::string>& system) {
  if (chat.bare()) return bare_lines(system);
  if (!system || chat.takes_system())
    if (auto format = cut(chat, system)) return *format;
  // Some templates refuse a system role: its text then leads the user's.
  if (auto format = cut(chat, std::nullopt)) {
    if (system && !system->empty()) format->begin += *system + "\n\n";
    return *format;
  }
  log(LogLevel::kWarning, "the chat template loses texts; questions and answers are bare lines");
  return bare_lines(system);
}

}  // namespace

ChatFormat make_chat_format(const ChatTemplate& chat, const std::optional<std::string>& system) {
  ChatFormat format = choose(chat, system);
  format.begin = chat.with_bos(std::move(format.begin));
  return format;
}

}  // namespace braid::engine::llama
