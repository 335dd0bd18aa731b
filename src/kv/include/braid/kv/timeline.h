#pragma once
// What a session's sequence holds, and how its window turns over.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "braid/kv/ledger.h"
#include "braid/packet/prompt.h"
#include "braid/packet/question.h"

namespace braid::kv {

struct WindowOptions {
  int max_rows = 1024;          ///< rows of a timeline, system text included; a chunk larger than this is refused
  double turn_over_at = 0.75;   ///< share of max_rows at which a successor starts to be built
  double keep = 0.5;            ///< share of max_rows that the successor starts with: the newest chunks
  Nanoseconds max_age{};        ///< older chunks are hidden from answers; 0: no limit
};

/// One entry of a timeline: a chunk, or a question and its answer that joined as turns.
struct Entry {
  std::shared_ptr<const Chunk> chunk;  ///< null for turns
  Prompt prompt;                       ///< what is prefilled: separator and content
  SessionTime start, end;
  Range range;  ///< where it lies in the sequence it was appended to
};

/// Order and extent of a session's prompt. It knows nothing of steps: it says what has to be prefilled where, and is
/// told when that is done.
///
/// Turn-over (ours): when the rows pass `turn_over_at`, a successor sequence is opened and prefilled with the system
/// text and the newest entries that fit `keep`, while the old one goes on perceiving and answering; what is appended
/// meanwhile goes to both. When the successor has caught up, it takes the old one's place. Nothing is shifted, so
/// the successor equals a context computed from scratch, and models that can't shift, hide or forget need no other
/// way. One thread.
class Timeline {
 public:
  /// `begin`: text before the first chunk; `separator`: between entries of one turn.
  Timeline(WindowOptions options, TokenRun begin, TokenRun separator, TokenRun next_turn);

  /// What has to be prefilled first on a fresh sequence.
  const Prompt& opening() const { return opening_; }

  /// Takes the chunk in; its entry's prompt has to be prefilled on the current sequence at entry.range, and also on
  /// the successor's (successor_tail()). kLimit: larger than a window.
  Result<Entry> append(std::shared_ptr<const Chunk> chunk);
  /// Question, template and answer as turns, after which a new user turn begins.
  Result<Entry> append_turns(Prompt turns, SessionTime at);

  /// Separator, then nothing yet: what a question's prompt starts with at this point.
  TokenRun question_lead() const;

  /// Has room for `rows` more without passing max_rows. When not, perception waits for the successor.
  bool has_room(int rows) const;
  bool wants_turn_over() const;
  /// Starts the successor: what to prefill on it, in order, opening first. Entries appended from now on are added
  /// with successor_append().
  std::vector<Prompt> begin_turn_over();
  bool turning_over() const { return successor_.has_value(); }
  /// The successor takes over: ranges of entries are those in it from now on.
  void finish_turn_over();
  /// Gives the successor up (its sequence could not be had).
  void abandon_turn_over();
  /// Prompts appended since the last call while turning over, as the successor must read them.
  std::vector<Prompt> successor_tail();

  /// What a fork taken at session time `now` shares, stale entries left out; and what it sees. `up_to`: entries
  /// prefilled so far (their range.end at most this).
  std::vector<Range> visible(SessionTime now, Position up_to) const;
  WindowInfo window(SessionTime now, Position up_to) const;

  Position end() const { return end_; }  ///< one past the last position appended
  int rows() const { return rows_; }
  std::uint64_t evicted() const { return evicted_; }
  const std::deque<Entry>& entries() const { return entries_; }

 private:
  struct Successor {
    std::size_t first_kept = 0;  // index into entries_
    std::vector<Entry> entries;
    Position end = 0;
    int rows = 0;
    bool turn_open = false;
    std::vector<Prompt> tail;
  };

  Entry place(std::shared_ptr<const Chunk> chunk, Prompt content, SessionTime start, SessionTime end);

  WindowOptions options_;
  Prompt opening_;
  TokenRun separator_;
  TokenRun next_turn_;
  std::deque<Entry> entries_;
  Position end_ = 0;
  int rows_ = 0;
  bool turn_has_content_ = false;  // the open user turn holds an entry: a separator is due
  std::uint64_t evicted_ = 0;
  std::optional<Successor> successor_;
};

}  // namespace braid::kv
