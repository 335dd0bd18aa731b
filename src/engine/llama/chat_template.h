#pragma once
// The model's chat template: which one is used, conversations and marked turns rendered by it.

#include <optional>
#include <string>
#include <vector>

#include "braid/engine/chat.h"
#include "handles.h"

namespace braid::engine::llama {

/// Any thread. Functions that throw say so: what llama-common throws, that is.
class ChatTemplate {
 public:
  /// The GGUF's own Jinja template, or `override_source`; where it can't be used or there is none: ChatML if
  /// the vocabulary has its marks, else bare lines (stated in the log).
  explicit ChatTemplate(const llama_model* model, const std::string& override_source = "");

  /// No template at all: turns are lines.
  bool bare() const { return templates_ == nullptr; }
  /// A system turn can be a turn of its own.
  bool takes_system() const { return takes_system_; }
  /// Describes tools and renders calls. Without: plain text only.
  bool takes_tools() const { return takes_tools_; }

  /// Applies the template; not bare(). Throws where the template refuses the conversation.
  common_chat_params apply(const common_chat_templates_inputs& inputs) const;
  /// As apply(), for conversations without tools: the prompt alone. Throws likewise.
  std::string plain(std::vector<common_chat_msg> messages) const;

  /// The prompt with BOS where the vocabulary wants it and the template doesn't write it.
  std::string with_bos(std::string prompt) const;

  const llama_vocab* vocab() const { return vocab_; }

 private:
  bool use(const llama_model* model, const std::string& source);

  const llama_vocab* vocab_;
  common_chat_templates_ptr templates_;
  std::string bos_;  // empty: not to be added
  bool takes_system_ = false;
  bool takes_tools_ = false;
};

common_chat_msg chat_message(std::string role, std::string content);

}  // namespace braid::engine::llama
