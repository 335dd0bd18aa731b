#pragma once
// One file of records that is written at its end alone and read from its beginning.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "braid/base/result.h"

namespace braid::store {

/// What a file begins with.
struct RecordFileKind {
  std::array<char, 8> magic;
  std::uint32_t version = 1;
};

/// Longest record, bytes.
inline constexpr std::size_t kMaxFileRecordBytes = 256U << 20;

/// One thread.
class RecordFileWriter {
 public:
  /// A new file of mode 0600. kUsage: there is one already, which is left alone; kResource, kNotFound: what
  /// the system said.
  static Result<RecordFileWriter> create(const std::string& path, const RecordFileKind& kind);
  RecordFileWriter(RecordFileWriter&&) noexcept;
  RecordFileWriter& operator=(RecordFileWriter&&) noexcept;
  ~RecordFileWriter();

  /// Handed to the system when this returns: it outlives the process, though not the machine. kLimit: longer
  /// than kMaxFileRecordBytes; kResource (retryable where the disk is full): it may be there in part, and
  /// nothing should follow it.
  Status append(std::uint32_t type, std::string_view bytes);
  /// Blocks until what was appended is on the disk.
  Status sync();
  std::uint64_t bytes() const;

 private:
  struct State;
  explicit RecordFileWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

struct FileRecord {
  std::uint32_t type = 0;
  std::string bytes;
};

/// One thread. Any bytes will do; doesn't throw.
class RecordFileReader {
 public:
  /// kNotFound, kResource; kBadInput: not of this kind; kUnsupported: of a later version.
  static Result<RecordFileReader> open(const std::string& path, const RecordFileKind& kind);
  /// The same of bytes in memory.
  static Result<RecordFileReader> over(std::string bytes, const RecordFileKind& kind);
  RecordFileReader(RecordFileReader&&) noexcept;
  RecordFileReader& operator=(RecordFileReader&&) noexcept;
  ~RecordFileReader();

  /// The next record; none: the file's end, or the last whole record's, where it was cut short
  /// (torn_bytes()). kBadInput: a record was altered; nothing after it is read.
  Result<std::optional<FileRecord>> next();
  /// Behind the last whole record; once next() has given none.
  std::uint64_t torn_bytes() const;
  std::uint32_t version() const;

 private:
  struct State;
  explicit RecordFileReader(std::unique_ptr<State> state);
  static Result<RecordFileReader> begin(std::unique_ptr<State> state, const RecordFileKind& kind);
  std::unique_ptr<State> state_;
};

}  // namespace braid::store
