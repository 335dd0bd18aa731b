#include "json_line.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "braid/base/json_text.h"
#include "braid/base/milliseconds_text.h"

namespace braid::deliver {

void JsonLine::name(std::string_view name) {
  if (!std::exchange(first_, false)) text_ += ',';
  fmt::format_to(std::back_inserter(text_), "\"{}\":", name);
}

JsonLine& JsonLine::string(std::string_view field, std::string_view value) {
  name(field);
  append_quoted(text_, value);
  return *this;
}

JsonLine& JsonLine::strings(std::string_view field, const std::vector<std::string>& values) {
  name(field);
  text_ += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text_ += ',';
    append_quoted(text_, values[i]);
  }
  text_ += ']';
  return *this;
}

JsonLine& JsonLine::number(std::string_view field, std::int64_t value) {
  name(field);
  text_ += std::to_string(value);
  return *this;
}

JsonLine& JsonLine::count(std::string_view field, std::uint64_t value) {
  name(field);
  text_ += std::to_string(value);
  return *this;
}

JsonLine& JsonLine::boolean(std::string_view field, bool value) {
  name(field);
  text_ += value ? "true" : "false";
  return *this;
}

JsonLine& JsonLine::null(std::string_view field) {
  name(field);
  text_ += "null";
  return *this;
}

JsonLine& JsonLine::us(std::string_view field, std::optional<SessionTime> at) {
  return at ? number(field, to_us(*at)) : null(field);
}

JsonLine& JsonLine::times_us(std::string_view field, const std::vector<SessionTime>& times) {
  begin_list(field);
  for (const SessionTime at : times) {
    if (!std::exchange(first_, false)) text_ += ',';
    text_ += std::to_string(to_us(at));
  }
  return end_list();
}

JsonLine& JsonLine::ms(std::string_view field, std::optional<Nanoseconds> span) {
  if (!span) return null(field);
  name(field);
  text_ += milliseconds_text(*span);
  return *this;
}

JsonLine& JsonLine::stages(std::string_view field, const StageTimes& times) {
  begin(field);
  for (std::size_t i = 0; i < kStageCount; ++i) ms(to_string(static_cast<Stage>(i)), times.by_stage[i]);
  return end();
}

JsonLine& JsonLine::begin(std::string_view field) {
  if (!std::exchange(first_, false)) text_ += ',';
  append_quoted(text_, field);
  text_ += ":{";
  first_ = true;
  return *this;
}

JsonLine& JsonLine::begin_list(std::string_view field) {
  name(field);
  text_ += '[';
  first_ = true;
  return *this;
}

JsonLine& JsonLine::begin() {
  if (!first_) text_ += ',';
  text_ += '{';
  first_ = true;
  return *this;
}

JsonLine& JsonLine::end_list() {
  text_ += ']';
  first_ = false;
  return *this;
}

JsonLine& JsonLine::end() {
  text_ += '}';
  first_ = false;
  return *this;
}

std::string JsonLine::take() { return std::exchange(text_, {}); }

std::string JsonLine::close() {
  text_ += '}';
  return take();
}

}  // namespace braid::deliver
