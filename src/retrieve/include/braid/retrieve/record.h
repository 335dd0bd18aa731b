#pragma once
// What a memory holds: something seen, heard, read or said, with the time it belongs to.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/calendar/utc.h"

namespace braid::retrieve {

/// By what it came. Wire names: vision, audio, text, reading, answer, document.
enum class RecordKind : std::uint8_t { kVision, kAudio, kText, kReading, kAnswer, kDocument };
inline constexpr int kRecordKinds = 6;
const char* to_string(RecordKind kind);
std::optional<RecordKind> parse_record_kind(std::string_view name);

/// How a record hangs on another. Wire names: caused_by, belongs_to.
enum class LinkKind : std::uint8_t { kCausedBy, kBelongsTo };
inline constexpr int kLinkKinds = 2;
const char* to_string(LinkKind kind);
std::optional<LinkKind> parse_link_kind(std::string_view name);

struct RecordLink {
  LinkKind kind = LinkKind::kBelongsTo;
  std::int64_t to = 0;  ///< the other record's id

  bool operator==(const RecordLink&) const = default;
};

/// What a record is like, as a model sees it; comparable within one space.
struct RecordVector {
  std::string space;          ///< which model's, as "vision:nano"
  std::vector<float> values;  ///< [the space's dimension]

  bool operator==(const RecordVector&) const = default;
};

struct Record {
  std::int64_t id = 0;  ///< given by the memory, counts up from 1
  UtcTime start{};      ///< it covers [start, end), or the moment `start` where both are the same
  UtcTime end{};
  std::string source;  ///< who sent it: a camera's name, a file's
  RecordKind kind = RecordKind::kText;
  std::string text;  ///< UTF-8, not empty
  int count = 1;     ///< packets that it stands for
  /// Of a live session: which, and when its time 0 was. Empty: of none.
  std::string session;
  UtcTime session_began{};
  /// Documents: where in the file.
  int page = 0;              ///< from 1; 0: has none
  std::int64_t offset = -1;  ///< bytes from the file's or page's start; -1: has none

  std::vector<RecordLink> links;  ///< to records that are there, or were

  std::vector<RecordVector> vectors;  ///< as added; those that are found come without

  bool operator==(const Record&) const = default;
};

inline constexpr std::size_t kMaxRecordText = 16384;  ///< bytes
inline constexpr std::size_t kMaxSourceName = 512;    ///< bytes, of a session's id too
inline constexpr std::size_t kMaxVectors = 4;         ///< of a record
inline constexpr std::size_t kMaxLinks = 16;          ///< from a record
inline constexpr std::size_t kMaxVectorDim = 16384;

}  // namespace braid::retrieve
