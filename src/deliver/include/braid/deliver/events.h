#pragma once
// What a client of a session hears. docs/json.md is the wire form of each.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "braid/packet/packet.h"
#include "braid/packet/prompt.h"
#include "braid/packet/question.h"

namespace braid::deliver {

/// A chunk that was perceived, or a packet that was dropped on the way and why.
struct Perceived {
  Modality modality = Modality::kVision;
  std::string source;
  SessionTime start;
  SessionTime end;
  bool kept = true;
  std::string reason;  ///< why not kept ("nothing_new", "blank", "queue_full"), or why kept ("new", "scene",
                       ///< "heartbeat")
  int tokens = 0;      ///< rows it takes, or would have taken
  int width = 0, height = 0;  ///< frames
  std::string text;           ///< readings and lines
  StageTimes stages;
};

/// What a frame shows or what was said, in the model's words.
struct Note {
  Modality modality = Modality::kVision;  ///< kVision or kAudio
  std::string source;
  SessionTime start;
  SessionTime end;
  std::string text;
  Nanoseconds behind{};       ///< since the model had perceived it
  std::vector<float> pooled;  ///< frames: mean of its embedding rows, [model dim]
  std::string pooled_by;      ///< the model whose encoder made it
};

struct Progress {
  SessionTime at;
  Nanoseconds duration{};  ///< 0: unknown
  std::uint64_t frames = 0, utterances = 0;
  bool ended = false;  ///< all sources have; `at` is the session's end
};

struct Fault {
  std::string source;
  std::optional<SessionTime> at;
  Error error;
};

/// Nothing went wrong, but something was assumed or done otherwise than asked.
struct Notice {
  std::string source;  ///< empty: none in particular
  std::optional<SessionTime> at;
  std::string message;
};

/// An answer's first sign of life, so that a client can show whose words follow.
struct AnswerBegin {
  QuestionId id;
  std::string question;
  SessionTime asked_at;
};

/// What a stage of a pipeline found of one stream in its window.
struct PipelineStream {
  std::string source;
  StreamKind kind = StreamKind::kVideo;
  std::vector<SessionTime> members;  ///< in order of time; the first kMostMembers
  std::size_t count = 0;             ///< of all
  std::optional<Nanoseconds> age;    ///< from the newest to the trigger's moment; negative: after it
  Nanoseconds error_bound{};         ///< the largest of its members
  std::string coverage;              ///< "settled", "assumed", "missing", "ended"

  static constexpr std::size_t kMostMembers = 32;
};

/// A stage of a pipeline is done, or couldn't be.
struct PipelineEvent {
  std::string stage, action;
  SessionTime at;               ///< when what triggered it happened
  std::string source, channel;  ///< of the trigger; empty: it has none
  std::string value, text;
  std::optional<SessionTime> from, to;  ///< its window
  std::vector<PipelineStream> streams;  ///< what was in it
  std::vector<Evidence> evidence;       ///< gathered and found up to here
  std::optional<QuestionId> question;   ///< that it asked
  std::string answer;
  std::vector<std::string> files;  ///< that it wrote
  Nanoseconds since_trigger{};     ///< from the trigger's arrival to here, on the clock
  std::optional<Error> error;
};

struct Summary {
  SessionTime end;
  Nanoseconds wall{};
  std::uint64_t frames_sampled = 0, frames_kept = 0, utterances = 0, readings = 0, lines = 0;
  std::uint64_t questions = 0, answers = 0, errors = 0, turn_overs = 0;
  std::uint64_t tokens_perceived = 0, tokens_kept = 0;
  std::vector<std::pair<std::string, std::uint64_t>> drops;  ///< by reason
  StageTimes perception;                                     ///< summed over all chunks
  std::uint64_t notes = 0, notes_passed_over = 0;
  Nanoseconds notes_behind{};  ///< the most
  bool interrupted = false;
};

using Event = std::variant<Perceived, Note, Progress, Fault, Notice, AnswerBegin, AnswerDelta, Answer,
                           PipelineEvent, Summary>;

/// Takes events, on the deliver thread; may block for as long as the client does.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void on_event(const Event& event) = 0;
};

}  // namespace braid::deliver
