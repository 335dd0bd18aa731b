#pragma once
// Bytes to lines, bounded.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/base/result.h"
#include "byte_reader.h"

namespace braid::ingest {

/// One thread, except stop().
class LineReader {
 public:
  static constexpr std::size_t kMaxLineBytes = 64 << 10;

  explicit LineReader(std::unique_ptr<ByteReader> bytes) : bytes_(std::move(bytes)) {}

  /// Blocks until there is a whole line. None: the end or stop(). Without its end (LF or CRLF) and a leading
  /// byte order mark; valid until the next call. kLimit: the line is too long and skipped.
  Result<std::optional<std::string_view>> next();
  std::int64_t line() const { return line_; }  ///< of the last next(), from 1
  void stop() { bytes_->stop(); }

 private:
  bool fill();
  std::string_view cut(std::size_t end, std::size_t next_begin);

  std::unique_ptr<ByteReader> bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  bool at_end_ = false;
  std::int64_t line_ = 0;
};

}  // namespace braid::ingest
