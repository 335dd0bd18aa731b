#pragma once
// Values as bytes and back: little-endian, in the order in which they are named. A type's members are listed
// once, in `fields(archive, value)`, for both ways: beside the type, or in the namespace of `Home`, a type
// that the user of an archive names for that.

#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "braid/base/ids.h"

namespace braid {

static_assert(std::endian::native == std::endian::little, "records are little-endian");

template <class T>
concept PlainValue = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// How many values an enum has, counted up from 0; said for each that is read.
template <class Enum>
inline constexpr int kEnumValues = 0;

/// A type's members, in order.
template <class Archive, class... Values>
void all(Archive& archive, Values&... values) {
  (archive(values), ...);
}

template <class Home>
class ArchiveWriter {
 public:
  static constexpr bool kReads = false;

  template <PlainValue T>
  void operator()(const T& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void operator()(const std::string& text) {
    (*this)(static_cast<std::uint32_t>(text.size()));
    bytes.append(text);
  }
  template <PlainValue T>
  void operator()(const std::vector<T>& values) {
    (*this)(static_cast<std::uint32_t>(values.size()));
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  template <class T>
  void operator()(const std::vector<T>& values) {
    (*this)(static_cast<std::uint32_t>(values.size()));
    for (const T& value : values) (*this)(value);
  }
  template <class T>
  void operator()(const std::optional<T>& value) {
    (*this)(value.has_value());
    if (value) (*this)(*value);
  }
  template <class A, class B>
  void operator()(const std::pair<A, B>& value) {
    (*this)(value.first);
    (*this)(value.second);
  }
  template <class T, std::size_t N>
  void operator()(const std::array<T, N>& values) {
    for (const T& value : values) (*this)(value);
  }
  template <class Rep, class Period>
  void operator()(const std::chrono::duration<Rep, Period>& value) {
    (*this)(value.count());
  }
  template <class Clock, class Duration>
  void operator()(const std::chrono::time_point<Clock, Duration>& value) {
    (*this)(value.time_since_epoch().count());
  }
  template <class Tag>
  void operator()(const Id<Tag>& id) {
    (*this)(id.value);
  }
  template <class T>
  requires requires(ArchiveWriter& archive, T& value) { fields(archive, value); }
  void operator()(const T& value) {
    fields(*this, const_cast<T&>(value));  // it only reads them
  }

  std::string bytes;
};

/// Any bytes will do: once one value can't be read, it and all after it are left as they were.
template <class Home>
class ArchiveReader {
 public:
  static constexpr bool kReads = true;

  explicit ArchiveReader(std::string_view bytes) : left_(bytes) {}
  /// Everything was read and nothing is left.
  bool whole() const { return ok_ && left_.empty(); }
  bool ok() const { return ok_; }
  void refuse() { ok_ = false; }
  /// So many bytes as they are; refused: none.
  std::string_view raw(std::size_t bytes) { return take(bytes) ? taken_ : std::string_view(); }

  template <PlainValue T>
  void operator()(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      std::uint8_t byte = 0;
      (*this)(byte);
      if (byte > 1) refuse();
      value = byte == 1;
    } else if constexpr (std::is_enum_v<T>) {
      static_assert(kEnumValues<T> > 0, "say how many values it has");
      std::underlying_type_t<T> number = 0;
      (*this)(number);
      if (number < 0 || number >= kEnumValues<T>) return refuse();
      value = static_cast<T>(number);
    } else if (take(sizeof(T))) {
      std::memcpy(&value, taken_.data(), sizeof(T));
    }
  }
  void operator()(std::string& text) {
    if (take(length(1))) text.assign(taken_);
  }
  template <PlainValue T>
  void operator()(std::vector<T>& values) {
    const std::size_t count = length(sizeof(T));
    if (!take(count * sizeof(T))) return;
    values.resize(count);
    if (count > 0) std::memcpy(values.data(), taken_.data(), taken_.size());
  }
  template <class T>
  void operator()(std::vector<T>& values) {
    const std::size_t count = length(1);
    values.clear();
    for (std::size_t i = 0; i < count && ok_; ++i) (*this)(values.emplace_back());
  }
  template <class T>
  void operator()(std::optional<T>& value) {
    bool there = false;
    (*this)(there);
    value.reset();
    if (there && ok_) (*this)(value.emplace());
  }
  template <class A, class B>
  void operator()(std::pair<A, B>& value) {
    (*this)(value.first);
    (*this)(value.second);
  }
  template <class T, std::size_t N>
  void operator()(std::array<T, N>& values) {
    for (T& value : values) (*this)(value);
  }
  template <class Rep, class Period>
  void operator()(std::chrono::duration<Rep, Period>& value) {
    Rep count = value.count();
    (*this)(count);
    // So that sums don't run over; the ends of the range stand for never and always.
    constexpr Rep kMost = Rep{1} << 61;
    const bool end = count == std::numeric_limits<Rep>::max() || count == std::numeric_limits<Rep>::min();
    if (!end && (count > kMost || count < -kMost)) return refuse();
    value = std::chrono::duration<Rep, Period>(count);
  }
  template <class Clock, class Duration>
  void operator()(std::chrono::time_point<Clock, Duration>& value) {
    Duration since = value.time_since_epoch();
    (*this)(since);
    value = std::chrono::time_point<Clock, Duration>(since);
  }
  template <class Tag>
  void operator()(Id<Tag>& id) {
    (*this)(id.value);
  }
  template <class T>
  requires requires(ArchiveReader& archive, T& value) { fields(archive, value); }
  void operator()(T& value) { fields(*this, value); }

 private:
  /// Of a list whose elements take at least so many bytes each; 0 if so many can't be there.
  std::size_t length(std::size_t each) {
    std::uint32_t count = 0;
    (*this)(count);
    if (count <= left_.size() / each) return count;
    refuse();
    return 0;
  }
  bool take(std::size_t bytes) {
    if (bytes > left_.size()) refuse();
    if (!ok_) return false;
    taken_ = left_.substr(0, bytes);
    left_.remove_prefix(bytes);
    return true;
  }

  std::string_view left_, taken_;
  bool ok_ = true;
};

}  // namespace braid
