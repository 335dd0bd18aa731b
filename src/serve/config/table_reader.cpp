#include "config/table_reader.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "braid/base/nearest.h"

namespace braid::serve {

namespace {

std::string written(const toml::node& node) {
  std::ostringstream out;
  node.visit([&](const auto& value) {
    if constexpr (toml::is_table<decltype(value)>)
      out << "a table";
    else if constexpr (toml::is_array<decltype(value)>)
      out << "an array";
    else
      out << value;
  });
  std::string text = out.str();
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

constexpr std::size_t kMaxFile = 1 << 20;  // bytes

}  // namespace

Result<std::string> read_settings(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return fail(ErrorCode::kBadInput, fmt::format("{}: is a folder; name a file", path));
  if (!file) return fail(ErrorCode::kNotFound, fmt::format("{}: can't be read; is the path right?", path));
  std::string text(kMaxFile + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxFile)
    return fail(ErrorCode::kLimit, fmt::format("{}: over {} bytes; is this the right file?", path, kMaxFile));
  return text;
}

std::string at_line(std::string_view file, const toml::source_region& where) {
  return fmt::format("{}:{}: ", file, where.begin.line);
}

Status TableReader::fault(const toml::node& node, const std::string& message) const {
  return fail(ErrorCode::kUsage, at_line(file_, node.source()) + message);
}

void TableReader::refuse(const toml::node& node, std::string_view name, std::string_view expected) {
  status_ = fault(node, fmt::format("{} of {} is {}; expected {}", name, title_, written(node), expected));
}

std::optional<double> TableReader::number(const toml::node& node, std::string_view name, Range range) {
  const auto whole = node.value_exact<std::int64_t>();
  const auto value = whole ? std::optional(static_cast<double>(*whole)) : node.value<double>();
  if (!node.is_number() || !value || !std::isfinite(*value)) {
    refuse(node, name, "a number");
    return std::nullopt;
  }
  if (*value < range.low || *value > range.high) {
    refuse(node, name, fmt::format("{} to {}", range.low, range.high));
    return std::nullopt;
  }
  return value;
}

void TableReader::read(const toml::node& node, std::string_view name, bool& field, Range) {
  if (!node.is_boolean()) return refuse(node, name, "true or false");
  field = *node.value<bool>();
}

void TableReader::read(const toml::node& node, std::string_view name, std::string& field, Range) {
  if (!node.is_string()) return refuse(node, name, "a text in quotes");
  field = *node.value<std::string>();
}

void TableReader::read(const toml::node& node, std::string_view name, std::vector<std::string>& field,
                       Range) {
  const toml::array* array = node.as_array();
  if (!array) return refuse(node, name, "an array of texts");
  field.clear();
  for (const toml::node& item : *array) {
    if (!item.is_string()) return refuse(item, name, "texts in quotes");
    field.push_back(*item.value<std::string>());
  }
}

Status TableReader::finish() {
  if (!status_ || !table_) return status_;
  for (const auto& [key, node] : *table_) {
    const std::string_view name = key.str();
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    return fail(ErrorCode::kUsage,
                fmt::format("{}there is no key '{}' in {}; {}", at_line(file_, key.source()), name, title_,
                            did_you_mean(name, known_)));
  }
  return {};
}

}  // namespace braid::serve
