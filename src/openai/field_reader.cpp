#include "field_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "braid/base/nearest.h"
#include "braid/base/utf8.h"

namespace braid::openai {

namespace {

using Kind = JsonNode::Kind;

// The start of a client's own text, for a message.
std::string_view excerpt(std::string_view text) { return text.substr(0, 64); }

}  // namespace

void FieldReader::refuse(JsonIndex at, std::string code, const std::string& message, int status) {
  if (!error_) refuse(doc_.path(at), std::move(code), message, status);
}

void FieldReader::refuse(std::string param, std::string code, const std::string& message, int status) {
  if (!error_)
    error_ =
        ApiError{status, to_valid_utf8(message), "invalid_request_error", std::move(param), std::move(code)};
}

void FieldReader::wrong_type(JsonIndex at, std::string_view expected) {
  if (failed()) return;
  refuse(at, "invalid_type",
         fmt::format("Invalid type for '{}': expected {}, but got {} instead.", doc_.path(at), expected,
                     describe(doc_[at])));
}

std::string FieldReader::path(JsonIndex object, std::string_view name) const {
  std::string path = doc_.path(object);
  return path.append(path.empty() ? "" : ".").append(name);
}

void FieldReader::only(JsonIndex object, std::span<const std::string_view> known) {
  if (failed() || doc_[object].kind != Kind::kObject) return;
  for (JsonIndex at = object + 1; at < doc_[object].end; at = doc_[at].end)
    if (std::find(known.begin(), known.end(), doc_[at].key) == known.end())
      return refuse(
          at, "unknown_parameter",
          fmt::format("Unknown parameter: '{}'; {}", doc_.path(at), did_you_mean(doc_[at].key, known)));
}

bool FieldReader::is(JsonIndex at, Kind kind, std::string_view expected) {
  if (doc_[at].kind == kind) return true;
  wrong_type(at, expected);
  return false;
}

bool FieldReader::within(JsonIndex at, std::size_t count, std::size_t max, std::string_view what) {
  if (count <= max) return true;
  const bool text = doc_[at].kind == Kind::kString;
  if (!failed())
    refuse(at, text ? "string_above_max_length" : "array_above_max_length",
           fmt::format("Invalid '{}': too long. Expected at most {} {}, but got {} instead.", doc_.path(at),
                       max, what, count));
  return false;
}

std::optional<JsonIndex> FieldReader::object(JsonIndex object, std::string_view name) {
  const std::optional<JsonIndex> at = doc_.member(object, name);
  if (!at || !is(*at, Kind::kObject, "an object")) return std::nullopt;
  return at;
}

std::optional<JsonIndex> FieldReader::array(JsonIndex object, std::string_view name) {
  const std::optional<JsonIndex> at = doc_.member(object, name);
  if (!at || !is(*at, Kind::kArray, "an array")) return std::nullopt;
  return at;
}

std::optional<std::string_view> FieldReader::string(JsonIndex object, std::string_view name,
                                                    std::size_t max_bytes) {
  const std::optional<JsonIndex> at = doc_.member(object, name);
  if (!at || !is(*at, Kind::kString, "a string")) return std::nullopt;
  if (!within(*at, doc_[*at].text.size(), max_bytes, "bytes")) return std::nullopt;
  return doc_[*at].text;
}

std::optional<bool> FieldReader::boolean(JsonIndex object, std::string_view name) {
  const std::optional<JsonIndex> at = doc_.member(object, name);
  if (!at || !is(*at, Kind::kBool, "a boolean")) return std::nullopt;
  return doc_[*at].truth;
}

std::optional<double> FieldReader::decimal(JsonIndex object, std::string_view name, double min, double max) {
  const std::optional<JsonIndex> at = doc_.member(object, name);
  if (!at || !is(*at, Kind::kNumber, "a decimal")) return std::nullopt;
  const std::optional<double> value = as_double(doc_[*at]);
  if (value && *value >= min && *value <= max) return value;
  const bool below = value && *value < min;
  if (!failed())
    refuse(*at, below ? "decimal_below_min_value" : "decimal_above_max_value",
           fmt::format("Invalid '{}': out of range. Expected a value from {} to {}, but got {} instead.",
                       doc_.path(*at), min, max, excerpt(doc_[*at].text)));
  return std::nullopt;
}

std::optional<std::int64_t> FieldReader::integer(JsonIndex object, std::string_view name, std::int64_t min,
                                                 std::int64_t max) {
  const std::optional<JsonIndex> at = doc_.member(object, name);
  if (!at || !is(*at, Kind::kNumber, "an integer")) return std::nullopt;
  const std::optional<std::int64_t> value = as_integer(doc_[*at]);
  if (!value && !is_huge(doc_[*at])) {
    wrong_type(*at, "an integer");
    return std::nullopt;
  }
  if (value && *value >= min && *value <= max) return value;
  const bool below = value ? *value < min : doc_[*at].text.starts_with('-');
  if (!failed())
    refuse(*at, below ? "integer_below_min_value" : "integer_above_max_value",
           fmt::format("Invalid '{}': out of range. Expected a value from {} to {}, but got {} instead.",
                       doc_.path(*at), min, max, excerpt(doc_[*at].text)));
  return std::nullopt;
}

std::optional<std::string_view> FieldReader::word(JsonIndex object, std::string_view name,
                                                  std::initializer_list<std::string_view> allowed) {
  const std::optional<JsonIndex> at = doc_.member(object, name);
  if (!at || !is(*at, Kind::kString, "a string")) return std::nullopt;
  const auto* found = std::find(allowed.begin(), allowed.end(), doc_[*at].text);
  if (found != allowed.end()) return *found;
  unsupported_word(*at, allowed);
  return std::nullopt;
}

void FieldReader::unsupported_word(JsonIndex at, std::initializer_list<std::string_view> allowed) {
  if (failed()) return;
  refuse(at, "invalid_value",
         fmt::format("Invalid value for '{}': '{}'. Supported values are: '{}'.", doc_.path(at),
                     excerpt(doc_[at].text), fmt::join(allowed, "', '")));
}

std::optional<JsonIndex> FieldReader::required(JsonIndex object, std::string_view name) {
  const std::optional<JsonIndex> at = doc_.member(object, name);
  if (!at && !failed()) {
    const std::string param = path(object, name);
    refuse(param, "missing_required_parameter", fmt::format("Missing required parameter: '{}'.", param));
  }
  return at;
}

std::string FieldReader::required_string(JsonIndex object, std::string_view name, std::size_t max_bytes) {
  const std::optional<JsonIndex> at = required(object, name);
  const std::optional<std::string_view> text = at ? string(object, name, max_bytes) : std::nullopt;
  if (!text) return {};
  if (text->empty() && !failed())
    refuse(*at, "empty_string",
           fmt::format("Invalid '{}': empty string. Expected some text.", doc_.path(*at)));
  return std::string(*text);
}

std::optional<JsonIndex> FieldReader::required_object(JsonIndex object, std::string_view name) {
  const std::optional<JsonIndex> at = required(object, name);
  if (!at || !is(*at, Kind::kObject, "an object")) return std::nullopt;
  return at;
}

Parsed<JsonDoc> parse_object(std::string_view body, std::size_t max_bytes, const JsonBounds& bounds,
                             std::string_view what) {
  if (body.size() > max_bytes)
    return tl::unexpected(
        ApiError{413, fmt::format("The {} has {} bytes; at most {} are taken.", what, body.size(), max_bytes),
                 "invalid_request_error", "", "request_too_large"});
  Result<JsonDoc> doc = JsonDoc::parse(body, bounds);
  if (!doc)
    return tl::unexpected(
        ApiError{400, fmt::format("The {} isn't JSON that can be read: {}.", what, doc.error().message),
                 "invalid_request_error", "", "invalid_json"});
  if ((*doc)[0].kind != JsonNode::Kind::kObject)
    return tl::unexpected(
        ApiError{400, fmt::format("The {} must be a JSON object, but is {}.", what, describe((*doc)[0])),
                 "invalid_request_error", "", "invalid_type"});
  return std::move(*doc);
}

}  // namespace braid::openai
