#pragma once
// The encodings of text files.

#include <cstdint>
#include <string>
#include <string_view>

#include "braid/base/result.h"

namespace braid::retrieve {

enum class TextEncoding : std::uint8_t { kUtf8, kUtf16, kWindows1252 };

struct TextBytes {
  std::string text;  ///< UTF-8, of kUtf8 as it was, so perhaps invalid
  TextEncoding encoding = TextEncoding::kUtf8;
  std::size_t mark = 0;  ///< bytes of the byte order mark
};

/// UTF-8; UTF-16 by its byte order mark; else Windows-1252, which ISO 8859-1 is part of. kBadInput: more than
/// one character in fifty is a control character: this is no text.
Result<TextBytes> read_text(std::string_view bytes);

/// From places in the text to places in the file; ascending.
class FilePlaces {
 public:
  explicit FilePlaces(const TextBytes& bytes) : bytes_(bytes), place_(bytes.mark) {}
  std::int64_t of(std::int64_t at);

 private:
  const TextBytes& bytes_;
  std::size_t at_ = 0, place_;
};

}  // namespace braid::retrieve
