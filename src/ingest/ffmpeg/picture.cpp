#include "picture.h"

#include "fields.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace braid::ingest::ffmpeg {

namespace {

constexpr std::size_t kPoolBytes = std::size_t{512} << 20;
constexpr std::size_t kMinSlots = 4;
constexpr std::size_t kOverrun = 64;  // bytes that swscale may write or read past a row's end
constexpr double kMaxAspect = 16.0;   // stranger ones are taken for a mistake

int aligned(int bytes) { return (bytes + 63) / 64 * 64; }

/// yuvj* is yuv* with the range in the name.
AVPixelFormat without_range(AVPixelFormat format) {
  switch (format) {
    case AV_PIX_FMT_YUVJ420P:
      return AV_PIX_FMT_YUV420P;
    case AV_PIX_FMT_YUVJ422P:
      return AV_PIX_FMT_YUV422P;
    case AV_PIX_FMT_YUVJ444P:
      return AV_PIX_FMT_YUV444P;
    case AV_PIX_FMT_YUVJ440P:
      return AV_PIX_FMT_YUV440P;
    case AV_PIX_FMT_YUVJ411P:
      return AV_PIX_FMT_YUV411P;
    default:
      return format;
  }
}

bool is_full_range(const AVFrame& frame, const AVPixFmtDescriptor& format) {
  if (frame.color_range != AVCOL_RANGE_UNSPECIFIED) return frame.color_range == AVCOL_RANGE_JPEG;
  const bool grey = format.nb_components < 3;
  return grey || without_range(static_cast<AVPixelFormat>(frame.format)) != frame.format;
}

int matrix_of(const AVFrame& frame, bool full_range) {
  switch (frame.colorspace) {
    case AVCOL_SPC_BT709:
      return SWS_CS_ITU709;
    case AVCOL_SPC_BT470BG:
    case AVCOL_SPC_SMPTE170M:
      return SWS_CS_ITU601;
    case AVCOL_SPC_FCC:
      return SWS_CS_FCC;
    case AVCOL_SPC_SMPTE240M:
      return SWS_CS_SMPTE240M;
    case AVCOL_SPC_BT2020_NCL:
    case AVCOL_SPC_BT2020_CL:
      return SWS_CS_BT2020;
    default:
      break;
  }
  const bool high_definition = frame.width > 1024 || frame.height > 576;
  return high_definition && !full_range ? SWS_CS_ITU709 : SWS_CS_ITU601;
}

HdrCurve curve_of(const AVFrame& frame) {
  if (frame.color_trc == AVCOL_TRC_SMPTE2084) return HdrCurve::kPq;
  return frame.color_trc == AVCOL_TRC_ARIB_STD_B67 ? HdrCurve::kHlg : HdrCurve::kNone;
}

bool same_but_data(const auto& a, const auto& b) {
  return a.width == b.width && a.height == b.height && a.format == b.format && a.full_range == b.full_range &&
         a.matrix == b.matrix;
}

}  // namespace

PictureSize shown_size(int width, int height, AVRational sample_aspect, bool transpose, int max_side) {
  double w = width, h = height;
  const double aspect = sample_aspect.num > 0 && sample_aspect.den > 0 ? av_q2d(sample_aspect) : 1.0;
  if (aspect <= kMaxAspect && aspect >= 1 / kMaxAspect) w *= aspect;
  if (transpose) std::swap(w, h);
  const double shrink = max_side > 0 ? std::min(1.0, max_side / std::max(w, h)) : 1.0;
  const auto whole = [](double side) { return std::max(1, static_cast<int>(std::lround(side))); };
  return {whole(w * shrink), whole(h * shrink)};
}

Result<Slot> PictureConverter::take(std::size_t bytes) {
  if (take_slot_) return take_slot_(bytes);
  if (!pool_ || pool_->slot_bytes() < bytes) {
    const std::size_t slots = std::max(kMinSlots, std::min(max_slots_, kPoolBytes / bytes));
    pool_ = std::make_unique<SlotPool>(bytes, std::min(slots, std::max<std::size_t>(1, max_slots_)));
  }
  return pool_->take();
}

Status PictureConverter::scale(Scaler& scaler, const Image& from, PictureSize to, AVPixelFormat format,
                               std::uint8_t* out, int stride) {
  if (!scaler.context || !same_but_data(scaler.from, from) || scaler.to.width != to.width ||
      scaler.to.height != to.height || scaler.to_format != format) {
    const bool shrinks = to.width <= from.width && to.height <= from.height &&
                         (to.width < from.width || to.height < from.height);
    const int flags = (shrinks ? SWS_AREA : SWS_BICUBIC) | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT;
    scaler.context.reset(sws_getContext(from.width, from.height, from.format, to.width, to.height, format,
                                        flags, nullptr, nullptr, nullptr));
    if (!scaler.context)
      return fail(ErrorCode::kBadInput,
                  fmt::format("a picture of {}x{} in pixel format {} can't be made {}x{} RGB", from.width,
                              from.height, av_get_pix_fmt_name(from.format), to.width, to.height));
    // Fails for formats that have no matrix, where nothing has to be set.
    sws_setColorspaceDetails(scaler.context.get(), sws_getCoefficients(from.matrix), from.full_range,
                             sws_getCoefficients(SWS_CS_DEFAULT), 1, 0, 1 << 16, 1 << 16);
    scaler.from = from;
    scaler.to = to;
    scaler.to_format = format;
  }
  std::uint8_t* planes[4] = {out, nullptr, nullptr, nullptr};
  const int strides[4] = {stride, 0, 0, 0};
  if (sws_scale(scaler.context.get(), from.data, from.stride, 0, from.height, planes, strides) < 0)
    return fail(ErrorCode::kBadInput, "a picture could not be scaled");
  return {};
}

