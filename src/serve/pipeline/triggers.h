#pragma once
// When a stage's condition becomes true.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "braid/deliver/events.h"
#include "braid/serve/pipeline.h"
#include "braid/sync/synchronizer.h"

namespace braid::serve {

/// What happened, that a stage waits for.
struct Happened {
  std::size_t stage = 0;  ///< of the plan
  SessionTime at;
  std::string source, channel, value, text;
};

/// Knows what conditions were before. One thread.
class Triggers {
 public:
  explicit Triggers(const PipelinePlan& plan) : plan_(plan) {}

  /// Of what sync lets out, in order of time.
  std::vector<Happened> at(const sync::Timed& item, const std::string& source);
  /// What a frame or an utterance is in words.
  std::vector<Happened> at(const deliver::Note& note);

 private:
  bool becomes(std::size_t stage, const std::string& source, const std::string& channel, bool now);
  template <class Matches>
  std::vector<Happened> all(const std::string& source, StageEvent event, Matches matches);

  const PipelinePlan& plan_;
  std::map<std::tuple<std::size_t, std::string, std::string>, bool> before_;
};

}  // namespace braid::serve
