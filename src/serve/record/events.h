#pragma once
// What a recording holds: everything that a session did which its inputs, stamps and bounds alone don't
// decide, and what came of it, to compare with.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "braid/engine/engine.h"
#include "braid/serve/session.h"
#include "braid/sync/synchronizer.h"

namespace braid::serve {

struct RecordedSource {
  std::string name;
  std::array<bool, kStreamKinds> streams{};
  bool bounded = false;  ///< waited for no longer than its lateness
  Nanoseconds duration{};
};

/// The session as it started.
struct Opened {
  std::string program;  ///< "braid 0.1.0"
  SessionOptions options;
  HostOptions host;
  engine::EngineInfo model;
  engine::ChatFormat chat;
  bool encodes = false;  ///< the model has an encoder
  bool hears = false;    ///< sound was listened to
  SteadyTime at{};       ///< when session time `begins` was
  SessionTime begins{};
  std::vector<RecordedSource> sources;
};

// What went into the sync stage, in this order.
struct Arrived {
  SourceId source;
  Packet packet;
  std::optional<SessionTime> arrived;
};
struct AskedOf {
  Question question;
};
struct SourceEnded {
  SourceId source;
};
struct BoundsMoved {
  std::vector<sync::Advance> advances;
};
struct SyncFinished {};
/// What a speech detector said of its next frame.
struct SpeechHeard {
  std::uint32_t detector = 0;  ///< in the order in which they were made
  float probability = 0;
};

/// Which item of the sync stage's this is.
struct ItemKey {
  std::uint8_t kind = 0;   ///< the alternative of sync::Timed
  std::int64_t owner = 0;  ///< source, or the question's id
  std::int32_t camera = 0;
  SessionTime start, end;
  std::uint32_t content = 0;  ///< a checksum of what it holds; of frames their size alone

  bool operator==(const ItemKey&) const = default;
};
/// What became of what the sync stage made. Refused: a question that goes on but isn't to be answered.
enum class Fate : std::uint8_t { kPassed, kWithheld, kRefused };
struct LetOut {
  ItemKey item;
  Fate fate = Fate::kPassed;
};

/// It was taken by the encode stage; frames before it that were not taken had been dropped.
struct Handled {
  ItemKey item;
  bool passed_over = false;  ///< a frame that wasn't looked at
  bool kept = false;         ///< it became a chunk
  std::string reason;
  std::int32_t tokens = 0;
  std::int32_t rows = 0, positions = 0;  ///< of the chunk
};

struct ControlTaken {
  bool all = false;
  QuestionId id;
  std::int32_t reason = 0;
  std::optional<std::uint64_t> delivered;
};
/// The engine's thread took these in, in its `rounds`-th round since the last Took or Stepped.
struct Took {
  std::uint32_t rounds = 0;
  std::uint32_t chunks = 0;  ///< items of the encode stage's
  SteadyTime at{};
  std::vector<ControlTaken> controls;
  std::optional<SteadyTime> awaited =
      {};  ///< since when a question waited then; what hurries is planned first
};

/// Rows of one sequence and kind that stand together in a step.
struct StepShare {
  SequenceId sequence;
  RowKind kind = RowKind::kPerception;
  std::int32_t rows = 0;
  std::int32_t position = 0;  ///< of the first
  std::uint32_t content = 0;  ///< a checksum of positions and tokens

  bool operator==(const StepShare&) const = default;
};
struct Stepped {
  std::uint32_t rounds = 0;
  SteadyTime begin{}, end{};
  bool failed = false;
  std::vector<StepShare> shares;
  std::vector<std::pair<SequenceId, Token>> sampled;
};
struct Answered {
  QuestionId id;
  std::int32_t finish = 0;
  std::string text;
};

// What the model said, for a replay without it.
struct Tokenized {
  std::string text;
  bool special = false;
  TokenRun tokens;
};
struct Spelled {
  Token token = 0;
  std::string piece;
  bool ends = false;  ///< it ends the answer
};
struct FrameSized {
  std::int32_t width = 0, height = 0, rows = 0;
};
/// One piece of an encoded medium.
struct PieceShape {
  TokenRun tokens;  ///< empty: embedding rows
  std::int32_t rows = 0;
  std::int32_t positions = 0;
  bool indivisible = false;
  std::vector<GridPosition> grid;
};
struct MediumEncoded {
  std::optional<Error> error;
  std::vector<PieceShape> pieces;
};

/// Events came faster than they could be written: what follows isn't here.
/// A question that waits for its moment is not to be answered any more.
struct Withdrawn {
  QuestionId id;
};

struct EventsLost {};
struct RecordingEnded {};

/// The place of an alternative is its number in the file: it is never taken away or moved.
using RecordedEvent = std::variant<Opened, Arrived, AskedOf, SourceEnded, BoundsMoved, SyncFinished,
                                   SpeechHeard, LetOut, Handled, Took, Stepped, Answered, Tokenized, Spelled,
                                   FrameSized, MediumEncoded, EventsLost, RecordingEnded, Withdrawn>;

ItemKey key_of(const sync::Timed& item);
/// What became of it, but for `passed_over`.
Handled handled_as(const ItemKey& item, const encode::Encoded& made);
std::vector<StepShare> shares_of(const StepPlan& plan);

std::string to_bytes(const RecordedEvent& event);
/// Without a copy of the packet.
std::string arrived_bytes(SourceId source, const Packet& packet, std::optional<SessionTime> arrived);
/// Any bytes will do; doesn't throw. kBadInput: they aren't such an event. kUnsupported: a later program's.
Result<RecordedEvent> parse_event(std::uint32_t type, std::string_view bytes);

}  // namespace braid::serve
