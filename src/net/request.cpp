#include "braid/net/request.h"

#include <algorithm>

namespace braid::net {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
  for (const auto& [field, value] : fields_)
    if (equals_ignoring_case(field, name)) return value;
  return std::nullopt;
}

std::size_t Headers::count(std::string_view name) const {
  return static_cast<std::size_t>(std::count_if(fields_.begin(), fields_.end(), [&](const auto& field) {
    return equals_ignoring_case(field.first, name);
  }));
}

std::string Headers::joined(std::string_view name) const {
  std::string all;
  for (const auto& [field, value] : fields_) {
    if (!equals_ignoring_case(field, name)) continue;
    if (!all.empty()) all += ", ";
    all += value;
  }
  return all;
}

std::string_view Request::param(std::string_view name) const {
  for (const auto& [key, value] : params)
    if (key == name) return value;
  return {};
}

std::optional<std::string_view> Request::query_value(std::string_view name) const {
  for (const auto& [key, value] : query)
    if (key == name) return value;
  return std::nullopt;
}

}  // namespace braid::net
