#include "braid/retrieve/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "braid/base/utf8.h"
#include "documents/cues.h"
#include "documents/passages.h"
#include "documents/plain.h"
#include "documents/table.h"
#include "documents/text_bytes.h"
#include "libxml/html.h"
#include "poppler/pdf_text.h"

namespace braid::retrieve {

namespace {

constexpr std::string_view kPdfMark = "%PDF-";
constexpr std::size_t kPdfMarkPlace = 1024;  // readers look for it so far

bool is_pdf(std::string_view bytes) {
  return bytes.substr(0, kPdfMarkPlace).find(kPdfMark) != std::string_view::npos;
}

std::string lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

Status cut_pdf(std::string_view bytes, Passages& passages) {
  if (!is_pdf(bytes))
    return fail(ErrorCode::kBadInput, "it is no PDF: none of its first 1,024 bytes begins with %PDF-");
  const auto text = pdf_text(bytes);
  if (!text) return tl::unexpected(text.error());
  int page = 0;
  bool any = false;
  for (std::size_t at = 0; at < text->size();) {
    const std::size_t end = std::min(text->find('\f', at), text->size());
    if (++page > kMaxPages)
      return fail(ErrorCode::kLimit, fmt::format("it has more than {} pages: split it", kMaxPages));
    const std::string_view words = std::string_view(*text).substr(at, end - at);
    any = any || !trimmed(words).empty();
    cut_plain(words, false, page, passages);
    at = end + 1;
  }
  if (any) return {};
  return fail(ErrorCode::kBadInput,
              fmt::format("there is no text on its {} {}: if they are scanned, have their words recognised "
                          "(OCR) first",
                          page, page == 1 ? "page" : "pages"));
}

Status cut_html(std::string text, Passages& passages) {
  std::replace(text.begin(), text.end(), '\0', ' ');
  BlockGatherer blocks(passages);
  Status read = read_html(to_valid_utf8(text), [&](const HtmlBlock& block) {
    if (passages.full()) return;
    if (block.is_heading)
      blocks.title(block.text);
    else
      blocks.block(block.text, block.offset);
  });
  blocks.finish();
  return read;
}

/// Only where it isn't UTF-8 does it matter what a page says of itself.
Status check_charset(std::string_view bytes, const TextBytes& text) {
  if (text.encoding != TextEncoding::kWindows1252) return {};
  const std::string charset = declared_charset(bytes);
  constexpr auto kKnown = std::to_array<std::string_view>(
      {"", "windows-1252", "cp1252", "iso-8859-1", "latin1", "iso-8859-15", "us-ascii", "utf-8"});
  if (std::find(kKnown.begin(), kKnown.end(), charset) != kKnown.end()) return {};
  return fail(ErrorCode::kUnsupported,
              fmt::format("it is in {}: convert it to UTF-8 first", printable(charset.substr(0, 40))));
}

Status cut_text(std::string_view bytes, DocumentFormat format, const DocumentOptions& options,
                const TextBytes& text, Passages& passages) {
  switch (format) {
    case DocumentFormat::kHtml:
      if (Status known = check_charset(bytes, text); !known) return known;
      return cut_html(text.text, passages);
    case DocumentFormat::kCues:
      if (cut_cues(text.text, options.at, passages)) return {};
      return fail(ErrorCode::kBadInput,
                  "it has no subtitle: expected lines such as 00:00:01,000 --> 00:00:02,000");
    case DocumentFormat::kTable:
      return cut_table(text.text, options, passages);
    default:
      cut_plain(text.text, format == DocumentFormat::kMarkdown, 0, passages);
      return {};
  }
}

}  // namespace

std::optional<DocumentFormat> document_format(std::string_view file_name) {
  constexpr auto kEnds =
      std::to_array<std::pair<std::string_view, DocumentFormat>>({{".txt", DocumentFormat::kText},
                                                                  {".text", DocumentFormat::kText},
                                                                  {".log", DocumentFormat::kText},
                                                                  {".md", DocumentFormat::kMarkdown},
                                                                  {".markdown", DocumentFormat::kMarkdown},
                                                                  {".html", DocumentFormat::kHtml},
                                                                  {".htm", DocumentFormat::kHtml},
                                                                  {".pdf", DocumentFormat::kPdf},
                                                                  {".srt", DocumentFormat::kCues},
                                                                  {".vtt", DocumentFormat::kCues},
                                                                  {".csv", DocumentFormat::kTable},
                                                                  {".tsv", DocumentFormat::kTable}});
  const std::string name = lower(file_name);
  for (const auto& [end, format] : kEnds)
    if (name.ends_with(end)) return format;
  return std::nullopt;
}

DocumentFormat document_format_of(std::string_view bytes) {
  if (is_pdf(bytes)) return DocumentFormat::kPdf;
  const std::string head = lower(trimmed(bytes.substr(0, kPdfMarkPlace)).substr(0, 14));
  const bool html = head.starts_with("<!doctype html") || head.starts_with("<html");
  return html ? DocumentFormat::kHtml : DocumentFormat::kText;
}

Result<std::vector<Passage>> cut_document(std::string_view bytes, DocumentFormat format,
                                          const DocumentOptions& options) {
  if (bytes.size() > kMaxDocumentBytes)
    return fail(ErrorCode::kLimit,
                fmt::format("the document has {} bytes; it may have {}", bytes.size(), kMaxDocumentBytes));
  Passages passages;
  if (format == DocumentFormat::kPdf) {
    if (Status cut = cut_pdf(bytes, passages); !cut) return tl::unexpected(cut.error());
    return passages.take();
  }
  if (bytes.starts_with(kPdfMark))
    return fail(ErrorCode::kBadInput, "it is a PDF: its name must end with .pdf");
  const auto text = read_text(bytes);
  if (!text) return tl::unexpected(text.error());
  if (Status cut = cut_text(bytes, format, options, *text, passages); !cut)
    return tl::unexpected(cut.error());
  auto all = passages.take();
  if (!all) return all;
  FilePlaces places(*text);
  for (Passage& passage : *all) passage.offset = places.of(passage.offset);
  return all;
}

}  // namespace braid::retrieve
