#pragma once
// One table of a TOML file, read into fields. The only places that know toml++ are this and its callers.

#include <toml++/toml.h>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "braid/base/result.h"
#include "config/config_keys.h"

namespace braid::serve {

/// Keeps the first fault. A null table has no keys. The names of keys outlive it.
class TableReader {
 public:
  TableReader(const toml::table* table, std::string title, std::string_view file)
      : table_(table), title_(std::move(title)), file_(file) {}

  template <class Field>
  void key(std::string_view name, Field& field, Range range, std::string_view /*meaning*/) {
    known_.emplace_back(name);
    const toml::node* node = table_ ? table_->get(name) : nullptr;
    if (node && status_) read(*node, name, field, range);
  }

  /// A key whose value somebody else reads.
  void knows(std::string_view name) { known_.emplace_back(name); }

  /// The first fault of a value, or the first key that isn't known.
  Status finish();

  Status fault(const toml::node& node, const std::string& message) const;

 private:
  void read(const toml::node& node, std::string_view name, bool& field, Range range);
  void read(const toml::node& node, std::string_view name, std::string& field, Range range);
  void read(const toml::node& node, std::string_view name, std::vector<std::string>& field, Range range);

  template <std::integral T>
  void read(const toml::node& node, std::string_view name, T& field, Range range) {
    if (!node.is_integer()) return refuse(node, name, "a whole number");
    if (const auto value = number(node, name, range)) field = static_cast<T>(*node.value<std::int64_t>());
  }
  template <std::floating_point T>
  void read(const toml::node& node, std::string_view name, T& field, Range range) {
    if (const auto value = number(node, name, range)) field = static_cast<T>(*value);
  }
  template <class Rep, class Period>
  void read(const toml::node& node, std::string_view name, std::chrono::duration<Rep, Period>& field,
            Range range) {
    if (const auto value = number(node, name, range))
      field = std::chrono::duration_cast<std::chrono::duration<Rep, Period>>(
          Nanoseconds(std::llround(*value * unit_ns(name))));
  }
  template <class T>
  void read(const toml::node& node, std::string_view name, std::optional<T>& field, Range range) {
    T value{};
    read(node, name, value, range);
    if (status_) field = std::move(value);
  }

  std::optional<double> number(const toml::node& node, std::string_view name, Range range);
  void refuse(const toml::node& node, std::string_view name, std::string_view expected);

  const toml::table* table_;
  std::string title_;
  std::string_view file_;
  std::vector<std::string_view> known_;
  Status status_;
};

/// A file of settings, whole. kNotFound; kLimit: over 1 MiB.
Result<std::string> read_settings(const std::string& path);

/// "FILE:LINE: ".
std::string at_line(std::string_view file, const toml::source_region& where);

}  // namespace braid::serve
