#pragma once
// Pipes whose container can't be read front to back.

#include <cstdint>
#include <span>
#include <string>

#include "braid/base/result.h"
#include "byte_reader.h"

namespace braid::ingest::ffmpeg {

/// An MP4 or MOV whose samples stand before their index: nothing of it can be read before its end is known.
/// `head`: its first bytes.
bool has_index_at_end(std::span<const std::uint8_t> head);

/// What a pipe held, in a file that nobody else sees and that is gone when this is.
class Spool {
 public:
  static constexpr std::int64_t kLimit = std::int64_t{8} << 30;  // bytes

  /// Reads to the pipe's end. kLimit: it holds more; kResource: the temporary directory can't.
  static Result<Spool> fill(std::span<const std::uint8_t> head, ByteReader& rest);
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
