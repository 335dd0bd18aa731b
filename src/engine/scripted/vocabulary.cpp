#include "scripted/vocabulary.h"

#include <utility>

namespace braid::engine::scripted {

namespace {
constexpr std::array<std::string_view, kFirstWord - kBegin> kControls = {
    "<|begin|>", "<|user|>", "<|answer|>", "<|end|>", "<|image|>", "<|/image|>", "<|sound|>", "<|/sound|>"};
}

std::string_view control_text(Token token) { return kControls.at(static_cast<std::size_t>(token - kBegin)); }

Vocabulary::Vocabulary(std::vector<std::string> words) : words_(std::move(words)) {
  std::erase(words_, "");
  chat_.begin = "<|begin|><|user|>";
  chat_.end_of_question = "<|end|><|answer|>";
  chat_.next_turn = "<|end|><|user|>";
}

TokenRun Vocabulary::tokenize(std::string_view text, bool special) const {
  TokenRun tokens;
  while (!text.empty()) {
    std::size_t length = 1;
    tokens.push_back(longest_at(text, special, length));
    text.remove_prefix(length);
  }
  return tokens;
}

Token Vocabulary::longest_at(std::string_view text, bool special, std::size_t& length) const {
  Token best = static_cast<std::uint8_t>(text[0]);
  const auto consider = [&](std::string_view candidate, Token token) {
    if (candidate.size() <= length || !text.starts_with(candidate)) return;
    best = token;
    length = candidate.size();
  };
  if (special)
    for (Token token = kBegin; token < kFirstWord; ++token) consider(control_text(token), token);
  for (std::size_t i = 0; i < words_.size(); ++i) consider(words_[i], kFirstWord + static_cast<Token>(i));
  return best;
}

std::string Vocabulary::piece(Token token) const {
  if (token < 0 || token >= size() || (token >= kBegin && token < kFirstWord)) return "";
  if (token < kBegin) return std::string(1, static_cast<char>(token));
  return words_[static_cast<std::size_t>(token - kFirstWord)];
}

}  // namespace braid::engine::scripted
