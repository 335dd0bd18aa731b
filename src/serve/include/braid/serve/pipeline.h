#pragma once
// Pipelines by declaration: what is done when something happens, with what of the time around it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/base/result.h"
#include "braid/base/time.h"

namespace braid::serve {

/// What a stage does. Wire names: gather, ask, retrieve, describe, store, webhook, clip.
enum class StageAction : std::uint8_t {
  kGather,    ///< collects what is in its window; every stage with a window does
  kAsk,       ///< a question, with all that was gathered and found up to here beside it
  kRetrieve,  ///< looks for its text in the memory
  kDescribe,  ///< the model puts into words what it sees; goes along as evidence
  kStore,     ///< its text becomes a record of the memory
  kWebhook,   ///< posts what was gathered, found and answered
  kClip,      ///< writes the pictures of its window to a file
};
const char* to_string(StageAction action);

/// What sources send that may trigger. Wire names: reading, line, utterance, frame, scene_change, note (a
/// frame's or an utterance's words, in the model's).
enum class StageEvent : std::uint8_t { kReading, kLine, kUtterance, kFrame, kSceneChange, kNote };
const char* to_string(StageEvent event);

/// What has to happen. Conditions of readings and notes hold at the moment at which they become true: a value
/// that stays above its limit triggers once.
struct StageTrigger {
  std::string stage;                ///< that one is done; empty: something that a source sends
  std::string source;               ///< by name; empty: any
  std::optional<StageEvent> event;  ///< none: told by what follows
  std::string channel;              ///< of a reading
  std::optional<double> above, below;
  std::optional<std::string> equals;  ///< the value's text, or its number
  std::string contains;               ///< this word or phrase, in either case: of a line, note or answer
};

/// What a stage gathers. Wire names: all, as_of, nearest.
enum class StageTake : std::uint8_t {
  kAll,      ///< all in its window
  kAsOf,     ///< of each stream the last at or before m + start_offset: what held then
  kNearest,  ///< of each stream the one that is nearest to it, and no further than the tolerance
};
const char* to_string(StageTake take);

/// Windows [k hop, k hop + length) of session time.
struct StageWindows {
  Nanoseconds length{}, hop{};
};

/// A temporal stage. Its window is [m + start_offset, m + start_offset + duration), m being the moment of
/// what triggered it, which is the same for all that follows from one trigger. With time_window it is that of
/// those windows whose middle is nearest to m + start_offset; of two, the earlier. With time_window and
/// without trigger_on, each of them triggers in which anything is.
struct PipelineStage {
  std::string name;
  std::optional<StageTrigger> trigger_on;
  Nanoseconds start_offset{};
  std::optional<Nanoseconds> duration;  ///< neither this nor time_window: it has no window
  std::optional<StageWindows> time_window;
  StageTake take = StageTake::kAll;
  Nanoseconds tolerance = Milliseconds(16);  ///< nearest
  Nanoseconds delay{};                       ///< done when session time is m + delay, and past its window
  Nanoseconds cooldown{};                    ///< triggers that come sooner after the last are passed over
  StageAction action = StageAction::kGather;
  std::vector<std::string> sources;  ///< that it gathers or looks for; empty: all
  /// Question, words to look for, or record; with {time}, {stage}, {source}, {channel}, {value}, {text} of
  /// the trigger and {answer}, the last.
  std::string text;
  std::optional<Nanoseconds> deadline;  ///< ask, retrieve
  int max_tokens = 96;                  ///< ask, describe
  int limit = 3;                        ///< retrieve: records
  std::vector<std::string> kinds;       ///< retrieve: of records; empty: all but answers
  std::string url, secret_env;          ///< webhook: where to; whose value signs
  std::string folder;                   ///< clip
};

struct PipelinePlan {
  std::vector<PipelineStage> stages;
  /// Sources that are for triggers and windows alone: the model doesn't see what they send, unless a stage
  /// gathers it for a question.
  std::vector<std::string> unperceived;
};

inline constexpr std::size_t kMaxPipelineStages = 256;

/// What is wrong with a plan: which stage, which key of it.
struct PlanFault {
  std::size_t stage = 0;
  std::string key;
  std::string message;
};
/// Also finds cycles. None: it can be run.
std::optional<PlanFault> find_fault(const PipelinePlan& plan);

/// TOML, as docs/pipelines.md has it. kUsage: "FILE:LINE: …"; kNotFound; kLimit: too long a file.
Result<PipelinePlan> load_pipeline(const std::string& path);
/// `name`: of the file, for messages.
Result<PipelinePlan> parse_pipeline(std::string_view text, std::string_view name);

}  // namespace braid::serve
