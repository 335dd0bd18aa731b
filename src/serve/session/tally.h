#pragma once
// What a session counts, from all its threads.

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "braid/deliver/events.h"
#include "braid/encode/chunk_maker.h"
#include "braid/serve/session.h"

namespace braid::serve {

/// What a session's stages know of its sources.
struct SourceBook {
  std::vector<std::string> names;  ///< by source
  Nanoseconds duration{};          ///< of the longest; 0: unknown
};

/// Thread-safe.
class Tally {
 public:
  void perceived(const encode::Encoded& encoded, const StageTimes& stages);
  void dropped(const std::string& reason, std::uint64_t count = 1);
  void fault();
  void answered(const Answer& answer);
  void turn_over();
  void note_made(Nanoseconds behind);
  void note_passed_over();
  void notes_wait(const NotesBehind& behind);
  NotesBehind notes() const;
  /// What its window takes outside the KV cache.
  void holds(std::size_t bytes) { held_bytes_ = bytes; }
  std::size_t held_bytes() const { return held_bytes_; }
  /// What is in it.
  void sees(WindowInfo window);
  WindowInfo window() const;
  /// What kv::Timeline::changes() says.
  void timeline_is_at(std::uint64_t changes) { changes_ = changes; }
  std::uint64_t changes() const { return changes_; }
  /// All sources have ended, and told of what was up to `at`.
  void ended(SessionTime at);

  /// One more question waits; false: there are `at_most` already.
  bool admit_question(int at_most);
  /// One of them is being answered, or never will be.
  void question_taken();

  deliver::Progress progress(SessionTime at, Nanoseconds duration) const;

  /// The counts so far. `wall` and `interrupted` are the caller's to set.
  deliver::Summary summary() const;

 private:
  mutable std::mutex mutex_;
  deliver::Summary summary_;
  WindowInfo window_;
  NotesBehind notes_;
  int waiting_questions_ = 0;
  std::map<std::string, std::uint64_t> drops_;
  std::atomic<std::size_t> held_bytes_{0};
  std::atomic<std::uint64_t> changes_{0};
};

}  // namespace braid::serve
