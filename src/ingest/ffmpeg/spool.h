#pragma once
// Pipes, and servers that can't go back, whose container can't be read front to back.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "braid/base/result.h"

namespace braid::ingest::ffmpeg {

/// An MP4 or MOV whose samples stand before their index: nothing of it can be read before its end is known.
/// `head`: its first bytes.
bool has_index_at_end(std::span<const std::uint8_t> head);

/// What such a source held, in a file that nobody else sees and that is gone when this is.
class Spool {
 public:
  static constexpr std::int64_t kLimit = std::int64_t{8} << 30;  // bytes

  /// As ByteReader::read().
  using Read = std::function<std::ptrdiff_t(std::uint8_t*, std::size_t)>;

  /// An empty file without a name in the temporary directory; -1: it can't be made (errno).
  static int make_file();
  /// Reads to the end, into `file`, which is closed with this. kLimit: it holds more; kResource: the
  /// temporary directory can't.
  static Result<Spool> fill(std::span<const std::uint8_t> head, const Read& rest, int file = make_file());
  Spool(Spool&& other) noexcept;
  Spool& operator=(Spool&&) = delete;
  ~Spool();

  /// A path that opens it while this lives.
  std::string path() const;

 private:
  explicit Spool(int descriptor) : descriptor_(descriptor) {}
  Status append(std::span<const std::uint8_t> bytes);

  int descriptor_;
  std::int64_t size_ = 0;
};

}  // namespace braid::ingest::ffmpeg
