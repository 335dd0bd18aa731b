#pragma once
// Files as records: cut where their structure says so.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/base/result.h"
#include "braid/calendar/utc.h"

namespace braid::retrieve {

enum class DocumentFormat : std::uint8_t { kText, kMarkdown, kHtml, kPdf, kCues, kTable };
/// By the file name's end: .txt, .text, .log; .md, .markdown; .html, .htm; .pdf; .srt, .vtt; .csv, .tsv.
std::optional<DocumentFormat> document_format(std::string_view file_name);
/// Of bytes that came without a name: a PDF, HTML or text, by how they begin.
DocumentFormat document_format_of(std::string_view bytes);
/// The names' ends that are read, for messages.
inline constexpr const char* kDocumentEnds = ".txt, .log, .md, .html, .pdf, .srt, .vtt, .csv, .tsv";

/// Text up to about kPassageBytes. Paragraphs, never across a heading, whose title stands before it, nor
/// across a page; cues that follow one another, up to half a minute; rows of a table as `name=value, ...`,
/// one by one where they have times. What is longer is cut at a sentence's or word's end.
struct Passage {
  std::string text;          ///< valid UTF-8
  int page = 0;              ///< from 1; 0: the format has none
  std::int64_t offset = -1;  ///< bytes from the file's start to where it begins; of a PDF, of the page's text
  /// Its own time, [start, end). None: the document's.
  std::optional<UtcTime> start = std::nullopt;
  UtcTime end{};
};

/// How a cell tells a time; none: it tells none.
using CellTime = std::function<std::optional<UtcTime>(std::string_view cell)>;

struct DocumentOptions {
  UtcTime at{};  ///< when it was: cues count from here
  /// How the cells of a column of that name tell times; empty: they don't. The first such column counts.
  std::function<CellTime(std::string_view name)> time_column = {};
};

inline constexpr std::size_t kPassageBytes = 1200;
inline constexpr std::size_t kMaxDocumentBytes = 64U << 20;
inline constexpr std::size_t kMaxPassages = 100'000;
inline constexpr int kMaxPages = 20'000;
inline constexpr std::size_t kMaxHtmlDepth = 1000;  ///< of elements in one another

/// Texts are UTF-8, UTF-16 with a byte order mark, or else Windows-1252; what of UTF-8 is invalid is
/// replaced. A PDF is read by a process of its own (poppler's pdftotext), which is waited for, for a minute
/// at most and with bounded memory; the others are pure. Errors: kLimit: too long, too many passages or
/// pages, nested too deep, too much work; kBadInput: not what it claims to be, broken, no text in it;
/// kUnsupported: another encoding, locked by a password, or there is no pdftotext; kResource.
Result<std::vector<Passage>> cut_document(std::string_view bytes, DocumentFormat format,
                                          const DocumentOptions& options = {});

}  // namespace braid::retrieve
