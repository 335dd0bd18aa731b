#include "media.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace braid::engine::llama {

namespace {

Status check(const Frame& frame) {
  if (frame.width < 1 || frame.height < 1 || !frame.pixels)
    return fail(ErrorCode::kBadInput,
                fmt::format("frame is {}x{}; width and height must be at least 1 and pixels set", frame.width,
                            frame.height));
  if (frame.width > kMaxSide || frame.height > kMaxSide)
    return fail(ErrorCode::kLimit,
                fmt::format("frame is {}x{}; sides must be at most {}", frame.width, frame.height, kMaxSide));
  const auto needed = static_cast<std::size_t>(frame.stride) * static_cast<std::size_t>(frame.height - 1) +
                      static_cast<std::size_t>(frame.width) * 3;
  if (frame.stride < 3 * frame.width || needed > frame.pixels.size())
    return fail(ErrorCode::kBadInput,
                fmt::format("frame of {}x{} with stride {} needs {} bytes; its slot has {}", frame.width,
                            frame.height, frame.stride, needed, frame.pixels.size()));
  return {};
}

/// Mean of the input between two places, both in samples.
float box_mean(const std::vector<float>& samples, double from, double to) {
  const auto first = static_cast<std::size_t>(std::max(0.0, from));
  const auto last = std::min(samples.size(), std::max(first + 1, static_cast<std::size_t>(std::ceil(to))));
  double sum = 0;
  for (std::size_t i = first; i < last; ++i) sum += samples[i];
  return last > first ? static_cast<float>(sum / static_cast<double>(last - first)) : 0.0F;
}

float interpolate(const std::vector<float>& samples, double at) {
  const auto left = std::min(static_cast<std::size_t>(at), samples.size() - 1);
  const std::size_t right = std::min(left + 1, samples.size() - 1);
  const auto share = static_cast<float>(at - static_cast<double>(left));
  return samples[left] + (samples[right] - samples[left]) * std::clamp(share, 0.0F, 1.0F);
}

}  // namespace

CanvasSize canvas_of(int width, int height) {
  const int least = (std::max(width, height) + kMaxAspect - 1) / kMaxAspect;
  return {std::max(width, least), std::max(height, least)};
}

Result<BitmapHandle> bitmap_of(const Frame& frame) {
  if (auto ok = check(frame); !ok) return tl::unexpected(ok.error());
  const CanvasSize canvas = canvas_of(frame.width, frame.height);
  const std::size_t row_bytes = static_cast<std::size_t>(canvas.width) * 3;
  const auto width = static_cast<std::uint32_t>(canvas.width);
  const auto height = static_cast<std::uint32_t>(canvas.height);
  if (static_cast<std::size_t>(frame.stride) == row_bytes && canvas.height == frame.height)
    return BitmapHandle(mtmd_bitmap_init(width, height, frame.pixels.data()));
  std::vector<std::uint8_t> tight(row_bytes * height);  // [height, width, 3]
  for (int y = 0; y < frame.height; ++y)
    std::memcpy(tight.data() + static_cast<std::size_t>(y) * row_bytes,
                frame.pixels.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(frame.stride),
                static_cast<std::size_t>(frame.width) * 3);
  return BitmapHandle(mtmd_bitmap_init(width, height, tight.data()));
}

std::vector<float> resample(const std::vector<float>& samples, int from_rate, int to_rate) {
  if (from_rate == to_rate || samples.empty()) return samples;
  const double step = static_cast<double>(from_rate) / to_rate;
  const auto n = static_cast<std::size_t>(static_cast<double>(samples.size()) / step);
  std::vector<float> out(std::max<std::size_t>(n, 1));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double at = static_cast<double>(i) * step;
    out[i] = step > 1 ? box_mean(samples, at, at + step) : interpolate(samples, at);
  }
  return out;
}

Result<BitmapHandle> bitmap_of(const Utterance& utterance, int sample_rate) {
  if (utterance.samples.empty() || utterance.sample_rate < 1)
    return fail(ErrorCode::kBadInput,
                fmt::format("utterance has {} samples at {} Hz; needs at least 1 of each",
                            utterance.samples.size(), utterance.sample_rate));
  const double seconds = static_cast<double>(utterance.samples.size()) / utterance.sample_rate;
  if (seconds > kMaxSoundSeconds)
    return fail(ErrorCode::kLimit,
                fmt::format("utterance is {:.1f} s long; must be at most {} s", seconds, kMaxSoundSeconds));
  std::vector<float> samples = resample(utterance.samples, utterance.sample_rate, sample_rate);
  for (float& sample : samples)
    if (!std::isfinite(sample)) sample = 0;
  samples.resize(std::max(samples.size(), static_cast<std::size_t>(kMinSoundSeconds * sample_rate)));
  return BitmapHandle(mtmd_bitmap_init_from_audio(samples.size(), samples.data()));
}

}  // namespace braid::engine::llama
