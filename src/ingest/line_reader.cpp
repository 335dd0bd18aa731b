#include "line_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace braid::ingest {

namespace {
constexpr std::size_t kReadBytes = 16 << 10;
}

/// False: nothing more comes.
bool LineReader::fill() {
  if (at_end_) return false;
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(begin_));
  begin_ = 0;
  const std::size_t size = buffer_.size();
  buffer_.resize(size + kReadBytes);
  const std::ptrdiff_t got = bytes_->read(reinterpret_cast<std::uint8_t*>(buffer_.data() + size), kReadBytes);
  buffer_.resize(size + static_cast<std::size_t>(std::max<std::ptrdiff_t>(got, 0)));
  at_end_ = got <= 0;
  return !at_end_;
}

std::string_view LineReader::cut(std::size_t end, std::size_t next_begin) {
  std::string_view line(buffer_.data() + begin_, end - begin_);
  begin_ = next_begin;
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  return line;
}

Result<std::optional<std::string_view>> LineReader::next() {
  bool too_long = false;
  ++line_;
  for (std::size_t searched = 0;;) {
    const auto from = buffer_.begin() + static_cast<std::ptrdiff_t>(begin_ + searched);
    const auto found = std::find(from, buffer_.end(), '\n');
    const auto position = static_cast<std::size_t>(found - buffer_.begin());
    if (found != buffer_.end()) {
      too_long |= position - begin_ > kMaxLineBytes;
      const std::string_view line = cut(position, position + 1);
      if (!too_long) return line;
      return fail(ErrorCode::kLimit, fmt::format("more than {} bytes in a line", kMaxLineBytes));
    }
    if (buffer_.size() - begin_ > kMaxLineBytes) {
      too_long = true;
      begin_ = buffer_.size();
    }
    searched = buffer_.size() - begin_;
    if (fill()) continue;
    if (too_long) return fail(ErrorCode::kLimit, fmt::format("more than {} bytes in a line", kMaxLineBytes));
    if (begin_ == buffer_.size()) return std::nullopt;
    return cut(buffer_.size(), buffer_.size());
  }
}

}  // namespace braid::ingest
