#include <algorithm>
#include <stdexcept>

#include "text.h"

namespace braid::engine::llama {

namespace {

// llama.cpp splits words with recursive regular expressions for some vocabularies: a long text would exhaust
// the stack.
constexpr std::size_t kMaxStretch = 8192;  // bytes

/// Bytes of the first stretch of a long text: it ends before a space, as words' tokens begin with theirs.
std::size_t stretch(std::string_view text) {
  if (text.size() <= kMaxStretch) return text.size();
  const std::size_t space = text.rfind(' ', kMaxStretch);
  if (space != std::string_view::npos && space > 0) return space;
  std::size_t end = kMaxStretch;
  while (end > 1 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
    --end;  // not inside a character
  return end;
}

}  // namespace

bool append_tokens(const llama_vocab* vocab, std::string_view text, bool special, TokenRun& out) {
  const std::size_t before = out.size();
  const auto length = static_cast<int>(text.size());
  try {
    out.resize(before + text.size() + 1);
    int n = llama_tokenize(vocab, text.data(), length, out.data() + before, length + 1, false, special);
    if (n < 0 && n > -(1 << 28)) {
      out.resize(before + static_cast<std::size_t>(-n));
      n = llama_tokenize(vocab, text.data(), length, out.data() + before, -n, false, special);
    }
    out.resize(before + static_cast<std::size_t>(std::max(n, 0)));
    return n >= 0;
  } catch (const std::exception&) {
    out.resize(before);
    return false;
  }
}

LlamaTokenizer::LlamaTokenizer(std::shared_ptr<llama_model> model, const std::optional<std::string>& system)
    : model_(std::move(model)),
      vocab_(llama_model_get_vocab(model_.get())),
      template_(model_.get()),
      chat_(make_chat_format(template_, system)) {}

TokenRun LlamaTokenizer::tokenize(std::string_view text, bool special) const {
  TokenRun tokens;
  while (!text.empty()) {
    const std::size_t length = stretch(text);
    append_tokens(vocab_, text.substr(0, length), special, tokens);
    text.remove_prefix(length);
  }
  return tokens;
}

bool LlamaTokenizer::known(Token token) const { return token >= 0 && token < llama_vocab_n_tokens(vocab_); }

std::string LlamaTokenizer::piece(Token token) const {
  if (!known(token)) return {};
  std::string text(32, '\0');
  int n =
      llama_token_to_piece(vocab_, token, text.data(), static_cast<int>(text.size()), 0, /*special=*/false);
  if (n < 0) {
    text.resize(static_cast<std::size_t>(-n));
    n = llama_token_to_piece(vocab_, token, text.data(), -n, 0, false);
  }
  text.resize(static_cast<std::size_t>(std::max(n, 0)));
  return text;
}

bool LlamaTokenizer::ends_generation(Token token) const {
  return known(token) && llama_vocab_is_eog(vocab_, token);
}

std::shared_ptr<const grammar::VocabularyIndex> LlamaTokenizer::index() const {
  std::call_once(index_made_, [this] {
    index_ = std::make_shared<grammar::VocabularyIndex>(
        llama_vocab_n_tokens(vocab_), [this](Token token) { return piece(token); },
        [this](Token token) { return ends_generation(token); });
  });
  return index_;
}

std::string written_form(const llama_vocab* vocab, Token token) {
  if (token < 0) return {};
  std::string text(256, '\0');
  const int n =
      llama_token_to_piece(vocab, token, text.data(), static_cast<int>(text.size()), 0, /*special=*/true);
  text.resize(static_cast<std::size_t>(std::max(n, 0)));
  return text;
}

}  // namespace braid::engine::llama
