#pragma once
// The flags of `braid watch`.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "braid/calendar/utc.h"
#include "braid/packet/question.h"
#include "braid/serve/watch.h"

namespace braid::serve {

struct WatchOptions {
  WatchConfig config;
  std::string memory;            ///< its folder; empty: none
  std::string embedder;          ///< for the memory; as load_text_model() takes it
  std::string pipeline;          ///< file of stages; empty: none
  std::optional<UtcTime> began;  ///< when session time 0 was, for the memory and the pipeline
  std::vector<Question> questions;
  bool json = false;
  bool deltas = false;  ///< with json: answer_delta objects too
  bool quiet = false;   ///< answers alone
};

/// The flags as parsed.
struct WatchFlags;
/// Adds the flags to a command, which owns what they are parsed into.
WatchFlags* add_watch_flags(CLI::App& command);

/// What they mean, after a successful parse. kUsage: a value that can't be.
Result<WatchOptions> finish_watch_flags(const WatchFlags& flags);

}  // namespace braid::serve
