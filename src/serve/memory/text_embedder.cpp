#include "memory/text_embedder.h"

#include <memory>
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

Status add_embedder(const std::string& choice, retrieve::MemoryOptions& options) {
  if (choice == "off") return {};
  std::string file = choice;
  if (file.empty()) {
    auto found = text_model_file();
    if (!found) return {};
    file = *found;
  }
  auto loaded = engine::load_embedder(file, kThreads);
  if (!loaded) return tl::unexpected(loaded.error());
  const std::shared_ptr<engine::TextEmbedder> embedder = std::move(loaded->embedder);
  options.embedder = "text:" + loaded->name;
  options.embed = [embedder](const std::vector<std::string>& texts) { return embed(*embedder, texts); };
  return {};
}

}  // namespace braid::serve
