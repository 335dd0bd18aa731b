#pragma once
// Pictures coded for bright screens (HDR) as a plain screen shows them. Pure, but for its tables.

#include <array>
#include <cstdint>
#include <vector>

namespace braid::ingest::ffmpeg {

/// Curves of ITU-R BT.2100, with reference white at 203 cd/m² as in BT.2408.
enum class HdrCurve : std::uint8_t { kNone, kPq, kHlg };

/// What is as bright as white paper or darker keeps its brightness, nearly; what is brighter is pressed into
/// the rest, with its hue. BT.2020's colours become sRGB's. One curve's; one thread.
class ToneMap {
 public:
  explicit ToneMap(HdrCurve curve);

  /// `from` [height, width, 3] u16 RGB coded by the curve, to `to` [height, width, 3] u8 sRGB. Rows are so
  /// many bytes apart.
  void map(const std::uint8_t* from, int from_stride, int width, int height, std::uint8_t* to,
           int to_stride) const;

 private:
  std::array<double, 3> light(const std::uint16_t* pixel) const;

  bool hlg_;
  std::vector<float> linear_;        // by a coded value's upper 12 bits; 1 is reference white
  std::vector<std::uint8_t> coded_;  // sRGB of 0..1 in 4,096 steps
};

}  // namespace braid::ingest::ffmpeg
