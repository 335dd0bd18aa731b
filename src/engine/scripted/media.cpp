#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <numbers>

#include "braid/engine/scripted_media.h"

namespace braid::engine {

namespace {

constexpr std::array<std::uint8_t, 4> kMagic = {'B', 'L', 'b', 1};
constexpr std::size_t kHeader = kMagic.size() + 1;  // magic, length

// FNV-1a (Fowler, Noll, Vo), folded so that every bit of the pattern depends on every byte.
std::uint16_t pattern_of(std::string_view label) {
  std::uint64_t hash = 1469598103934665603ULL;
  for (const char c : label) hash = (hash ^ static_cast<std::uint8_t>(c)) * 1099511628211ULL;
  const auto folded = static_cast<std::uint16_t>(hash ^ (hash >> 16) ^ (hash >> 32) ^ (hash >> 48));
  return folded == 0 || folded == 0xFFFF ? 0x5A5A : folded;
}

Result<Frame> take_frame(SlotPool& pool, SessionTime captured, SourceId source, int width, int height) {
  Frame frame;
  frame.source = source;
  frame.captured = captured;
  frame.width = width;
  frame.height = height;
  frame.stride = 3 * width;
  const auto bytes = static_cast<std::size_t>(frame.stride) * static_cast<std::size_t>(height);
  if (bytes > pool.slot_bytes())
    return fail(ErrorCode::kFull, fmt::format("a {}x{} picture takes {} bytes; the pool's slots have {}",
                                              width, height, bytes, pool.slot_bytes()));
  auto slot = pool.take();
  if (!slot) return tl::unexpected(slot.error());
  frame.pixels = std::move(*slot);
  return frame;
}

}  // namespace

Result<Frame> make_labelled_frame(SlotPool& pool, std::string_view label, SessionTime captured,
                                  SourceId source, int width, int height) {
  const auto row_bytes = 3 * static_cast<std::size_t>(width);
  if (label.size() > 255 || label.size() + kHeader > row_bytes)
    return fail(ErrorCode::kLimit,
                fmt::format("the label has {} bytes; a row of {} pixels holds {}", label.size(), width,
                            std::min<std::size_t>(255, row_bytes - kHeader)));
  auto frame = take_frame(pool, captured, source, width, height);
  if (!frame) return frame;
  const std::uint16_t pattern = pattern_of(label);
  for (int y = 0; y < height; ++y) {
    std::uint8_t* row = frame->pixels.data() + static_cast<std::size_t>(y) * row_bytes;
    for (int x = 0; x < width; ++x) {
      const int block = (y * 4 / height) * 4 + x * 4 / width;
      std::memset(row + 3 * x, (pattern >> block) & 1 ? 200 : 50, 3);
    }
  }
  std::uint8_t* out = frame->pixels.data();
  std::memcpy(out, kMagic.data(), kMagic.size());
  out[kMagic.size()] = static_cast<std::uint8_t>(label.size());
  std::memcpy(out + kHeader, label.data(), label.size());
  return frame;
}

Result<Frame> make_blank_frame(SlotPool& pool, SessionTime captured, SourceId source, int width, int height) {
  auto frame = take_frame(pool, captured, source, width, height);
  if (frame)
    std::memset(frame->pixels.data(), 16,
                3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  return frame;
}

AudioBlock make_tone(SessionTime start, Nanoseconds duration, SourceId source, double hz, float amplitude) {
  AudioBlock block;
  block.source = source;
  block.start = start;
  block.samples.resize(static_cast<std::size_t>(to_seconds(duration) * block.sample_rate));
  const double step = 2.0 * std::numbers::pi * hz / block.sample_rate;
  for (std::size_t i = 0; i < block.samples.size(); ++i)
    block.samples[i] = amplitude * static_cast<float>(std::sin(step * static_cast<double>(i)));
  return block;
}

std::optional<std::string> label_of(const Frame& frame) {
  const std::uint8_t* bytes = frame.pixels.data();
  const auto row_bytes = static_cast<std::size_t>(3 * std::max(frame.width, 0));
  if (!bytes || frame.height < 1 || row_bytes < kHeader) return std::nullopt;
  if (std::memcmp(bytes, kMagic.data(), kMagic.size()) != 0) return std::nullopt;
  const std::size_t length = bytes[kMagic.size()];
  if (length + kHeader > row_bytes) return std::nullopt;
  return std::string(reinterpret_cast<const char*>(bytes + kHeader), length);
}

}  // namespace braid::engine
