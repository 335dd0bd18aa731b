// Any bytes as bodies of /v1/memory/search and /v1/embeddings: what is taken is within its bounds.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "braid/openai/embeddings.h"
#include "braid/openai/memory_api.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const braid::openai::MemorySearchLimits limits{
      .query_bytes = 40, .sources = 3, .source_bytes = 8, .hits = 5};
  if (const auto search = braid::openai::parse_memory_search(body, limits)) {
    require(search->query.size() <= 40 && search->sources.size() <= 3 && search->limit >= 1 &&
            search->limit <= 5);
    for (const auto& source : search->sources) require(!source.empty() && source.size() <= 8);
  } else {
    require(!search.error().message.empty());
  }
  const braid::openai::EmbeddingsLimits bounds{.texts = 3, .text_bytes = 16};
  if (const auto asked = braid::openai::parse_embeddings(body, bounds)) {
    require(!asked->input.empty() && asked->input.size() <= 3 && !asked->model.empty());
    for (const auto& text : asked->input) require(!text.empty() && text.size() <= 16);
  } else {
    require(!asked.error().message.empty());
  }
  return 0;
}
