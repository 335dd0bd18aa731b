#pragma once
// Records that are written once and read again after a restart, oldest forgotten first.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "braid/base/result.h"

namespace braid::store {

struct RecordLogOptions {
  std::uint64_t segment_bytes =
      4U << 20;  ///< a file that is longer gets a successor; at least one record each
};

/// Largest record, bytes.
inline constexpr std::size_t kMaxRecordBytes = 64U << 20;

/// What lies in one of the log's files.
struct SegmentScan {
  struct Record {
    std::uint64_t id = 0;
    std::uint64_t offset = 0;  ///< in the log, of the record's header
    std::string_view bytes;
  };
  std::uint64_t base = 0;  ///< offset in the log of the file's first byte
  std::vector<Record> records;
  std::uint64_t whole = 0;  ///< bytes up to the end of the last whole record; what follows is a torn tail
  std::size_t damaged = 0;  ///< records before it whose checksum differs
};
/// Any bytes will do; doesn't throw. kBadInput: not such a file; kUnsupported: of a later version.
Result<SegmentScan> scan_segment(std::string_view file);

/// Segment files of a few megabytes, each named by the offset in the log at which it begins; offsets never
/// change, so snapshots may refer to them. A file wholly before what is still referred to is deleted. That
/// costs at most one segment of dead bytes, and nothing that is kept is ever written again, as rewriting
/// would. One thread.
class RecordLog {
 public:
  /// Goes on behind the last whole record of those in `folder`; a torn tail is cut off. Errors: kResource,
  /// kBadInput or kUnsupported where the newest file can't be gone on with.
  static Result<RecordLog> open(std::string folder, RecordLogOptions options = {});
  /// kUnsupported: a file in `folder` is of a later version. Nothing is changed, and nothing else looked at.
  static Status check_version(const std::string& folder);
  RecordLog(RecordLog&&) noexcept;
  RecordLog& operator=(RecordLog&&) noexcept;
  ~RecordLog();

  /// Its offset. kLimit: longer than kMaxRecordBytes; kResource (retryable where the disk is full): what was
  /// written in part is cut off or will be by the next one.
  Result<std::uint64_t> append(std::uint64_t id, std::string_view bytes);
  /// What append() wrote. kNotFound: it was forgotten; kBadInput: torn, altered, or another's.
  Result<std::string> read(std::uint64_t offset, std::uint64_t id) const;
  /// Records before `offset` won't be read again.
  void forget_before(std::uint64_t offset);
  /// Blocks until what was appended is on the disk.
  Status sync();

  /// Its files are there and as long as they were left: nobody cut or removed them meanwhile.
  bool intact() const;

  std::uint64_t end() const;         ///< offset of the next record
  std::uint64_t bytes() const;       ///< of all files
  std::uint64_t torn_bytes() const;  ///< that open() cut off

 private:
  struct State;
  explicit RecordLog(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace braid::store
