#include "braid/retrieve/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "braid/base/utf8.h"

namespace braid::retrieve {

namespace {

constexpr std::size_t kMaxTitleBytes = 200;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

/// The title of a line such as `## Title ##`; empty: it is none.
std::string_view heading(std::string_view line) {
  std::size_t level = 0;
  while (level < line.size() && line[level] == '#') ++level;
  if (level == 0 || level > 6 || level == line.size() || line[level] != ' ') return {};
  line = trimmed(line.substr(level));
  while (!line.empty() && line.back() == '#') line.remove_suffix(1);
  return trimmed(line).substr(0, kMaxTitleBytes);
}

/// Where to cut what is longer than `most`: behind a sentence, else a word, else a character.
std::size_t cut_place(std::string_view text, std::size_t most) {
  for (std::size_t at = most; at > most / 2; --at)
    if (text[at - 1] == ' ' && at > 1 && (text[at - 2] == '.' || text[at - 2] == '!' || text[at - 2] == '?'))
      return at;
  for (std::size_t at = most; at > most / 2; --at)
    if (std::isspace(static_cast<unsigned char>(text[at - 1])) != 0) return at;
  std::size_t at = most;
  while (at > most / 2 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) --at;
  return at;
}

/// Gathers lines to passages.
class Cutter {
 public:
  Cutter(std::string_view bytes, DocumentFormat format) : bytes_(bytes), format_(format) {}

  Result<std::vector<Passage>> cut() {
    std::size_t at = 0;
    while (at < bytes_.size() && passages_.size() <= kMaxPassages) {
      const std::size_t end = std::min(bytes_.find('\n', at), bytes_.size());
      take_line(at, bytes_.substr(at, end - at));
      at = end + 1;
    }
    finish(bytes_.size());
    if (passages_.size() > kMaxPassages)
      return fail(ErrorCode::kLimit,
                  fmt::format("the document has more than {} passages: split it", kMaxPassages));
    return std::move(passages_);
  }

 private:
  void take_line(std::size_t at, std::string_view line) {
    if (format_ == DocumentFormat::kMarkdown && trimmed(line).starts_with("```")) fenced_ = !fenced_;
    const bool marked = format_ == DocumentFormat::kMarkdown && !fenced_;
    if (const auto title = marked ? heading(line) : std::string_view(); !title.empty()) {
      finish(at);
      title_ = title;
      begin_ = at + line.size();
      return;
    }
    const bool blank = trimmed(line).empty();
    // A paragraph's end is a place to cut once the passage is long enough.
    if (blank && at - begin_ >= kPassageBytes / 2) finish(at);
    if (!blank && at + line.size() - begin_ > kPassageBytes && at > begin_) finish(at);
  }

  void finish(std::size_t end) {
    std::size_t begin = std::exchange(begin_, end);
    while (begin < end && passages_.size() <= kMaxPassages) {
      std::string_view rest = bytes_.substr(begin, end - begin);
      const std::size_t taken = rest.size() > kPassageBytes ? cut_place(rest, kPassageBytes) : rest.size();
      add(begin, rest.substr(0, taken));
      begin += taken;
    }
  }

  void add(std::size_t at, std::string_view piece) {
    const std::string_view text = trimmed(piece);
    if (text.empty()) return;
    Passage passage;
    passage.text = to_valid_utf8(title_.empty() ? std::string(text) : fmt::format("{}\n{}", title_, text));
    std::erase(passage.text, '\0');
    passage.offset = static_cast<std::int64_t>(at + static_cast<std::size_t>(text.data() - piece.data()));
    passages_.push_back(std::move(passage));
  }

  std::string_view bytes_;
  DocumentFormat format_;
  std::vector<Passage> passages_;
  std::string_view title_;
  std::size_t begin_ = 0;  // of the passage that is being gathered
  bool fenced_ = false;
};

}  // namespace

std::optional<DocumentFormat> document_format(std::string_view file_name) {
  constexpr auto kEnds =
      std::to_array<std::pair<std::string_view, DocumentFormat>>({{".txt", DocumentFormat::kText},
                                                                  {".text", DocumentFormat::kText},
                                                                  {".log", DocumentFormat::kText},
                                                                  {".md", DocumentFormat::kMarkdown},
                                                                  {".markdown", DocumentFormat::kMarkdown}});
  std::string lower(file_name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [end, format] : kEnds)
    if (lower.ends_with(end)) return format;
  return std::nullopt;
}

Result<std::vector<Passage>> cut_document(std::string_view bytes, DocumentFormat format) {
  if (bytes.size() > kMaxDocumentBytes)
    return fail(ErrorCode::kLimit,
                fmt::format("the document has {} bytes; it may have {}", bytes.size(), kMaxDocumentBytes));
  return Cutter(bytes, format).cut();
}

}  // namespace braid::retrieve
