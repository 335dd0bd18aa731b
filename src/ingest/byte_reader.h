#pragma once
// Bytes from a file or pipe, where stop() ends a read that waits.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "braid/base/result.h"
#include "braid/ingest/source_spec.h"

namespace braid::ingest {

/// kNotFound, kBadInput (a folder, empty, no permission), kUnsupported (a device node, a socket), each in a
/// sentence. True: a named pipe.
Result<bool> check_path(const std::string& path);

/// One thread, except stop().
class ByteReader {
 public:
  /// A path, or `-` for standard input.
  static Result<std::unique_ptr<ByteReader>> open(const SourceSpec& spec);
  ~ByteReader();
  ByteReader(const ByteReader&) = delete;
  ByteReader& operator=(const ByteReader&) = delete;

  /// Blocks until there are bytes. 0: the end or stop(); negative: -errno.
  std::ptrdiff_t read(std::uint8_t* to, std::size_t size);
  void stop();

 private:
  ByteReader(int fd, bool owned, int wake_read, int wake_write)
      : fd_(fd), owned_(owned), wake_read_(wake_read), wake_write_(wake_write) {}

  int fd_;
  bool owned_;
  int wake_read_, wake_write_;  // a pipe that stop() writes to
};

}  // namespace braid::ingest