/// Puts a picture with alpha on black, before scaling, so that invisible colours don't bleed into edges.
Status PictureConverter::flatten(Image& image) {
  const int rgba_stride = aligned(4 * image.width), flat_stride = aligned(3 * image.width);
  rgba_.resize(static_cast<std::size_t>(rgba_stride) * image.height + kOverrun);
  flat_.resize(static_cast<std::size_t>(flat_stride) * image.height + kOverrun);
  if (auto done =
          scale(unpacker_, image, {image.width, image.height}, AV_PIX_FMT_RGBA, rgba_.data(), rgba_stride);
      !done)
    return done;
  for (int y = 0; y < image.height; ++y) {
    const std::uint8_t* from = rgba_.data() + static_cast<std::ptrdiff_t>(y) * rgba_stride;
    std::uint8_t* to = flat_.data() + static_cast<std::ptrdiff_t>(y) * flat_stride;
    for (int x = 0; x < image.width; ++x, from += 4, to += 3)
      for (int c = 0; c < 3; ++c) to[c] = static_cast<std::uint8_t>((from[c] * from[3] + 127) / 255);
  }
  image = {{flat_.data(), nullptr, nullptr, nullptr},
           {flat_stride, 0, 0, 0},
           image.width,
           image.height,
           AV_PIX_FMT_RGB24,
           true,
           SWS_CS_DEFAULT};
  return {};
}

/// As it is coded: which pixels, which matrix; of a picture whose edges are combs, the field that was taken
/// first.
PictureConverter::Image PictureConverter::image_of(const AVFrame& frame, const AVPixFmtDescriptor& format) {
  const bool full_range = is_full_range(frame, format);
  Image image{{frame.data[0], frame.data[1], frame.data[2], frame.data[3]},
              {frame.linesize[0], frame.linesize[1], frame.linesize[2], frame.linesize[3]},
              frame.width,
              frame.height,
              without_range(static_cast<AVPixelFormat>(frame.format)),
              full_range,
              matrix_of(frame, full_range)};
  const int lines = frame.height / 2 & ~1;  // even, for halved chroma
  if (lines < 2 || !is_combed(frame)) return image;
  image.height = lines;
  for (int plane = 0; plane < 4; ++plane) {
    if (!image.data[plane] || image.stride[plane] == 0) continue;
    if (!frame.top_field_first) image.data[plane] += image.stride[plane];
    image.stride[plane] *= 2;
  }
  return image;
}

/// Scales to RGB for a plain screen.
Status PictureConverter::render(const AVFrame& frame, const Image& image, PictureSize to, std::uint8_t* out,
                                int stride) {
  const HdrCurve curve = curve_of(frame);
  if (curve == HdrCurve::kNone) return scale(scaler_, image, to, AV_PIX_FMT_RGB24, out, stride);
  if (curve != tone_curve_) {
    tone_map_ = std::make_unique<ToneMap>(curve);
    tone_curve_ = curve;
  }
  const int deep_stride = aligned(6 * to.width);
  deep_.resize(static_cast<std::size_t>(deep_stride) * to.height + kOverrun);
  if (auto scaled = scale(scaler_, image, to, AV_PIX_FMT_RGB48LE, deep_.data(), deep_stride); !scaled)
    return scaled;
  tone_map_->map(deep_.data(), deep_stride, to.width, to.height, out, stride);
  return {};
}

Result<Picture> PictureConverter::convert(const AVFrame& frame, Orientation orientation,
                                          AVRational sample_aspect) {
  const auto format = static_cast<AVPixelFormat>(frame.format);
  const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
  if (!description || !frame.data[0])
    return fail(ErrorCode::kBadInput, "a picture came without pixels in memory");
  const bool container_says = sample_aspect.num > 0 && sample_aspect.den > 0;
  const AVRational aspect = container_says ? sample_aspect : frame.sample_aspect_ratio;
  Picture picture;
  const PictureSize size = shown_size(frame.width, frame.height, aspect, orientation.transpose, max_side_);
  picture.width = size.width;
  picture.height = size.height;
  picture.stride = aligned(3 * size.width);
  auto slot = take(static_cast<std::size_t>(picture.stride) * size.height + kOverrun);
  if (!slot) return tl::unexpected(slot.error());
  picture.pixels = *std::move(slot);

  Image image = image_of(frame, *description);
  if (description->flags & AV_PIX_FMT_FLAG_ALPHA || format == AV_PIX_FMT_PAL8)
    if (auto flat = flatten(image); !flat) return tl::unexpected(flat.error());

  if (orientation.upright()) {
    auto scaled = render(frame, image, size, picture.pixels.data(), picture.stride);
    if (!scaled) return tl::unexpected(scaled.error());
    return picture;
  }
  const PictureSize coded = orientation.transpose ? PictureSize{size.height, size.width} : size;
  const int stride = aligned(3 * coded.width);
  unturned_.resize(static_cast<std::size_t>(stride) * coded.height + kOverrun);
  auto scaled = render(frame, image, coded, unturned_.data(), stride);
  if (!scaled) return tl::unexpected(scaled.error());
  orient_rgb(unturned_.data(), stride, coded.width, coded.height, orientation, picture.pixels.data(),
             picture.stride);
  return picture;
}

}  // namespace braid::ingest::ffmpeg
