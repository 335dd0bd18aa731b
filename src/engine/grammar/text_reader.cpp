#include "grammar/text_reader.h"

#include <fmt/format.h>

#include <utility>

namespace braid::engine::grammar {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// What a hexadecimal digit stands for; 16: it is none.
std::uint32_t hex_value(char c) {
  if (is_digit(c)) return static_cast<std::uint32_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<std::uint32_t>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<std::uint32_t>(c - 'A' + 10);
  return 16;
}

}  // namespace

bool TextReader::take(char c) {
  if (at_end() || text_[at_] != c) return false;
  ++at_;
  return true;
}

std::uint32_t TextReader::character() {
  if (at_end()) {
    refuse("the text ends too early");
    return 0;
  }
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(peek(i)));
  };
  const std::uint32_t lead = byte(0);
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  std::uint32_t character = length == 1 ? lead : lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) character = character << 6 | (byte(i) & 0x3FU);
  skip(length);
  return character;
}

std::uint32_t TextReader::hex(int digits) {
  std::uint32_t value = 0;
  for (; digits > 0; --digits) {
    const std::uint32_t digit = hex_value(peek());
    if (digit > 15) {
      refuse("a character's number lacks digits");
      return 0;
    }
    value = value << 4 | digit;
    skip(1);
  }
  return value;
}

std::uint32_t TextReader::hex_until(char end) {
  int digits = 0;
  while (digits < 8 && hex_value(peek(static_cast<std::size_t>(digits))) < 16) ++digits;
  if (digits == 0) refuse("a character's number lacks digits");
  const std::uint32_t value = hex(digits);
  if (ok() && !take(end)) refuse(fmt::format("a character's number lacks its '{}'", end));
  return value;
}

std::uint32_t TextReader::count(std::uint32_t most) {
  if (!is_digit(peek())) refuse("a repetition lacks a number");
  std::uint32_t value = 0;
  for (; is_digit(peek()); ++at_) {
    value = value * 10 + static_cast<std::uint32_t>(peek() - '0');
    if (value > most) {
      refuse(fmt::format("something is repeated more than {} times", most), ErrorCode::kLimit);
      return 0;
    }
  }
  return value;
}

void TextReader::refuse(std::string message, ErrorCode code) {
  if (ok()) error_ = Error{code, fmt::format("{} (at byte {})", message, at_), false};
  at_ = text_.size();
}

}  // namespace braid::engine::grammar
