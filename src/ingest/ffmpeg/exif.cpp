#include "exif.h"

#include <cstddef>
#include <string_view>

namespace braid::ingest::ffmpeg {

namespace {

using Bytes = std::span<const std::uint8_t>;

std::string_view text_at(Bytes bytes, std::size_t at, std::size_t size) {
  if (at > bytes.size() || size > bytes.size() - at) return {};
  return {reinterpret_cast<const char*>(bytes.data()) + at, size};
}

/// 0 behind the end.
std::uint32_t number(Bytes bytes, std::size_t at, std::size_t size, bool big_endian) {
  if (at > bytes.size() || size > bytes.size() - at) return 0;
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value = value << 8U | bytes[at + (big_endian ? i : size - 1 - i)];
  return value;
}

/// Of a TIFF's first directory, which is also what EXIF is.
int of_tiff(Bytes tiff) {
  constexpr std::uint32_t kOrientation = 274, kShort = 3;
  constexpr std::size_t kEntry = 12;
  const std::string_view head = text_at(tiff, 0, 4);
  const bool big_endian = head == std::string_view("MM\0*", 4);
  if (!big_endian && head != std::string_view("II*\0", 4)) return 0;
  const std::size_t directory = number(tiff, 4, 4, big_endian);
  const std::uint32_t entries = number(tiff, directory, 2, big_endian);
  for (std::uint32_t i = 0; i < entries; ++i) {
    const std::size_t at = directory + 2 + i * kEntry;
    if (at + kEntry > tiff.size()) return 0;
    if (number(tiff, at, 2, big_endian) != kOrientation || number(tiff, at + 2, 2, big_endian) != kShort)
      continue;
    const auto value = static_cast<int>(number(tiff, at + 8, 2, big_endian));
    return value <= 8 ? value : 0;
  }
  return 0;
}

int of_png(Bytes png) {
  constexpr std::size_t kChunk = 12;  // length, name and checksum
  for (std::size_t at = 8; at + kChunk <= png.size();) {
    const std::size_t length = number(png, at, 4, true);
    if (length > png.size() - at - kChunk) return 0;
    if (text_at(png, at + 4, 4) == "eXIf") return of_tiff(png.subspan(at + 8, length));
    at += length + kChunk;
  }
  return 0;
}

}  // namespace

int exif_orientation(Bytes file) {
  return text_at(file, 0, 8) == "\x89PNG\r\n\x1a\n" ? of_png(file) : of_tiff(file);
}

}  // namespace braid::ingest::ffmpeg
