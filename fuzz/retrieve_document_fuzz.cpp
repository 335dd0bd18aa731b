// Any bytes as a document of any format that we cut ourselves: passages of valid text, at places in the file.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "braid/base/utf8.h"
#include "braid/retrieve/document.h"

namespace {

using namespace braid::retrieve;

/// The cell's length in seconds after the document.
std::optional<braid::UtcTime> length_of(std::string_view cell) {
  if (cell.empty()) return std::nullopt;
  return braid::UtcTime(std::chrono::seconds(cell.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr auto kFormats =
      std::to_array<DocumentFormat>({DocumentFormat::kText, DocumentFormat::kMarkdown, DocumentFormat::kHtml,
                                     DocumentFormat::kCues, DocumentFormat::kTable});
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  DocumentOptions options;
  options.at = braid::UtcTime::max() - std::chrono::hours(1);
  options.time_column = [](std::string_view name) { return name == "t" ? CellTime(length_of) : CellTime(); };
  const auto passages = cut_document(bytes, kFormats[data[0] % kFormats.size()], options);
  if (!passages) return 0;
  for (const Passage& passage : *passages) {
    if (passage.text.empty() || braid::to_valid_utf8(passage.text) != passage.text) std::abort();
    if (passage.offset < 0 || passage.offset > static_cast<std::int64_t>(bytes.size())) std::abort();
    if (passage.start && *passage.start > passage.end) std::abort();
  }
  return 0;
}
