#pragma once
// One JSON object as text, written field by field in a fixed order.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/base/stage.h"
#include "braid/base/time.h"

namespace braid::deliver {

/// Strings are made valid UTF-8 and escaped; milliseconds are exact to the nanosecond, without exponents.
class JsonLine {
 public:
  JsonLine() : text_("{") {}

  JsonLine& string(std::string_view name, std::string_view value);
  JsonLine& strings(std::string_view name, const std::vector<std::string>& values);
  JsonLine& number(std::string_view name, std::int64_t value);
  JsonLine& count(std::string_view name, std::uint64_t value);
  JsonLine& boolean(std::string_view name, bool value);
  JsonLine& null(std::string_view name);
  JsonLine& us(std::string_view name, std::optional<SessionTime> at);  ///< null without a value
  JsonLine& times_us(std::string_view name, const std::vector<SessionTime>& times);
  JsonLine& ms(std::string_view name, std::optional<Nanoseconds> span);  ///< null without a value
  JsonLine& stages(std::string_view name, const StageTimes& times);
  JsonLine& begin(std::string_view name);  ///< any text; an object inside, until end()
  JsonLine& end();
  JsonLine& begin_list(std::string_view name);  ///< of objects, each from begin() to end(), until end_list()
  JsonLine& begin();
  JsonLine& end_list();

  /// What was written since the last take, without closing the object: for lines that go out in parts.
  std::string take();
  /// The rest, closed.
  std::string close();

 private:
  void name(std::string_view name);

  std::string text_;
  bool first_ = true;
};

}  // namespace braid::deliver
