#pragma once
// Bytes from a file or pipe, where stop() ends a read that waits.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "braid/base/clock.h"
#include "braid/base/result.h"
#include "braid/ingest/source_spec.h"

namespace braid::ingest {

/// kNotFound, kBadInput (a folder, empty, no permission), kUnsupported (a device node, a socket), each in a
/// sentence. True: a named pipe.
Result<bool> check_path(const std::string& path);

/// One thread, except stop().
class ByteReader {
 public:
  /// A path, or `-` for standard input. Doesn't wait for a named pipe's writer.
  static Result<std::unique_ptr<ByteReader>> open(const SourceSpec& spec, Clock& clock);
  /// A descriptor that stays its giver's.
  static Result<std::unique_ptr<ByteReader>> of(int descriptor, const SourceSpec& spec, Clock& clock);
  ~ByteReader();
  ByteReader(const ByteReader&) = delete;
  ByteReader& operator=(const ByteReader&) = delete;

  /// Blocks until there are bytes. 0: the end or stop(); negative: -errno, of which -ECANCELED and -ETIMEDOUT
  /// say that a bound was reached.
  std::ptrdiff_t read(std::uint8_t* to, std::size_t size);
  /// From here on read() waits until `give_up` is set (null: never) or `until` (none: for ever).
  void bound(std::shared_ptr<const std::atomic<bool>> give_up, std::optional<SteadyTime> until);
  void stop();

 private:
  static Result<std::unique_ptr<ByteReader>> make(int fd, bool owned, const SourceSpec& spec, Clock& clock);
  ByteReader(int fd, bool owned, int wake_read, int wake_write, Clock& clock)
      : fd_(fd), owned_(owned), wake_read_(wake_read), wake_write_(wake_write), clock_(clock) {}
  int over() const;

  int fd_;
  bool owned_;
  int wake_read_, wake_write_;  // a pipe that stop() writes to
  Clock& clock_;
  std::shared_ptr<const std::atomic<bool>> give_up_;
  std::optional<SteadyTime> until_;
};

}  // namespace braid::ingest
