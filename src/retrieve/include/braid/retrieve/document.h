#pragma once
// Files as records: cut where their structure says so.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/base/result.h"
#include "braid/base/time.h"

namespace braid::retrieve {

enum class DocumentFormat : std::uint8_t { kText, kMarkdown };
/// By the file name's end: .txt, .text, .log; .md, .markdown.
std::optional<DocumentFormat> document_format(std::string_view file_name);

/// A passage: paragraphs up to about kPassageBytes, never across a Markdown heading, whose title stands
/// before it. A paragraph that is longer is cut at a sentence's or word's end.
struct Passage {
  std::string text;
  std::int64_t offset = 0;  ///< bytes from the file's start to its first
};

inline constexpr std::size_t kPassageBytes = 1200;
inline constexpr std::size_t kMaxDocumentBytes = 64U << 20;
inline constexpr std::size_t kMaxPassages = 100'000;

/// Any bytes will do; invalid UTF-8 is replaced. kLimit: too long, or too many passages. Pure.
Result<std::vector<Passage>> cut_document(std::string_view bytes, DocumentFormat format);

}  // namespace braid::retrieve
