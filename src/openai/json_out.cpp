#include "json_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "braid/base/milliseconds_text.h"
#include "braid/base/utf8.h"

namespace braid::openai {

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

void JsonOut::separate() {
  if (text_.empty()) return;
  const char last = text_.back();
  if (last != '{' && last != '[' && last != ':') text_ += ',';
}

JsonOut& JsonOut::name(std::string_view name) {
  separate();
  text_.append("\"").append(name).append("\":");
  return *this;
}

JsonOut& JsonOut::string(std::string_view value) {
  separate();
  append_quoted(text_, value);
  return *this;
}

JsonOut& JsonOut::string_or_null(std::string_view value) { return value.empty() ? null() : string(value); }

JsonOut& JsonOut::integer(std::int64_t value) { return raw(fmt::format_int(value).c_str()); }

JsonOut& JsonOut::count(std::uint64_t value) { return raw(fmt::format_int(value).c_str()); }

JsonOut& JsonOut::real(double value) {
  if (!std::isfinite(value)) return null();
  std::string text = fmt::format("{}", value);
  return raw(text);
}

JsonOut& JsonOut::boolean(bool value) { return raw(value ? "true" : "false"); }

JsonOut& JsonOut::null() { return raw("null"); }

JsonOut& JsonOut::ms(std::optional<Nanoseconds> span) {
  return span ? raw(milliseconds_text(*span)) : null();
}

JsonOut& JsonOut::raw(std::string_view json) {
  separate();
  text_ += json;
  return *this;
}

JsonOut& JsonOut::open(char bracket) {
  separate();
  text_ += bracket;
  return *this;
}

JsonOut& JsonOut::close(char bracket) {
  text_ += bracket;
  return *this;
}

std::string JsonOut::take() { return std::exchange(text_, {}); }

}  // namespace braid::openai
