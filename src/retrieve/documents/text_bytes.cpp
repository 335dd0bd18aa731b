#include "documents/text_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "braid/base/utf8.h"

namespace braid::retrieve {

namespace {

constexpr std::size_t kControlShare = 50;  // one in so many
constexpr std::ptrdiff_t kFewControls = 8;
constexpr char32_t kReplacement = 0xFFFD;

/// What Windows-1252 has at 0x80 to 0x9F; its five gaps stand for themselves, as browsers take them.
constexpr std::array<char16_t, 32> kWindows = {
    0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

void append(std::string& text, char32_t code) {
  const auto byte = [&](char32_t value) { text += static_cast<char>(value); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xC0U | code >> 6U);
  } else {
    if (code < 0x10000) {
      byte(0xE0U | code >> 12U);
    } else {
      byte(0xF0U | code >> 18U);
      byte(0x80U | (code >> 12U & 0x3FU));
    }
    byte(0x80U | (code >> 6U & 0x3FU));
  }
  byte(0x80U | (code & 0x3FU));
}

std::string from_utf16(std::string_view bytes, bool big) {
  const auto unit = [&](std::size_t at) {
    const auto first = static_cast<unsigned char>(bytes[at]),
               second = static_cast<unsigned char>(bytes[at + 1]);
    return static_cast<char32_t>(big ? first << 8U | second : second << 8U | first);
  };
  std::string text;
  for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
    char32_t code = unit(at);
    const bool high = code >= 0xD800 && code < 0xDC00;
    const char32_t low = high && at + 3 < bytes.size() ? unit(at + 2) : 0;
    if (high && low >= 0xDC00 && low < 0xE000) {
      code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
      at += 2;
    } else if (code >= 0xD800 && code < 0xE000) {
      code = kReplacement;
    }
    append(text, code);
  }
  return text;
}

std::string from_windows(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    append(text, byte >= 0x80 && byte < 0xA0 ? kWindows[byte - 0x80] : byte);
  }
  return text;
}

/// Of text that is almost UTF-8 some characters are, a byte of Windows-1252 hardly ever.
bool is_utf8(std::string_view bytes) {
  const std::string valid = to_valid_utf8(bytes);
  if (valid == bytes) return true;
  std::size_t replaced = 0, characters = 0;
  for (std::size_t at = 0; at < valid.size(); ++at) {
    if (static_cast<unsigned char>(valid[at]) < 0xC0) continue;
    const bool is_replacement = std::string_view(valid).substr(at, 3) == "\xEF\xBF\xBD";
    ++(is_replacement ? replaced : characters);
  }
  return characters > replaced;
}

Result<TextBytes> checked(TextBytes bytes) {
  const auto controls = std::count_if(bytes.text.begin(), bytes.text.end(), [](char c) {
    constexpr std::string_view kLayout = "\t\n\v\f\r\x1B";
    return static_cast<unsigned char>(c) < 0x20 && kLayout.find(c) == std::string_view::npos;
  });
  if (controls >= kFewControls && static_cast<std::size_t>(controls) * kControlShare > bytes.text.size())
    return fail(ErrorCode::kBadInput,
                fmt::format("it is no text: {} of its {} bytes are control characters; text is UTF-8, UTF-16 "
                            "with a byte order mark, or Windows-1252",
                            controls, bytes.text.size()));
  return bytes;
}

}  // namespace

Result<TextBytes> read_text(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF"))
    return checked({std::string(bytes.substr(3)), TextEncoding::kUtf8, 3});
  const bool big = bytes.starts_with("\xFE\xFF");
  if (big || bytes.starts_with("\xFF\xFE"))
    return checked({from_utf16(bytes.substr(2), big), TextEncoding::kUtf16, 2});
  if (is_utf8(bytes)) return checked({std::string(bytes), TextEncoding::kUtf8, 0});
  return checked({from_windows(bytes), TextEncoding::kWindows1252, 0});
}

std::int64_t FilePlaces::of(std::int64_t at) {
  const std::size_t end =
      std::min(static_cast<std::size_t>(std::max<std::int64_t>(at, 0)), bytes_.text.size());
  if (bytes_.encoding == TextEncoding::kUtf8) return static_cast<std::int64_t>(end + bytes_.mark);
  for (; at_ < end; ++at_) {
    const auto byte = static_cast<unsigned char>(bytes_.text[at_]);
    if ((byte & 0xC0U) == 0x80U) continue;
    // A character beyond the first 65,536 is two units of UTF-16.
    place_ += bytes_.encoding == TextEncoding::kWindows1252 ? 1 : byte >= 0xF0 ? 4 : 2;
  }
  return static_cast<std::int64_t>(place_);
}

}  // namespace braid::retrieve
