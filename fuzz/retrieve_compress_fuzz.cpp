// Any bytes as records that were found: no more comes back than was there, and nothing that wasn't.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "braid/retrieve/compress.h"
#include "sentences.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const std::string_view sentence : braid::retrieve::sentences_of(bytes))
    require(!sentence.empty() && sentence.size() <= braid::retrieve::kMaxSentence);
  std::vector<braid::retrieve::Record> found(4);
  for (std::size_t i = 0; i < found.size(); ++i) found[i].text = bytes.substr(i * size / 4, size / 4);
  const auto kept = braid::retrieve::compress(found, bytes.substr(size / 2), {.records = 3, .sentences = 2});
  require(kept.size() <= 3);
  for (const auto& record : kept) require(record.text.size() <= size / 4);
  return 0;
}
