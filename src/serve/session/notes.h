#pragma once
// What was seen and heard, in the model's own words, for a memory.

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "braid/deliver/events.h"
#include "braid/encode/chunk_maker.h"
#include "host/generation.h"
#include "host/step_loop.h"
#include "session/tally.h"

namespace braid::serve {

/// What is asked about a frame that is to be put into words.
inline constexpr const char* kSeenQuestion = "What do you see now?";

/// Asks the model about each kept frame and utterance by itself, one after the other, on a sequence of its
/// own, in steps that nobody else has rows for and in cells that nobody else needs. So a note is never ahead
/// of an answer; it may be far behind. Engine thread.
class Notes {
 public:
  using Emit = std::function<void(deliver::Note note)>;

  /// `live`: the oldest that wait are passed over when too many do; else full() says to wait.
  /// `most_bytes`: of the prompts of those that wait.
  Notes(StepLoop& loop, Clock& clock, Tally& tally, std::size_t most_bytes, bool live, Emit emit);

  bool full() const { return !live_ && waiting_bytes_ >= most_bytes_; }
  /// A chunk that is in the cache.
  void offer(const encode::Encoded& seen, const std::string& source);
  void drop_all();
  /// Of those that wait the newest few are still made, and none that comes.
  void end();
  /// Nothing waits or is being made.
  bool done() const { return waiting_.empty() && !making_; }

  /// Others need its cells: what is being made is begun again later.
  void give_way();
  /// Begins the next. True: look again before waiting.
  bool take();
  /// A plan is made in which it has no rows, unless ready_idle() follows.
  void ready() { in_plan_ = false; }
  void ready_idle(schedule::Ready& ready);
  void step_begins(const schedule::Planned& planned, SteadyTime at);
  void step_done(const schedule::Planned& planned, const StepResult& result);
  void step_failed(const schedule::Planned& planned, const Error& error);

  static constexpr std::size_t kMostAtTheEnd = 4;

  /// What one takes of the engine, unless it is about a medium of very many rows.
  static constexpr int kCells = 1024;
  static constexpr int kSequences = 1;

 private:
  struct Waiting {
    std::shared_ptr<const Chunk> chunk;
    std::string source;
    SteadyTime since;
  };

  Prompt prompt_of(const Chunk& chunk) const;
  bool begin();
  void end_if_finished();
  void remove(std::size_t index);
  void tell();
  void pass_over(std::size_t index);

  StepLoop& loop_;
  Clock& clock_;
  Tally& tally_;
  const std::size_t most_bytes_;
  const bool live_;
  const Emit emit_;
  std::deque<Waiting> waiting_;  // the first is being made, if one is
  std::size_t waiting_bytes_ = 0;
  StepLoop::Promise promise_;
  std::optional<Generation> making_;
  bool ended_ = false;
  bool in_plan_ = false;
};

}  // namespace braid::serve
