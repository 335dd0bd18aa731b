#include "json_out.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "braid/base/milliseconds_text.h"

namespace braid::openai {

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

JsonOut& JsonOut::any_name(std::string_view name) {
  separate();
  append_quoted(text_, name);
  text_ += ':';
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
