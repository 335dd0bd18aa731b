#pragma once
// The log's files, byte for byte: a header, then records with a header each.

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

namespace braid::store {

static_assert(std::endian::native == std::endian::little,
              "files are little-endian, as all machines we build for");

struct SegmentHeader {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t checksum;  // of this, as if it were 0
  std::uint64_t base;
};
static_assert(sizeof(SegmentHeader) == 24);

struct RecordHeader {
  std::uint64_t id;
  std::uint32_t length;    // of the bytes that follow
  std::uint32_t checksum;  // of this, as if it were 0, and those bytes
};
static_assert(sizeof(RecordHeader) == 16);

SegmentHeader segment_header(std::uint64_t base);
RecordHeader record_header(std::uint64_t id, std::string_view bytes);

template <class Header>
std::string_view bytes_of(const Header& header) {
  return {reinterpret_cast<const char*>(&header), sizeof header};
}

}  // namespace braid::store
