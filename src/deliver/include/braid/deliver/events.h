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

using Event =
    std::variant<Perceived, Note, Progress, Fault, Notice, AnswerBegin, AnswerDelta, Answer, Summary>;

/// Takes events, on the deliver thread; may block for as long as the client does.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void on_event(const Event& event) = 0;
};

}  // namespace braid::deliver
