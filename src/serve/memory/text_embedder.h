#pragma once
// The model that makes vectors of texts.

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "braid/engine/engine.h"
#include "braid/retrieve/embedder.h"

namespace braid::serve {

struct TextModel {
  std::shared_ptr<const engine::TextEmbedder> model;  ///< for what it can do; texts go by turns
  std::shared_ptr<retrieve::Embedder> turns;          ///< null: there is none
};

/// `choice`: a GGUF file, "off", or empty: the default one, where it was prepared. None of these: empty. One
/// thread, so that it takes turns with the engine's by the scheduler's rules and nobody spins for it. Blocks
/// for a second. Errors of load_embedder().
Result<TextModel> load_text_model(const std::string& choice, Clock& clock);

/// Loads it when it is first needed. Thread-safe.
class TextModelSlot {
 public:
  TextModelSlot(std::string choice, Clock& clock) : choice_(std::move(choice)), clock_(clock) {}

  /// As load_text_model(), which the first call waits for.
  Result<TextModel> get();

 private:
  const std::string choice_;
  Clock& clock_;
  std::mutex mutex_;
  std::optional<TextModel> loaded_;
};

}  // namespace braid::serve
