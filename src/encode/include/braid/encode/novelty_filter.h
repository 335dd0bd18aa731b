#pragma once
// Drops frames that carry nothing new before they cost an encode.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "braid/packet/packet.h"

namespace braid::encode {

struct NoveltyOptions {
  bool enabled = true;
  /// A frame is new if any cell of its thumbprint differs from the last kept frame's by more than this (luma,
  /// 0..255).
  float cell_threshold = 10.0F;
  /// A frame is kept anyway when the last kept one is this old; 0: never.
  Nanoseconds heartbeat = Milliseconds(2000);
  /// A frame of black, white or grey whose pixels' standard deviation is below this, overall and in each
  /// cell, shows nothing (luma, 0..255); 0: off. One of a colour shows that. The first such frame after one
  /// that showed something is new all the same: what was there has gone.
  float blank_deviation = 2.0F;
};

enum class Novelty : std::uint8_t { kNew, kScene, kHeartbeat, kNothingNew, kBlank };
const char* to_string(Novelty novelty);  ///< "new", "scene", "heartbeat", "nothing_new", "blank"
constexpr bool keeps(Novelty n) { return n != Novelty::kNothingNew && n != Novelty::kBlank; }

/// One state a camera of a source. Depends on pixels and stamps alone, so a replay decides alike. One thread.
/// The thumbprint is a 16 x 16 grid of mean luma (BT.601 weights), as in block-mean perceptual hashing (Yang,
/// Gu, Niu, Block Mean Value Based Image Perceptual Hashing, 2006), kept as numbers rather than bits. It
/// looks at some 60,000 pixels at most, evenly spread. A frame without pixels can't be judged and is new.
class NoveltyFilter {
 public:
  explicit NoveltyFilter(NoveltyOptions options) : options_(options) {}
  Novelty judge(const Frame& frame);

 private:
  static constexpr int kGrid = 16;
  using Thumbprint = std::array<float, kGrid * kGrid>;
  struct Look {
    Thumbprint thumbprint;
    bool blank;
  };
  struct Kept {
    Look look;
    SessionTime at;
  };
  Look look_at(const Frame& frame) const;
  Novelty compare(const Frame& frame, const Look& look) const;

  NoveltyOptions options_;
  std::map<std::pair<SourceId, int>, Kept> kept_;  // by source and camera
};

}  // namespace braid::encode
