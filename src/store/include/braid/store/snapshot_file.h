#pragma once
// The newest state of something, in a file that is never half-read.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "braid/base/result.h"
#include "braid/base/time.h"

namespace braid::store {

/// When and as which a snapshot was written.
struct SnapshotStamp {
  std::uint64_t sequence = 0;  ///< counts up from 1
  SteadyTime written{};        ///< on the writing process's clock
  std::int64_t wall_us = 0;    ///< Unix time
};

struct Snapshot {
  SnapshotStamp stamp;
  std::string body;
  std::vector<std::string> refused;  ///< why the other slot wasn't taken, if it was damaged
};

/// The newest whole slot among the file's bytes. kBadInput: none is whole; kUnsupported: a slot is a later
/// version's, which has the newer state. Any bytes will do; doesn't throw.
Result<Snapshot> parse_snapshot(std::string_view file);
/// Errors of parse_snapshot(); kNotFound; kLimit: larger than any that is written; kResource.
Result<Snapshot> read_snapshot(const std::string& path);

/// Largest body, bytes.
inline constexpr std::size_t kMaxSnapshotBytes = 64U << 20;

/// Two slots. Each write takes the older one, so a process or machine that dies while it writes leaves the
/// other; a checksum over header and body tells a torn slot from a whole one. A full or failing disk is an
/// error, and so is a file that others cut or removed: it is never mapped into memory, where either would be
/// a signal. One thread.
class SnapshotFile {
 public:
  /// Goes on with the file where there is one that can be read; else one is made by the first write.
  explicit SnapshotFile(std::string path);

  /// Blocks until it is on the disk. One that isn't intact() is made anew. kLimit: more than
  /// kMaxSnapshotBytes; kUnsupported: a later version's was there; kResource: what the system said; the last
  /// snapshot is as it was then.
  Status write(std::string_view body, SteadyTime now, std::int64_t wall_us);
  /// The file is there and as large as it was left, if there was one.
  bool intact() const;
  /// Bytes on the disk after a write of `body_bytes`.
  std::uint64_t bytes_with(std::size_t body_bytes) const;
  std::uint64_t bytes() const { return 2 * slot_bytes_; }

 private:
  Status grow(std::size_t needed, std::string_view slot);
  Status overwrite(std::string_view slot);

  std::string path_;
  std::uint64_t last_ = 0;        // sequence
  std::size_t newest_ = 1;        // slot
  std::uint64_t slot_bytes_ = 0;  // 0: there is no file yet
  bool later_ = false;            // a slot is a later version's
};

}  // namespace braid::store
