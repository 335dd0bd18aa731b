#include "json_in.h"

#include <fmt/format.h>

#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cmath>
#include <functional>
#include <utility>

#include "braid/base/utf8.h"
#include "json_out.h"

namespace braid::openai {

namespace json = boost::json;
using json::error_code;

namespace {
constexpr std::size_t kMaxNamed = 64;  // bytes of a client's own key in a path
}

// What basic_parser calls. A string without escapes comes in one piece that lies in the text itself; others
// come from the parser's own buffer.
struct JsonBuilder {
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  std::string_view source;
  std::size_t max_values = 0;
  JsonDoc doc;
  std::vector<JsonIndex> open;
  std::string_view key;
  std::string parts;
  bool too_many = false;

  std::string_view whole(json::string_view last) {
    const std::less_equal<> before;
    const bool lies_inside = before(source.data(), last.data()) &&
                             before(last.data() + last.size(), source.data() + source.size());
    if (parts.empty() && lies_inside) return {last.data(), last.size()};
    parts.append(last.data(), last.size());
    return doc.unescaped_.emplace_back(std::exchange(parts, {}));
  }
  bool add(JsonNode::Kind kind, std::string_view text, bool truth, error_code& ec) {
    if (doc.nodes_.size() >= max_values) {
      too_many = true;
      ec = json::error::object_too_large;
      return false;
    }
    const auto next = static_cast<JsonIndex>(doc.nodes_.size() + 1);
    doc.nodes_.push_back({std::exchange(key, {}), text, next, kind, truth});
    return true;
  }
  bool begin(JsonNode::Kind kind, error_code& ec) {
    open.push_back(static_cast<JsonIndex>(doc.nodes_.size()));
    return add(kind, {}, false, ec);
  }
  bool finish() {
    doc.nodes_[open.back()].end = static_cast<JsonIndex>(doc.nodes_.size());
    open.pop_back();
    return true;
  }
  bool part(json::string_view s) {
    parts.append(s.data(), s.size());
    return true;
  }

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code& ec) { return begin(JsonNode::Kind::kObject, ec); }
  bool on_object_end(std::size_t, error_code&) { return finish(); }
  bool on_array_begin(error_code& ec) { return begin(JsonNode::Kind::kArray, ec); }
  bool on_array_end(std::size_t, error_code&) { return finish(); }
  bool on_key_part(json::string_view s, std::size_t, error_code&) { return part(s); }
  bool on_key(json::string_view s, std::size_t, error_code&) {
    key = whole(s);
    return true;
  }
  bool on_string_part(json::string_view s, std::size_t, error_code&) { return part(s); }
  bool on_string(json::string_view s, std::size_t, error_code& ec) {
    return add(JsonNode::Kind::kString, whole(s), false, ec);
  }
  bool on_number_part(json::string_view s, error_code&) { return part(s); }
  bool number(json::string_view s, error_code& ec) {
    return add(JsonNode::Kind::kNumber, whole(s), false, ec);
  }
  bool on_int64(std::int64_t, json::string_view s, error_code& ec) { return number(s, ec); }
  bool on_uint64(std::uint64_t, json::string_view s, error_code& ec) { return number(s, ec); }
  bool on_double(double, json::string_view s, error_code& ec) { return number(s, ec); }
  bool on_bool(bool b, error_code& ec) { return add(JsonNode::Kind::kBool, {}, b, ec); }
  bool on_null(error_code& ec) { return add(JsonNode::Kind::kNull, {}, false, ec); }
  bool on_comment_part(json::string_view, error_code&) { return true; }
  bool on_comment(json::string_view, error_code&) { return true; }
};

Result<JsonDoc> JsonDoc::parse(std::string_view text, const JsonBounds& bounds) {
  json::parse_options options;
  options.max_depth = bounds.depth;
  json::basic_parser<JsonBuilder> parser(options);
  parser.handler().source = text;
  parser.handler().max_values = bounds.values;
  error_code ec;
  const std::size_t used = parser.write_some(false, text.data(), text.size(), ec);
  if (parser.handler().too_many)
    return fail(ErrorCode::kLimit, fmt::format("more than {} values in one document", bounds.values));
  if (ec == json::error::too_deep)
    return fail(ErrorCode::kLimit, fmt::format("nested deeper than {} levels", bounds.depth));
  if (ec) return fail(ErrorCode::kBadInput, fmt::format("{} at byte {}", ec.message(), used));
  if (text.find_first_not_of(" \t\r\n", used) != std::string_view::npos)
    return fail(ErrorCode::kBadInput, fmt::format("something follows the value at byte {}", used));
  return std::move(parser.handler().doc);
}

