#pragma once
// Opening a container: which protocol, which format, with which limits.

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "braid/base/result.h"
#include "braid/ingest/open.h"
#include "byte_reader.h"
#include "handles.h"
#include "spool.h"

namespace braid::ingest::ffmpeg {

/// An opened and probed container. One thread, except stop().
class Input {
 public:
  /// Blocks as open_source() does and fails as it does.
  static Result<std::unique_ptr<Input>> open(const SourceSpec& spec, const IngestOptions& options,
                                             Clock& clock);
  ~Input();

  AVFormatContext& format() { return *format_; }
  /// A file or URL whose first picture is all there is.
  bool still() const { return still_; }
  /// Bytes come from a pipe, which may be silent.
  bool may_stall() const { return pipe_ != nullptr; }
  /// What FFmpeg complained of while it was opened; "" for nothing.
  const std::string& complaint() const { return complaint_; }
  /// Its header promises more than there can be: it was written to a pipe, and its end is where it ends.
  bool endless() const { return endless_; }
  /// 0, or an AVERROR; AVERROR_EOF at the end, AVERROR_EXIT after stop().
  int read(AVPacket& packet);
  void stop();
  /// For FFmpeg, which asks while it blocks: stopped, or opening has taken too long.
  bool must_return() const;
  /// From the pipe, for FFmpeg. As ByteReader::read().
  std::ptrdiff_t read_bytes(std::uint8_t* to, std::size_t size);

 private:
  explicit Input(Clock& clock) : clock_(clock) {}
  Status open_all(const SourceSpec& spec, const IngestOptions& options);
  void read_head();
  Status open_spooled(const SourceSpec& spec, const Spool& spool);
  Status spool_pipe(const SourceSpec& spec);
  Status spool_if_needed(const SourceSpec& spec);
  Status open_bytes(const SourceSpec& spec, const IngestOptions& options);
  Status open_pipe(const SourceSpec& spec, const IngestOptions& options);
  Status open_descriptor(int descriptor);
  Status probe(const SourceSpec& spec, const IngestOptions& options);
  Status check_pictures(const SourceSpec& spec, const IngestOptions& options);
  Status open_format(const SourceSpec& spec, const IngestOptions& options);
  Status find_streams(const SourceSpec& spec, const IngestOptions& options);

  Clock& clock_;
  std::optional<SteadyTime> open_until_;              // while it is being opened
  std::shared_ptr<const std::atomic<bool>> give_up_;  // likewise
  std::atomic<bool> stopped_{false};
  std::unique_ptr<ByteReader> pipe_;  // where bytes come from, for a pipe
  std::vector<std::uint8_t> head_;    // the pipe's first bytes
  std::size_t head_used_ = 0;         // of them, given to FFmpeg
  const Handed* handed_ = nullptr;    // while it is being opened
  bool own_bytes_ = false;            // bytes_ is read by this, not by FFmpeg
  AVIOContext* bytes_ = nullptr;      // none where the format reads by itself (RTSP, devices)
  const AVInputFormat* chosen_ = nullptr;
  FormatPtr format_;
  bool still_ = false;
  bool endless_ = false;
  std::string complaint_;
};

}  // namespace braid::ingest::ffmpeg
