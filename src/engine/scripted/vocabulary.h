#pragma once
// Tokens of the scripted engine: 0..255 are bytes, then the control tokens, then the declared words.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "braid/engine/engine.h"

namespace braid::engine::scripted {

enum Control : Token { kBegin = 256, kUser, kAnswer, kEnd, kImage, kImageEnd, kSound, kSoundEnd, kFirstWord };

class Vocabulary final : public Tokenizer {
 public:
  explicit Vocabulary(std::vector<std::string> words);

  const ChatFormat& chat() const override { return chat_; }
  TokenRun tokenize(std::string_view text, bool special) const override;
  std::string piece(Token token) const override;
  bool ends_generation(Token token) const override { return token == kEnd; }
  Result<RenderedChat> render(const ChatInput& input) const override;

  int size() const { return kFirstWord + static_cast<int>(words_.size()); }

 private:
  Token longest_at(std::string_view text, bool special, std::size_t& length) const;

  std::vector<std::string> words_;
  ChatFormat chat_;
};

/// The text of a control token: "<|user|>".
std::string_view control_text(Token token);

}  // namespace braid::engine::scripted
