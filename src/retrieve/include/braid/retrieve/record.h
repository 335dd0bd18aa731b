#pragma once
// What a memory holds: something seen, heard, read or said, with the time it belongs to.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "braid/calendar/utc.h"

namespace braid::retrieve {

/// By what it came. Wire names: vision, audio, text, reading, answer, document.
enum class RecordKind : std::uint8_t { kVision, kAudio, kText, kReading, kAnswer, kDocument };
inline constexpr int kRecordKinds = 6;
const char* to_string(RecordKind kind);
std::optional<RecordKind> parse_record_kind(std::string_view name);

struct Record {
  std::int64_t id = 0;  ///< given by the memory, counts up from 1
  UtcTime start{};      ///< it covers [start, end), or the moment `start` where both are the same
  UtcTime end{};
  std::string source;  ///< who sent it: a camera's name, a file's
  RecordKind kind = RecordKind::kText;
  std::string text;  ///< UTF-8, not empty
  int count = 1;     ///< packets that it stands for
  /// Documents: where in the file.
  int page = 0;              ///< from 1; 0: has none
  std::int64_t offset = -1;  ///< bytes from the file's or page's start; -1: has none

  bool operator==(const Record&) const = default;
};

inline constexpr std::size_t kMaxRecordText = 16384;  ///< bytes
inline constexpr std::size_t kMaxSourceName = 512;    ///< bytes

}  // namespace braid::retrieve
