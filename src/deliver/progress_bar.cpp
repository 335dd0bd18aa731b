#include "progress_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace braid::deliver {

namespace {
constexpr int kWidth = 30;
constexpr Nanoseconds kEvery = Milliseconds(100);
}  // namespace

void ProgressBar::show(const Progress& progress) {
  if (!enabled_ || progress.duration <= Nanoseconds::zero()) return;
  const SteadyTime now = clock_.now();
  if (!progress.ended && last_ && now - *last_ < kEvery) return;
  last_ = now;
  const double share = std::clamp(to_seconds(progress.at) / to_seconds(progress.duration), 0.0, 1.0);
  std::string text = fmt::format("{:.0f} % of {:.1f} s, {} frames", share * 100.0,
                                 to_seconds(progress.duration), progress.frames);
  // A line that fills its terminal wraps, and only its last part could be drawn over.
  const auto room = static_cast<std::size_t>(output_.columns() - 1);
  if (text.size() + kWidth + 3 <= room) {
    const auto full = static_cast<std::size_t>(share * kWidth);
    text = fmt::format("[{}{}] {}", std::string(full, '='), std::string(kWidth - full, ' '), text);
  }
  output_.write("\r\033[K" + text.substr(0, room));
  drawn_ = true;
}

void ProgressBar::clear() {
  if (!drawn_) return;
  output_.write("\r\033[K");
  drawn_ = false;
}

}  // namespace braid::deliver
