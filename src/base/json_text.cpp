#include "braid/base/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "braid/base/utf8.h"

namespace braid {

namespace {

bool plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x7F && c != '"' && c != '\\';
}

void append_escape(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(c));
  }
}

void append_escaped(std::string& out, std::string_view text) {
  while (!text.empty()) {
    // Bytes of characters beyond ASCII go as they are; what isn't plain and below 0x80 is escaped.
    const auto* stop = std::find_if(text.begin(), text.end(),
                                    [](char c) { return !plain(c) && static_cast<unsigned char>(c) < 0x80; });
    const auto n = static_cast<std::size_t>(stop - text.begin());
    out += text.substr(0, n);
    text.remove_prefix(n);
    if (text.empty()) return;
    append_escape(out, text[0]);
    text.remove_prefix(1);
  }
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  const bool ascii =
      std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (ascii)
    append_escaped(out, text);
  else
    append_escaped(out, to_valid_utf8(text));
  out += '"';
}

std::string quoted(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

}  // namespace braid
