#pragma once
// Many streams in, one stream out, in order of time: frames, utterances, lines, readings and questions.

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "braid/base/clock.h"
#include "braid/packet/packet.h"
#include "braid/packet/question.h"
#include "braid/sync/lateness.h"
#include "braid/sync/speech_detector.h"

namespace braid::sync {

/// All sources have ended; `at` is the end of what they told of, and the session's.
struct StreamsEnd {
  SessionTime at;
};

/// What leaves the synchronizer, ordered by end time; at equal times frames, lines, readings, utterances,
/// questions. The streams' end comes once, before the questions that waited for it.
using Timed = std::variant<Frame, Utterance, TextLine, Reading, Question, Damage, StreamsEnd>;

struct SyncOptions {
  Nanoseconds preroll = Milliseconds(200);         ///< sound kept before speech starts
  Nanoseconds postroll = Milliseconds(100);        ///< sound kept after it ends
  Nanoseconds end_silence = Milliseconds(350);     ///< silence that ends an utterance
  Nanoseconds min_speech = Milliseconds(100);      ///< shorter bursts are noise
  Nanoseconds max_utterance = Milliseconds(6000);  ///< longer ones are split at their quietest point
  float speech_threshold = 0.5F;                   ///< probability at which speech starts
  float silence_threshold = 0.35F;                 ///< probability under which it may end
  LatenessOptions lateness = {};                   ///< how long live streams are waited for
  std::size_t max_held =
      4096;  ///< packets held for order; beyond, the oldest are sent on, counted as late order
};

struct SyncCounts {
  std::uint64_t late = 0;          ///< came after their time was passed on; sent at once
  std::uint64_t overflow = 0;      ///< sent on early because max_held was reached
  std::uint64_t noise_bursts = 0;  ///< speech shorter than min_speech
  std::uint64_t bad_audio = 0;     ///< blocks of sound with a rate or time that can't be; ignored
  std::uint64_t unheard = 0;       ///< blocks of sound without a speech detector to hear them
};

/// Pure: what comes out depends on stamps and bounds alone, not on the order in which streams' packets arrive
/// (as long as each stream keeps its bound). One thread. Stamps `trace` with the times given by `now`.
///
/// A question with `at` comes out when every stream's bound has passed `at`; without, or when no stream gets
/// so far, when all sources have ended, and is then asked at their end. A question's `asked`, if not set yet
/// or still to come, is the moment the synchronizer lets it out. A live stream that is silent holds nobody:
/// advance_live() moves the bounds of live sources, by their lateness as measured. What it did, advance()
/// does again in a replay.
class Synchronizer {
 public:
  using Emit = std::function<void(Timed)>;

  /// `speech` makes a detector for each source with sound; null: sound is not listened to. It and `clock`
  /// outlive this. `emit` runs within the calls below and may call ask().
  Synchronizer(SyncOptions options, Clock& clock, SpeechDetectorFactory* speech, Emit emit);
  ~Synchronizer();

  void add_source(SourceId source, std::array<bool, kStreamKinds> streams, bool live);
  /// `arrived`: when on the session's timeline; of a live source its lateness is learned from that. Sound's
  /// isn't: it is waited for as long as may be, since a hole in it would be cut into speech.
  void push(SourceId source, Packet packet, std::optional<SessionTime> arrived = {});
  void end_source(SourceId source);
  void ask(Question question);
  /// One that waits for its moment comes out now, with max_tokens 0: it is not to be answered. Any other id
  /// is left alone.
  void withdraw(QuestionId id);
  /// It is `now`: live streams that were waited for long enough are waited for no longer. The bounds that
  /// moved.
  std::vector<Advance> advance_live(SessionTime now);
  /// One bound, as advance_live() once moved it.
  void advance(const Advance& advance);
  /// Everything held goes out; questions without `at` last.
  void finish();

  /// The source whose bound is the furthest behind: read it next. None: all have ended.
  std::optional<SourceId> hungriest() const;
  /// Everything before this has been passed on.
  SessionTime frontier() const;
  const SyncCounts& counts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace braid::sync
