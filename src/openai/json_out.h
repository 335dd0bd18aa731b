#pragma once
// JSON text, written value by value.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "braid/base/json_text.h"
#include "braid/base/stage.h"
#include "braid/base/time.h"

namespace braid::openai {

/// Writes objects and arrays; commas and nesting are its own matter. Each value takes the name given before
/// it.
class JsonOut {
 public:
  JsonOut& name(std::string_view name);      ///< plain ASCII, not escaped
  JsonOut& any_name(std::string_view name);  ///< made valid and escaped
  JsonOut& string(std::string_view value);
  JsonOut& string_or_null(std::string_view value);  ///< null if empty
  JsonOut& integer(std::int64_t value);
  JsonOut& count(std::uint64_t value);
  JsonOut& real(double value);  ///< the shortest text that reads back as it; null if not finite
  JsonOut& boolean(bool value);
  JsonOut& null();
  JsonOut& ms(std::optional<Nanoseconds> span);  ///< exact to the nanosecond; null without a value
  JsonOut& raw(std::string_view json);           ///< a value as it is
  JsonOut& begin_object() { return open('{'); }
  JsonOut& begin_array() { return open('['); }
  JsonOut& end_object() { return close('}'); }
  JsonOut& end_array() { return close(']'); }

  /// What was written; the writer is empty again.
  std::string take();

 private:
  JsonOut& open(char bracket);
  JsonOut& close(char bracket);
  void separate();

  std::string text_;
};

}  // namespace braid::openai
