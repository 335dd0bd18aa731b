#include "documents/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace braid::retrieve {

namespace {

constexpr std::size_t kMaxColumns = 256;
constexpr std::size_t kMaxCellBytes = 64U << 10;

using Row = std::vector<std::string>;

/// What the first row has most of outside of quotes; a comma in a number separates nothing where there is
/// another.
char separator_of(std::string_view line) {
  std::size_t semicolons = 0, tabs = 0, commas = 0;
  bool quoted = false;
  for (const char c : line) {
    quoted ^= c == '"';
    if (quoted) continue;
    semicolons += c == ';';
    tabs += c == '\t';
    commas += c == ',';
  }
  if (semicolons > 0 && semicolons >= tabs && semicolons >= commas) return ';';
  return tabs > 0 && tabs >= commas ? '\t' : ',';
}

class TableReader {
 public:
  explicit TableReader(std::string_view text)
      : text_(text), separator_(separator_of(text.substr(0, text.find('\n')))) {}

  bool at_end() const { return at_ >= text_.size(); }
  std::size_t place() const { return at_; }
  std::size_t number() const { return number_; }
  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1; }
  bool at_comment() const { return text_[at_] == '#'; }

  /// The next row; a quoted cell may hold line ends.
  Result<Row> row() {
    ++number_;
    Row row;
    for (bool more = true; more;) {
      if (row.size() == kMaxColumns)
        return fail(ErrorCode::kLimit,
                    fmt::format("row {} has more than {} columns: split the table", number_, kMaxColumns));
      std::string cell;
      if (!take_cell(cell))
        return fail(ErrorCode::kLimit,
                    fmt::format("row {} has a cell of more than {} bytes: is a quote not closed?", number_,
                                kMaxCellBytes));
      row.emplace_back(trimmed(cell));
      more = !at_end() && text_[at_] == separator_;
      if (!at_end()) ++at_;
    }
    return row;
  }

 private:
  bool take_cell(std::string& cell) {
    while (!at_end() && text_[at_] == ' ') ++at_;
    bool quoted = !at_end() && text_[at_] == '"';
    at_ += quoted ? 1 : 0;
    for (; !at_end(); ++at_) {
      const char c = text_[at_];
      if (quoted && c == '"') {
        // A doubled one is a quote, any other ends the quotes.
        quoted = at_ + 1 < text_.size() && text_[at_ + 1] == '"';
        if (!quoted) continue;
        ++at_;
      } else if (!quoted && (c == separator_ || c == '\n')) {
        return true;
      }
      if (cell.size() == kMaxCellBytes) return false;
      cell += c;
    }
    return true;
  }

  std::string_view text_;
  char separator_;
  std::size_t at_ = 0, number_ = 0;
};

bool has_number(const Row& row) {
  return std::any_of(row.begin(), row.end(), [](const std::string& cell) {
    return !cell.empty() && cell.find_first_not_of("+-.,0123456789eE:TZ/ %") == std::string::npos;
  });
}

bool is_blank(const Row& row) {
  return std::all_of(row.begin(), row.end(), [](const std::string& cell) { return cell.empty(); });
}

struct Header {
  Row names;
  std::size_t time_column = kMaxColumns;
  CellTime time;

  std::string name(std::size_t column) const {
    if (column < names.size() && !names[column].empty()) return names[column];
    return fmt::format("column {}", column + 1);
  }
};

Header header_of(Row names, const DocumentOptions& options) {
  Header header{std::move(names), kMaxColumns, {}};
  for (std::size_t i = 0; i < header.names.size() && options.time_column && !header.time; ++i) {
    header.time = options.time_column(header.names[i]);
    if (header.time) header.time_column = i;
  }
  return header;
}

void take_row(const Row& row, const Header& header, std::size_t place, BlockGatherer& blocks,
              Passages& passages) {
  std::optional<UtcTime> time;
  if (header.time_column < row.size()) time = header.time(row[header.time_column]);
  std::string text;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i].empty() || (time && i == header.time_column)) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", header.name(i), row[i]);
  }
  if (text.empty()) return;
  const auto offset = static_cast<std::int64_t>(place);
  if (!time) return blocks.block(text, offset);
  blocks.finish();
  passages.add({std::move(text), 0, offset, time, *time}, {}, false);
}

}  // namespace

Status cut_table(std::string_view text, const DocumentOptions& options, Passages& passages) {
  TableReader reader(text);
  BlockGatherer blocks(passages);
  std::optional<Header> header;
  while (!reader.at_end() && !passages.full()) {
    if (reader.at_comment()) {
      reader.skip_line();
      continue;
    }
    const std::size_t place = reader.place();
    auto row = reader.row();
    if (!row) return tl::unexpected(row.error());
    if (is_blank(*row)) continue;
    if (!header) {
      const bool named = !has_number(*row);
      header = header_of(named ? *row : Row(), options);
      if (named) continue;
    }
    take_row(*row, *header, place, blocks, passages);
  }
  blocks.finish();
  return {};
}

}  // namespace braid::retrieve
