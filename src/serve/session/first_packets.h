#pragma once
// Questions that come before anything was seen.

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "braid/base/time.h"
#include "braid/packet/packet.h"
#include "braid/packet/question.h"

namespace braid::serve {

/// A question of now asked of a session that has just been made would find nothing: it waits until each
/// source has shown something, has ended, or `patience` (half of its deadline, if that is less) is over,
/// whichever comes first. One thread.
class FirstPackets {
 public:
  explicit FirstPackets(Nanoseconds patience) : patience_(patience) {}

  /// In the order of their ids.
  void add_source(std::array<bool, kStreamKinds> streams);
  /// Sound shows nothing yet where there are pictures too.
  void came(std::size_t source, const Packet& packet);
  void ended(std::size_t source) { sources_[source] = Source::kShown; }

  /// True: it was taken, to come out of due().
  bool hold(Question& question, SteadyTime now);
  /// Those that wait no longer, as they came.
  std::vector<Question> due(SteadyTime now);
  /// When due() has some at the latest; none wait: nothing.
  std::optional<SteadyTime> until() const;

 private:
  enum class Source { kPictures, kOther, kShown };  // what is awaited of it
  bool all_shown() const;
  SteadyTime until(const Question& question) const;

  const Nanoseconds patience_;
  std::vector<Source> sources_;
  std::vector<Question> held_;
};

}  // namespace braid::serve
