#pragma once
// One session: sources in, questions asked at any moment, answers out. The same object serves the command
// line, the library and the scenarios.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "braid/base/clock.h"
#include "braid/deliver/events.h"
#include "braid/encode/chunk_maker.h"
#include "braid/engine/engine.h"
#include "braid/ingest/source.h"
#include "braid/kv/timeline.h"
#include "braid/packet/question.h"
#include "braid/serve/engine_host.h"
#include "braid/serve/session_clocks.h"
#include "braid/serve/session_image.h"
#include "braid/sync/synchronizer.h"

namespace braid::serve {

class EventLog;
class SyncTap;

struct SessionOptions {
  bool realtime = false;           ///< session time goes with the clock; else as fast as it can be perceived
  bool stay_open = false;          ///< goes on answering after the sources' end, until stop()
  bool join_turns = true;          ///< answered questions stay in the timeline as turns
  bool asks_blind = false;         ///< a text is asked of the model though nothing at all is in sight
  int max_open_answers = 4;        ///< further questions wait their turn
  int max_answer_tokens = 96;      ///< longest answer that may be asked for
  int max_waiting_questions = 64;  ///< beyond, ask() refuses
  std::size_t queue = 8;           ///< packets between two stages
  Nanoseconds live_lateness = Milliseconds(1000);  ///< a live stream silent for longer holds nobody
  /// Realtime: a question that has waited for longer (or for half of its deadline, if that is less) waits for
  /// each source's newest frame alone.
  Nanoseconds frame_patience = Milliseconds(1000);
  /// Realtime: a question of now that finds nothing yet waits so long for the sources' first packets.
  Nanoseconds first_packet_patience{};
  std::shared_ptr<SessionClocks> clocks = nullptr;  ///< of its senders; null: nobody's
  /// Adds what a memory has on a question to its evidence, when its turn comes to be read; on the encode
  /// thread, which waits for it: for milliseconds. None: there is no memory.
  std::function<void(Question& question)> recall;
  /// Rows that what a memory has on a question may take beside it: no more than the window's, nor than the
  /// model's trained context leaves. 0: what the question leaves of its own room.
  int evidence_tokens = 0;
  /// Kept frames and utterances are put into words, for a memory, when nothing else is to be computed. Bytes
  /// of those that may wait for it; 0: none are. Live ones that are too many are passed over, others waited
  /// for.
  std::size_t note_bytes = 0;
  kv::WindowOptions window;
  sync::SyncOptions sync;
  encode::EncodeOptions encode;
  SyncTap* tap = nullptr;   ///< hears what sources send; outlives it. Null: nobody does
  EventLog* log = nullptr;  ///< told what the session does (record/); outlives it. Null: nobody
};

/// Frames and utterances that are still to be put into words.
struct NotesBehind {
  std::size_t waiting = 0;
  std::uint64_t made = 0;           ///< that were; the sink hears of each
  std::optional<SteadyTime> since;  ///< that the oldest of them waits

  void add(const NotesBehind& other);
};

/// Threads: one a source, one each for sync, encode and delivery, and the host's. Public calls may come from
/// any thread; start() and wait() from one. The host, the clock and the sink outlive the session.
class Session {
 public:
  /// `speech` may be null: then sound is not listened to. kLimit: the window doesn't fit the engine's
  /// context. kFull (retryable): other sessions have been promised its cells.
  static Result<std::unique_ptr<Session>> create(SessionOptions options, EngineHost& host,
                                                 sync::SpeechDetectorFactory* speech, Clock& clock,
                                                 deliver::EventSink& sink);
  ~Session();

  /// Before start(): goes on where the other left off. kLimit: a chunk is larger than this one's window.
  Status restore(SessionImage image);
  /// `taken` is called once, soon, on the engine's thread, and must not block; after the session's end it
  /// isn't.
  void take_image(std::function<void(SessionImage image)> taken);
  /// Counts what changes an image, its `now` apart: while it is the same, another one would say nothing new.
  /// Read it before the image is asked for.
  std::uint64_t changes() const;

  /// Before start(). kUnsupported: none of its streams is of a kind that the model takes. kUsage: the name is
  /// taken.
  Result<SourceId> add_source(std::unique_ptr<ingest::Source> source);

  /// From here on sources are read. Session time 0 is now; of a restored one, so long ago that its time goes
  /// on.
  void start();

  /// Any time, also before start(). The answer comes through the sink. Texts are UTF-8; kUsage: nothing is
  /// asked; kFull (retryable): too many questions wait to be answered; kLimit: a longer question or answer
  /// than it has room for; kCancelled: the session has ended.
  Result<QuestionId> ask(Question question);

  /// The answer ends at the next step, as far as it was delivered; `delivered`: after so many of its bytes,
  /// what was made beyond is forgotten. Unknown or finished ids are ignored.
  void cancel(QuestionId id, std::optional<std::size_t> delivered = std::nullopt);

  /// The sink hears of it, on the delivery thread, among what else it is told. Any thread but that; blocks
  /// while 256 such wait. False: the session has ended, and it isn't told.
  bool tell(deliver::Event event);

  /// Sources stop. With `answer_rest`, questions for the end are still answered; else all open ones are
  /// cancelled.
  void stop(bool answer_rest);

  /// Blocks until all sources have ended and all answers are delivered. The summary has gone to the sink by
  /// then.
  deliver::Summary wait();

  /// When session time 0 was on the clock; after start().
  SteadyTime started_at() const;

  /// What its window takes outside the KV cache: kept embeddings, mostly.
  std::size_t held_bytes() const;
  /// What an answer would see now; as of the last chunk.
  WindowInfo window() const;

  NotesBehind notes() const;

  /// What the session's time is now: the clock's when realtime, else how far it has been perceived.
  SessionTime now() const;

 private:
  struct State;
  explicit Session(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace braid::serve
