#include "documents/plain.h"

#include <algorithm>
#include <string>
#include <utility>

namespace braid::retrieve {

namespace {

/// The title of a line such as `## Title ##`; empty: it is none.
std::string_view heading(std::string_view line) {
  std::size_t level = 0;
  while (level < line.size() && line[level] == '#') ++level;
  if (level == 0 || level > 6 || level == line.size() || line[level] != ' ') return {};
  line = trimmed(line.substr(level));
  while (!line.empty() && line.back() == '#') line.remove_suffix(1);
  return trimmed(line);
}

/// Gathers lines to passages.
class Cutter {
 public:
  Cutter(std::string_view text, bool markdown, int page, Passages& passages)
      : text_(text), markdown_(markdown), page_(page), passages_(passages) {}

  void cut() {
    std::size_t at = 0;
    while (at < text_.size() && !passages_.full()) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size());
      take_line(at, text_.substr(at, end - at));
      at = end + 1;
    }
    finish(text_.size());
  }

 private:
  void take_line(std::size_t at, std::string_view line) {
    if (markdown_ && trimmed(line).starts_with("```")) fenced_ = !fenced_;
    const bool marked = markdown_ && !fenced_;
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
    const std::size_t begin = std::exchange(begin_, end);
    if (begin < end)
      passages_.add({std::string(text_.substr(begin, end - begin)), page_, static_cast<std::int64_t>(begin)},
                    title_, true);
  }

  std::string_view text_;
  bool markdown_;
  int page_;
  Passages& passages_;
  std::string_view title_;
  std::size_t begin_ = 0;  // of the passage that is being gathered
  bool fenced_ = false;
};

}  // namespace

void cut_plain(std::string_view text, bool markdown, int page, Passages& passages) {
  Cutter(text, markdown, page, passages).cut();
}

}  // namespace braid::retrieve
