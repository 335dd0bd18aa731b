#pragma once
// The one place where decoded pictures become frames: upright, square pixels, no alpha, RGB, not too large.

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "braid/base/result.h"
#include "braid/tensor/slot_pool.h"
#include "handles.h"
#include "orientation.h"
#include "tone_map.h"

struct AVPixFmtDescriptor;

namespace braid::ingest::ffmpeg {

struct Picture {
  int width = 0, height = 0;  ///< px
  int stride = 0;             ///< bytes, a multiple of 64
  Slot pixels;                ///< [height, width, 3] u8 RGB
};

/// The size a picture is shown at: sample aspect ratio applied, turned, then the longer side capped, never
/// enlarged beyond what the aspect ratio asks for.
struct PictureSize {
  int width = 0, height = 0;
};
PictureSize shown_size(int width, int height, AVRational sample_aspect, bool transpose, int max_side);

/// One stream's. One thread. Follows changes of size and format; allocates only at such a change.
class PictureConverter {
 public:
  /// `max_side` px; at most `slots` pictures are held by others at a time, fewer where they would pass 512
  /// MiB.
  /// `take_slot`: where room for a picture comes from instead.
  PictureConverter(int max_side, std::size_t slots, std::function<Result<Slot>(std::size_t)> take_slot = {})
      : max_side_(max_side), max_slots_(slots), take_slot_(std::move(take_slot)) {}

  /// `sample_aspect` is the container's, which goes before the frame's own. Colours by the frame's matrix and
  /// range, BT.709 for untagged pictures above 1024 x 576 and BT.601 below; HDR is tone-mapped; of woven
  /// fields in motion the first is taken. Errors: kFull (retryable), kBadInput.
  Result<Picture> convert(const AVFrame& frame, Orientation orientation, AVRational sample_aspect);

 private:
  struct Image {
    const std::uint8_t* data[4];
    int stride[4];
    int width, height;
    AVPixelFormat format;
    bool full_range;
    int matrix;  // SWS_CS_*
  };
  struct Scaler {
    SwsPtr context;
    Image from{};
    PictureSize to{};
    AVPixelFormat to_format = AV_PIX_FMT_NONE;
  };
  Result<Slot> take(std::size_t bytes);
  static Image image_of(const AVFrame& frame, const AVPixFmtDescriptor& format);
  Status flatten(Image& image);
  Status render(const AVFrame& frame, const Image& image, PictureSize to, std::uint8_t* out, int stride);
  static Status scale(Scaler& scaler, const Image& from, PictureSize to, AVPixelFormat format,
                      std::uint8_t* out, int stride);

  int max_side_;
  std::size_t max_slots_;
  std::function<Result<Slot>(std::size_t)> take_slot_;
  std::unique_ptr<SlotPool> pool_;
  Scaler scaler_;
  Scaler unpacker_;                     // to RGBA, for pictures with alpha
  std::vector<std::uint8_t> rgba_;      // [height, width, 4]
  std::vector<std::uint8_t> flat_;      // [height, width, 3]
  std::vector<std::uint8_t> unturned_;  // [height, width, 3], before it is put upright
  std::vector<std::uint8_t> deep_;      // [height, width, 3] u16, of HDR pictures
  std::unique_ptr<ToneMap> tone_map_;
  HdrCurve tone_curve_ = HdrCurve::kNone;
};

}  // namespace braid::ingest::ffmpeg
