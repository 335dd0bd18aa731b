#pragma once
// How far a session is, on one terminal line that is drawn over.

#include <optional>

#include "braid/base/clock.h"
#include "braid/deliver/events.h"
#include "output.h"

namespace braid::deliver {

/// Draws nothing where `output` is no terminal or the length is unknown. Ten times a second at most.
class ProgressBar {
 public:
  ProgressBar(Output& output, Clock& clock, bool enabled)
      : output_(output), clock_(clock), enabled_(enabled && output.is_terminal()) {}

  void show(const Progress& progress);
  /// Takes the bar away, before something else is written.
  void clear();

 private:
  Output& output_;
  Clock& clock_;
  const bool enabled_;
  bool drawn_ = false;
  std::optional<SteadyTime> last_;
};

}  // namespace braid::deliver
