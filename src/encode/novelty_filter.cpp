#include "braid/encode/novelty_filter.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace braid::encode {

namespace {

constexpr int kRowsPerCell = 12;  // looked at, spread evenly
constexpr int kColumnsPerCell = 20;

/// Pixels of one cell. Integers, so that every machine sees the same.
struct Cell {
  std::uint32_t count = 0;
  std::uint32_t sum = 0;      // of luma
  std::uint64_t squares = 0;  // of luma

  float mean() const { return static_cast<float>(sum) / static_cast<float>(count); }
  float variance() const { return static_cast<float>(squares) / static_cast<float>(count) - mean() * mean(); }
};

struct Range {
  int from, to, step;
};

/// Cell `i` of `cells` along a side of `size` pixels, with at most `samples` steps. Never empty.
Range range_of(int i, int cells, int size, int samples) {
  const auto edge = [&](int k) { return static_cast<int>(static_cast<std::int64_t>(k) * size / cells); };
  const int from = edge(i);
  const int to = std::max(edge(i + 1), from + 1);
  return {from, to, (to - from + samples - 1) / samples};
}

Cell measure(const Frame& frame, const Range& rows, const Range& columns) {
  Cell cell;
  for (int y = rows.from; y < rows.to; y += rows.step) {
    const std::uint8_t* row = frame.pixels.data() + static_cast<std::ptrdiff_t>(y) * frame.stride;
    for (int x = columns.from; x < columns.to; x += columns.step) {
      const std::uint8_t* rgb = row + 3 * static_cast<std::ptrdiff_t>(x);
      const std::uint32_t luma = (77U * rgb[0] + 150U * rgb[1] + 29U * rgb[2] + 128U) >> 8;  // BT.601, of 256
      ++cell.count;
      cell.sum += luma;
      cell.squares += luma * luma;
    }
  }
  return cell;
}

bool has_pixels(const Frame& frame) {
  if (!frame.pixels || frame.width < 1 || frame.height < 1 || frame.stride / 3 < frame.width) return false;
  const auto rows = static_cast<std::size_t>(frame.height - 1);
  return rows * static_cast<std::size_t>(frame.stride) + 3 * static_cast<std::size_t>(frame.width) <=
         frame.pixels.size();
}

/// Does a picture of one luma show a colour? Black, white and grey, as cameras send them without a signal,
/// are none. A share of the pixels looked at, so that noise makes none.
bool is_coloured(const Frame& frame) {
  constexpr int kLeastChroma = 24;  // from the largest to the smallest of red, green and blue, of 255
  constexpr int kSide = 16, kLeastShare = 16;
  int coloured = 0;
  for (int row = 0; row < kSide; ++row)
    for (int column = 0; column < kSide; ++column) {
      const int y = (2 * row + 1) * frame.height / (2 * kSide),
                x = (2 * column + 1) * frame.width / (2 * kSide);
      const std::uint8_t* rgb = frame.pixels.data() + static_cast<std::ptrdiff_t>(y) * frame.stride + 3 * x;
      const auto [least, most] = std::minmax({rgb[0], rgb[1], rgb[2]});
      coloured += most - least >= kLeastChroma ? 1 : 0;
    }
  return coloured * kLeastShare >= kSide * kSide;
}

float variance_of(std::span<const float> values) {
  const auto n = static_cast<float>(values.size());
  float mean = 0, squares = 0;
  for (const float v : values) mean += v / n;
  for (const float v : values) squares += (v - mean) * (v - mean) / n;
  return squares;
}

bool differs(std::span<const float> a, std::span<const float> b, float by) {
  return !std::equal(a.begin(), a.end(), b.begin(), [by](float x, float y) { return std::abs(x - y) <= by; });
}

}  // namespace

const char* to_string(Novelty novelty) {
  switch (novelty) {
    case Novelty::kNew:
      return "new";
    case Novelty::kScene:
      return "scene";
    case Novelty::kHeartbeat:
      return "heartbeat";
    case Novelty::kNothingNew:
      return "nothing_new";
    case Novelty::kBlank:
      return "blank";
  }
  return "new";
}

NoveltyFilter::Look NoveltyFilter::look_at(const Frame& frame) const {
  Look look{};
  float within = 0;  // the largest variance inside a cell
  for (int y = 0; y < kGrid; ++y) {
    const Range rows = range_of(y, kGrid, frame.height, kRowsPerCell);
    for (int x = 0; x < kGrid; ++x) {
      const Cell cell = measure(frame, rows, range_of(x, kGrid, frame.width, kColumnsPerCell));
      look.thumbprint[static_cast<std::size_t>(y) * kGrid + static_cast<std::size_t>(x)] = cell.mean();
      within = std::max(within, cell.variance());
    }
  }
  const float least = options_.blank_deviation * options_.blank_deviation;
  look.blank = options_.blank_deviation > 0 && within < least && variance_of(look.thumbprint) < least &&
               !is_coloured(frame);
  return look;
}

Novelty NoveltyFilter::compare(const Frame& frame, const Look& look) const {
  const auto found = kept_.find({frame.source, frame.camera});
  if (look.blank && (found == kept_.end() || found->second.look.blank)) return Novelty::kBlank;
  if (found == kept_.end()) return Novelty::kNew;
  const Kept& kept = found->second;
  if (frame.scene_change) return Novelty::kScene;
  if (look.blank || differs(look.thumbprint, kept.look.thumbprint, options_.cell_threshold))
    return Novelty::kNew;
  const bool old = options_.heartbeat > Nanoseconds{} && frame.captured - kept.at >= options_.heartbeat;
  return old ? Novelty::kHeartbeat : Novelty::kNothingNew;
}

Novelty NoveltyFilter::judge(const Frame& frame) {
  if (!options_.enabled || !has_pixels(frame)) return Novelty::kNew;
  const Look look = look_at(frame);
  const Novelty novelty = compare(frame, look);
  if (keeps(novelty)) kept_[{frame.source, frame.camera}] = {look, frame.captured};
  return novelty;
}

}  // namespace braid::encode
