#pragma once
// A JSON document as one flat array of values over the text it was parsed from: strings without escapes are
// not copied, so a picture of many megabytes inside costs nothing until it is decoded.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/base/result.h"

namespace braid::openai {

struct JsonBounds {
  std::size_t values = 1U << 18;
  std::size_t depth = 32;
};

/// A value. Its children, if any, follow it directly; `end` is the index after the last of them.
struct JsonNode {
  enum class Kind : std::uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };
  std::string_view key;   // of a member
  std::string_view text;  // of a string: without escapes; of a number: as written
  std::uint32_t end = 0;
  Kind kind = Kind::kNull;
  bool truth = false;  // of a bool
};

using JsonIndex = std::uint32_t;

/// What `text` held, which must outlive it. The root is value 0. Movable; const use from any thread.
class JsonDoc {
 public:
  /// RFC 8259, UTF-8 checked. Errors: kBadInput, kLimit.
  static Result<JsonDoc> parse(std::string_view text, const JsonBounds& bounds);

  const JsonNode& operator[](JsonIndex at) const { return nodes_[at]; }
  /// The member of that name, the last if there are several; none: not there, or null.
  std::optional<JsonIndex> member(JsonIndex object, std::string_view name) const;
  std::size_t children(JsonIndex at) const;
  /// "messages[1].content" for the value at `at`; empty for the root.
  std::string path(JsonIndex at) const;
  /// The value as compact JSON, numbers as they were written.
  std::string print(JsonIndex at) const;

 private:
  friend struct JsonBuilder;
  std::vector<JsonNode> nodes_;
  std::deque<std::string> unescaped_;  // what nodes_ points to where the text itself can't serve
};

/// "a string", "an integer", ... for messages.
const char* describe(const JsonNode& node);
/// The number as written; none if it isn't finite (or not a whole one within 64 bits).
std::optional<double> as_double(const JsonNode& number);
std::optional<std::int64_t> as_integer(const JsonNode& number);
/// A whole number beyond those that as_integer() gives.
bool is_huge(const JsonNode& number);

}  // namespace braid::openai
