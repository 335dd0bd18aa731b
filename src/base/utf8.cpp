#include "braid/base/utf8.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace braid {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Lead {
  std::size_t length = 0;                // of the character; 0: no character begins so
  std::uint8_t low = 0x80, high = 0xBF;  // of the second byte: no overlong forms, no surrogates, <= U+10FFFF
};

Lead lead_of(std::uint8_t byte) {
  if (byte < 0x80) return {1};
  if (byte < 0xC2 || byte > 0xF4) return {};
  if (byte < 0xE0) return {2};
  if (byte < 0xF0) {
    Lead lead{3};
    if (byte == 0xE0) lead.low = 0xA0;
    if (byte == 0xED) lead.high = 0x9F;
    return lead;
  }
  Lead lead{4};
  if (byte == 0xF0) lead.low = 0x90;
  if (byte == 0xF4) lead.high = 0x8F;
  return lead;
}

// Bytes of the longest start of a character at `at`; `complete` if it is all of one.
struct Subpart {
  std::size_t length;
  bool complete;
};

Subpart subpart(std::string_view bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
  const Lead lead = lead_of(byte(at));
  if (lead.length == 0) return {1, false};
  std::size_t n = 1;
  while (n < lead.length && at + n < bytes.size()) {
    const std::uint8_t next = byte(at + n);
    if (next < (n == 1 ? lead.low : 0x80) || next > (n == 1 ? lead.high : 0xBF)) break;
    ++n;
  }
  return {n, n == lead.length};
}

// C0, DEL, and C1, which begins with C2.
bool is_control(std::string_view character) {
  const auto byte = static_cast<std::uint8_t>(character[0]);
  if (byte == 0xC2) return static_cast<std::uint8_t>(character[1]) < 0xA0;
  return byte < 0x20 || byte == 0x7F;
}

}  // namespace

void take_characters(std::string& bytes, std::string& text) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const Subpart part = subpart(bytes, at);
    const bool may_go_on = !part.complete && at + part.length == bytes.size() &&
                           lead_of(static_cast<std::uint8_t>(bytes[at])).length > 0;
    if (may_go_on) break;
    text += part.complete ? std::string_view(bytes).substr(at, part.length) : kReplacement;
    at += part.length;
  }
  bytes.erase(0, at);
}

std::string to_valid_utf8(std::string_view bytes) {
  std::string rest(bytes);
  std::string text;
  take_characters(rest, text);
  if (!rest.empty()) text += kReplacement;
  return text;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Subpart part = subpart(text, at);
    const std::string_view character = text.substr(at, part.length);
    at += part.length;
    if (part.complete && !is_control(character)) {
      out += character;
      continue;
    }
    for (const char byte : character)
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(byte));
  }
  return out;
}

}  // namespace braid
