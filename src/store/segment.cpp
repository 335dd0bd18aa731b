#include "segment.h"

#include <fmt/format.h>

#include <cstring>

#include "braid/store/checksum.h"
#include "braid/store/record_log.h"

namespace braid::store {

namespace {

constexpr std::array<char, 8> kMagic{'B', 'R', 'D', 'L', 'O', 'G', '0', '\n'};
constexpr std::uint32_t kVersion = 1;

}  // namespace

SegmentHeader segment_header(std::uint64_t base) {
  SegmentHeader header{kMagic, kVersion, 0, base};
  header.checksum = crc32c({bytes_of(header)});
  return header;
}

RecordHeader record_header(std::uint64_t id, std::string_view bytes) {
  RecordHeader header{id, static_cast<std::uint32_t>(bytes.size()), 0};
  header.checksum = crc32c({bytes_of(header), bytes});
  return header;
}

Result<SegmentScan> scan_segment(std::string_view file) {
  SegmentHeader header;
  if (file.size() < sizeof header)
    return fail(ErrorCode::kBadInput, fmt::format("{} bytes are no segment of a log", file.size()));
  std::memcpy(&header, file.data(), sizeof header);
  if (header.magic != kMagic)
    return fail(ErrorCode::kBadInput, "it doesn't begin as a segment of a log does");
  if (header.version > kVersion)
    return fail(ErrorCode::kUnsupported,
                fmt::format("it is of version {}, this program reads {}", header.version, kVersion));
  if (header.version != kVersion || segment_header(header.base).checksum != header.checksum)
    return fail(ErrorCode::kBadInput, "its header is torn or was altered");
  SegmentScan scan;
  scan.base = header.base;
  scan.whole = sizeof header;
  // A record whose bytes were altered is passed over; only what no whole record follows is a torn tail.
  std::size_t damaged = 0;
  for (std::size_t at = sizeof header; file.size() - at >= sizeof(RecordHeader);) {
    RecordHeader record;
    std::memcpy(&record, file.data() + at, sizeof record);
    if (record.length > file.size() - at - sizeof record) break;
    const std::string_view bytes = file.substr(at + sizeof record, record.length);
    const std::uint64_t offset = scan.base + at;
    at += sizeof record + record.length;
    if (record_header(record.id, bytes).checksum != record.checksum) {
      ++damaged;
      continue;
    }
    scan.records.push_back({record.id, offset, bytes});
    scan.damaged = damaged;
    scan.whole = at;
  }
  return scan;
}

}  // namespace braid::store