std::optional<JsonIndex> JsonDoc::member(JsonIndex object, std::string_view name) const {
  std::optional<JsonIndex> found;
  if (nodes_[object].kind != JsonNode::Kind::kObject) return found;
  for (JsonIndex at = object + 1; at < nodes_[object].end; at = nodes_[at].end)
    if (nodes_[at].key == name) found = at;
  if (found && nodes_[*found].kind == JsonNode::Kind::kNull) found.reset();
  return found;
}

std::size_t JsonDoc::children(JsonIndex at) const {
  std::size_t count = 0;
  for (JsonIndex child = at + 1; child < nodes_[at].end; child = nodes_[child].end) ++count;
  return count;
}

std::string JsonDoc::path(JsonIndex target) const {
  std::string path;
  for (JsonIndex at = 0; at != target;) {
    const bool array = nodes_[at].kind == JsonNode::Kind::kArray;
    std::size_t index = 0;
    JsonIndex child = at + 1;
    for (; nodes_[child].end <= target; child = nodes_[child].end) ++index;
    if (array)
      path += fmt::format("[{}]", index);
    else
      path.append(path.empty() ? "" : ".").append(nodes_[child].key.substr(0, kMaxNamed));
    at = child;
  }
  return to_valid_utf8(path);
}

std::string JsonDoc::print(JsonIndex root) const {
  std::string out;
  std::vector<JsonIndex> open;
  for (JsonIndex at = root; at < nodes_[root].end; ++at) {
    const JsonNode& node = nodes_[at];
    if (at != root && out.back() != '{' && out.back() != '[') out += ',';
    if (!open.empty() && nodes_[open.back()].kind == JsonNode::Kind::kObject) {
      append_quoted(out, node.key);
      out += ':';
    }
    switch (node.kind) {
      case JsonNode::Kind::kNull:
        out += "null";
        break;
      case JsonNode::Kind::kBool:
        out += node.truth ? "true" : "false";
        break;
      case JsonNode::Kind::kNumber:
        out += node.text;
        break;
      case JsonNode::Kind::kString:
        append_quoted(out, node.text);
        break;
      case JsonNode::Kind::kArray:
      case JsonNode::Kind::kObject:
        out += node.kind == JsonNode::Kind::kArray ? '[' : '{';
        open.push_back(at);
        break;
    }
    for (; !open.empty() && nodes_[open.back()].end == at + 1; open.pop_back())
      out += nodes_[open.back()].kind == JsonNode::Kind::kArray ? ']' : '}';
  }
  return out;
}

const char* describe(const JsonNode& node) {
  switch (node.kind) {
    case JsonNode::Kind::kNull:
      return "null";
    case JsonNode::Kind::kBool:
      return "a boolean";
    case JsonNode::Kind::kNumber:
      return as_integer(node) ? "an integer" : "a decimal";
    case JsonNode::Kind::kString:
      return "a string";
    case JsonNode::Kind::kArray:
      return "an array";
    case JsonNode::Kind::kObject:
      return "an object";
  }
  return "null";
}

std::optional<double> as_double(const JsonNode& number) {
  double value = 0;
  const char* end = number.text.data() + number.text.size();
  const auto [at, ec] = std::from_chars(number.text.data(), end, value);
  if (ec != std::errc{} || at != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool is_huge(const JsonNode& number) {
  if (as_integer(number)) return false;
  const std::optional<double> real = as_double(number);
  // What no double holds is either beyond them or next to 0.
  return real ? *real == std::floor(*real) : number.text.find('-', 1) == std::string_view::npos;
}

std::optional<std::int64_t> as_integer(const JsonNode& number) {
  std::int64_t value = 0;
  const char* end = number.text.data() + number.text.size();
  const auto [at, ec] = std::from_chars(number.text.data(), end, value);
  if (ec == std::errc{} && at == end) return value;
  // 4.0 and 4e2 are whole numbers too.
  constexpr double kExact = 9007199254740992.0;
  const std::optional<double> real = as_double(number);
  if (!real || *real != std::floor(*real) || std::abs(*real) > kExact) return std::nullopt;
  return static_cast<std::int64_t>(*real);
}

}  // namespace braid::openai
