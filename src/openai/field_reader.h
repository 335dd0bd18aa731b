#pragma once
// Takes typed fields out of a JSON document. The first failure is kept and all after it are passed over, so
// that a reader of a format is a list of fields.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "braid/openai/api_error.h"
#include "json_in.h"

namespace braid::openai {

/// Latest of all times that clients give, microseconds: the year 2096 as Unix time. In nanoseconds, a
/// session's start and a medium's length later it still fits 64 bits.
inline constexpr std::int64_t kMaxTimeUs = 4'000'000'000'000'000;

class FieldReader {
 public:
  explicit FieldReader(const JsonDoc& doc) : doc_(doc) {}

  const JsonDoc& doc() const { return doc_; }
  const JsonNode& node(JsonIndex at) const { return doc_[at]; }
  bool failed() const { return error_.has_value(); }
  ApiError take_error() { return std::move(*error_); }

  /// Keeps this as the failure if it is the first. `param` by the value's place, or as given.
  void refuse(JsonIndex at, std::string code, const std::string& message, int status = 400);
  void refuse(std::string param, std::string code, const std::string& message, int status = 400);
  void wrong_type(JsonIndex at, std::string_view expected);
  /// "messages[1].NAME"
  std::string path(JsonIndex object, std::string_view name) const;

  /// Members of `object`. Absent and null give none; so does a failure.
  std::optional<JsonIndex> object(JsonIndex object, std::string_view name);
  std::optional<JsonIndex> array(JsonIndex object, std::string_view name);
  std::optional<std::string_view> string(JsonIndex object, std::string_view name, std::size_t max_bytes);
  std::optional<bool> boolean(JsonIndex object, std::string_view name);
  std::optional<double> decimal(JsonIndex object, std::string_view name, double min, double max);
  std::optional<std::int64_t> integer(JsonIndex object, std::string_view name,
                                      std::int64_t min = std::numeric_limits<std::int64_t>::min(),
                                      std::int64_t max = std::numeric_limits<std::int64_t>::max());
  /// One of `allowed`.
  std::optional<std::string_view> word(JsonIndex object, std::string_view name,
                                       std::initializer_list<std::string_view> allowed);
  /// The same, and a failure if absent.
  std::optional<JsonIndex> required(JsonIndex object, std::string_view name);
  /// A required string that isn't empty; empty after a failure.
  std::string required_string(JsonIndex object, std::string_view name, std::size_t max_bytes);
  /// A required member of `object` with an object in it.
  std::optional<JsonIndex> required_object(JsonIndex object, std::string_view name);

  /// Refuses a member of `object` whose name isn't among `known`: for objects of Braid's own, since what
  /// stock clients send beside OpenAI's fields is passed over.
  void only(JsonIndex object, std::span<const std::string_view> known);

  bool is(JsonIndex at, JsonNode::Kind kind, std::string_view expected);
  bool within(JsonIndex at, std::size_t count, std::size_t max, std::string_view what);
  void unsupported_word(JsonIndex at, std::initializer_list<std::string_view> allowed);

 private:
  const JsonDoc& doc_;
  std::optional<ApiError> error_;
};

/// Parses `body` as one JSON object; errors are 400 and 413 (longer than `max_bytes`) and call it `what`.
Parsed<JsonDoc> parse_object(std::string_view body, std::size_t max_bytes, const JsonBounds& bounds,
                             std::string_view what = "body");

}  // namespace braid::openai
