#pragma once
// Reads a text character by character, up to the first error.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "braid/base/result.h"

namespace braid::engine::grammar {

/// Of valid UTF-8. After refuse() it stands at the end, and says so.
class TextReader {
 public:
  explicit TextReader(std::string_view text) : text_(text) {}

  bool ok() const { return !error_; }
  const Error& error() const { return *error_; }
  bool at_end() const { return at_ >= text_.size(); }
  std::string_view rest() const { return text_.substr(at_); }
  void skip(std::size_t bytes) { at_ = std::min(at_ + bytes, text_.size()); }

  /// NUL at the end.
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool take(char c);
  /// The next character; an error at the end.
  std::uint32_t character();
  /// So many hexadecimal digits, at most 8.
  std::uint32_t hex(int digits);
  /// Hexadecimal digits up to `end`, which is taken too.
  std::uint32_t hex_until(char end);
  /// A decimal number up to `most`.
  std::uint32_t count(std::uint32_t most);

  /// The first error stays.
  void refuse(std::string message, ErrorCode code = ErrorCode::kBadInput);

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<Error> error_;
};

}  // namespace braid::engine::grammar
