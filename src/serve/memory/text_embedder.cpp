#include "memory/text_embedder.h"

#include <utility>
#include <vector>

#include "braid/engine/llama_engine.h"
#include "watch/model_files.h"

namespace braid::serve {

namespace {

constexpr int kThreads = 1;

Result<std::vector<float>> embed(engine::TextEmbedder& embedder, const std::vector<std::string>& texts) {
  auto vectors = embedder.embed(texts);
  if (!vectors) return tl::unexpected(vectors.error());
  return std::move(vectors->values);
}

}  // namespace

Result<TextModel> load_text_model(const std::string& choice, Clock& clock) {
  if (choice == "off") return TextModel{};
  std::string file = choice;
  if (file.empty()) {
    auto found = text_model_file();
    if (!found) return TextModel{};
    file = *found;
  }
  auto loaded = engine::load_embedder(file, kThreads);
  if (!loaded) return tl::unexpected(loaded.error());
  const std::shared_ptr<engine::TextEmbedder> model = std::move(loaded->embedder);
  return TextModel{
      model, std::make_shared<retrieve::Embedder>(
                 "text:" + loaded->name,
                 [model](const std::vector<std::string>& texts) { return embed(*model, texts); }, clock)};
}

Result<TextModel> TextModelSlot::get() {
  std::lock_guard lock(mutex_);
  if (loaded_) return *loaded_;
  auto loaded = load_text_model(choice_, clock_);
  if (loaded) loaded_ = *loaded;
  return loaded;
}

}  // namespace braid::serve
