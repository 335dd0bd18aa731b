#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "ascii.h"
#include "braid/openai/base64.h"

namespace braid::openai {

namespace {

constexpr std::string_view kScheme = "data:";
constexpr std::size_t kMaxHead = 512;  // media type and parameters

// "%41" as "A". What isn't an escape stays as it is, but a percent sign must begin one.
Result<std::string> unescape(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      out += text[at];
      continue;
    }
    unsigned value = 0;
    const char* digits = text.data() + at + 1;
    const bool complete = text.size() - at > 2;
    if (!complete || std::from_chars(digits, digits + 2, value, 16).ptr != digits + 2)
      return fail(ErrorCode::kBadInput,
                  fmt::format("a data URI's percent sign at character {} needs two hex digits", at));
    out += static_cast<char>(value);
    at += 2;
  }
  return out;
}

bool token_or_type(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c > 0x20 && c < 0x7F && std::string_view("\"(),:<>?@[]\\").find(c) == std::string_view::npos;
  });
}

}  // namespace

bool is_data_uri(std::string_view uri) { return equal_ignoring_case(uri.substr(0, kScheme.size()), kScheme); }

Result<DataUri> parse_data_uri(std::string_view uri, std::size_t max_bytes) {
  if (!is_data_uri(uri)) return fail(ErrorCode::kBadInput, "not a data URI: it must begin with data:");
  uri.remove_prefix(kScheme.size());
  const std::size_t comma = uri.substr(0, kMaxHead).find(',');
  if (comma == std::string_view::npos)
    return fail(ErrorCode::kBadInput,
                fmt::format("a data URI needs a comma before its data, within {} characters", kMaxHead));
  std::string_view head = uri.substr(0, comma);
  const std::string_view data = uri.substr(comma + 1);

  const std::size_t last = head.rfind(';');
  const bool base64 = last != std::string_view::npos && equal_ignoring_case(head.substr(last + 1), "base64");
  if (base64) head = head.substr(0, last);
  DataUri parsed;
  parsed.mime = lower_case(head.substr(0, head.find(';')));
  if (parsed.mime.empty()) parsed.mime = "text/plain";
  const std::size_t slash = parsed.mime.find('/');
  if (!token_or_type(parsed.mime) || slash == 0 || slash >= parsed.mime.size() - 1)
    return fail(ErrorCode::kBadInput, "a data URI's media type must read type/subtype, as in image/png");

  const bool escaped = !base64 || data.find('%') != std::string_view::npos;
  std::string plain;
  if (escaped) {
    Result<std::string> unescaped = unescape(data);
    if (!unescaped) return tl::unexpected(std::move(unescaped.error()));
    plain = std::move(*unescaped);
  }
  if (!base64) {
    if (plain.size() > max_bytes)
      return fail(ErrorCode::kLimit, fmt::format("more than {} bytes in a data URI", max_bytes));
    parsed.bytes = std::move(plain);
    return parsed;
  }
  Result<std::string> bytes = decode_base64(escaped ? std::string_view(plain) : data, max_bytes);
  if (!bytes) return tl::unexpected(std::move(bytes.error()));
  parsed.bytes = std::move(*bytes);
  return parsed;
}

}  // namespace braid::openai
