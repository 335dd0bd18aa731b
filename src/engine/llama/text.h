#pragma once
// Tokens and chat template of the loaded model.

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "braid/engine/engine.h"
#include "chat_template.h"
#include "grammar/vocabulary_index.h"
#include "handles.h"
#include "render_cache.h"

namespace braid::engine::llama {

/// The template, rendered with marks in the places of texts and cut at them.
ChatFormat make_chat_format(const ChatTemplate& chat, const std::optional<std::string>& system);

class LlamaTokenizer final : public Tokenizer {
 public:
  LlamaTokenizer(std::shared_ptr<llama_model> model, const std::optional<std::string>& system);

  const ChatFormat& chat() const override { return chat_; }
  TokenRun tokenize(std::string_view text, bool special) const override;
  std::string piece(Token token) const override;
  bool ends_generation(Token token) const override;
  Result<RenderedChat> render(const ChatInput& input) const override;

 private:
  bool known(Token token) const;
  std::shared_ptr<const grammar::VocabularyIndex> index() const;  // takes 50 ms when it is first asked for

  std::shared_ptr<llama_model> model_;
  const llama_vocab* vocab_;
  ChatTemplate template_;
  ChatFormat chat_;
  mutable RenderCache rendered_;
  mutable std::once_flag index_made_;
  mutable std::shared_ptr<const grammar::VocabularyIndex> index_;
};

/// Appends the tokens of `text`. False if llama.cpp refused it.
bool append_tokens(const llama_vocab* vocab, std::string_view text, bool special, TokenRun& out);

/// How a token is written in a prompt, control tokens too.
std::string written_form(const llama_vocab* vocab, Token token);

}  // namespace braid::engine::llama
