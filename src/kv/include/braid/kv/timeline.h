#pragma once
// What a session's sequence holds, and how its window turns over.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "braid/kv/ledger.h"
#include "braid/packet/prompt.h"
#include "braid/packet/question.h"

namespace braid::kv {

struct WindowOptions {
  int max_rows = 1024;  ///< rows of a timeline, system text included; a chunk larger than this is refused
  double turn_over_at = 0.75;  ///< share of max_rows at which a successor starts to be built
  double keep =
      0.5;  ///< share of max_rows that the successor starts with: the newest chunks; at most turn_over_at
  Nanoseconds max_age{};  ///< older chunks are hidden from answers; 0: no limit
};

/// A question and its answer, that joined the timeline.
struct Turns {
  Prompt prompt;  ///< from the question's own text to the next turn's begin
  SessionTime at;
};

/// What a timeline is made of, apart from any sequence. Never null; shared, so that one is cheap to keep.
using Kept = std::variant<std::shared_ptr<const Chunk>, std::shared_ptr<const Turns>>;
const Prompt& prompt_of(const Kept& kept);

/// One entry of a timeline, where it was appended.
struct Entry {
  Kept what;
  Prompt prompt;  ///< what is prefilled: separator and content
  Range range;    ///< where it lies in the sequence it was appended to
  int lead = 0;   ///< rows of the separator at the prompt's start; 0 for the first entry of a user turn

  const Chunk* chunk() const;  ///< null for turns
};

/// Order and extent of a session's prompt. It knows nothing of steps: it says what has to be prefilled where,
/// and is told when that is done.
///
/// Turn-over (ours): when the rows pass `turn_over_at`, a successor sequence is opened and prefilled with the
/// system text and the newest entries that fit `keep`, while the old one goes on perceiving and answering;
/// what is appended meanwhile goes to both. When the successor has caught up, it takes the old one's place.
/// Nothing is shifted, so the successor equals a context computed from scratch, and models that can't shift,
/// hide or forget need no other way. One thread.
///
/// The text of a sequence is opening, then entries; the separator stands between two entries of one user turn
/// only. Turns carry `next_turn` as their last tokens: it is prefilled before anything is asked, so a
/// question right after them needs no more than its own tokens.
///
/// Both the rows and the positions of a sequence stay within max_rows, however long the stream is.
class Timeline {
 public:
  /// `begin`: text before the first chunk; `separator`: between entries of one turn; `next_turn`: after an
  /// answer, up to where the user's next text begins.
  Timeline(WindowOptions options, TokenRun begin, TokenRun separator, TokenRun next_turn);

  /// What has to be prefilled first on a fresh sequence.
  const Prompt& opening() const { return opening_; }

  /// Takes the chunk in; its entry's prompt has to be prefilled on the current sequence at entry.range, and
  /// also on the successor's (successor_tail()). kLimit: larger than a window. kFull (retryable): wait for
  /// the successor. kBadInput: the chunk has no rows.
  Result<Entry> append(std::shared_ptr<const Chunk> chunk);
  /// Question, template and answer as turns, after which a new user turn begins. `turns` starts with the
  /// question's own text: lead and next turn are added here. Errors as append().
  Result<Entry> append_turns(Prompt turns, SessionTime at);

  /// All entries, to lay them out again somewhere else.
  std::vector<Kept> kept() const;
  /// Counts what changes kept() or evicted(): as long as it is the same, so are they.
  std::uint64_t changes() const { return changes_; }
  /// Appends what kept() gave, the oldest left out if the window is smaller here. `evicted`: chunks that had
  /// left before. Errors as append(), but for kFull. For a timeline without entries.
  Status restore(std::vector<Kept> kept, std::uint64_t evicted);
  /// Turns over at once, as far as is due or an entry of `waiting_rows` needs: only while no sequence holds
  /// the timeline.
  void drop_oldest(int waiting_rows);

  /// Separator, then nothing yet: what a question's prompt starts with at this point. Empty at a turn's
  /// begin.
  TokenRun question_lead() const;
  /// The same for a fork of visible(now, up_to), which may end earlier or hide what the separator would
  /// follow.
  TokenRun question_lead(SessionTime now, Position up_to, SessionTime as_of = SessionTime::max()) const;

  /// Has room for an entry of `rows` more (or positions, if those are more; its lead apart) without passing
  /// max_rows. When not, perception waits for the successor.
  bool has_room(int rows) const;
  /// A successor is due. `waiting_rows`: of the entry that waits for room; it makes a turn-over due by
  /// itself.
  bool wants_turn_over(int waiting_rows = 0) const;
  /// Starts the successor: what to prefill on it, in order, opening first. Entries appended from now on come
  /// by successor_tail(). Keeps so few entries that one of `waiting_rows` will fit. std::logic_error: already
  /// begun.
  std::vector<Prompt> begin_turn_over(int waiting_rows = 0);
  bool turning_over() const { return successor_.has_value(); }
  /// The successor takes over: ranges of entries are those in it from now on. std::logic_error: none was
  /// begun, or its tail wasn't taken.
  void finish_turn_over();
  /// Gives the successor up (its sequence could not be had). std::logic_error: none was begun.
  void abandon_turn_over();
  /// Prompts appended since the last call while turning over, as the successor must read them. Empty
  /// otherwise.
  std::vector<Prompt> successor_tail();

  /// What a fork taken at session time `now` shares, stale entries left out; and what it sees. `up_to`:
  /// entries prefilled so far (their range.end at most this). `as_of`: what ended later is left out too, so a
  /// fork is what one taken then would have been. The opening is always shared.
  std::vector<Range> visible(SessionTime now, Position up_to, SessionTime as_of = SessionTime::max()) const;
  /// Times and count are of chunks; with none visible, from and to are `now`.
  WindowInfo window(SessionTime now, Position up_to, SessionTime as_of = SessionTime::max()) const;

  Position end() const { return current_.end; }  ///< one past the last position appended
  int rows() const { return current_.rows; }
  std::size_t bytes() const;                          ///< of all entries' prompts
  std::uint64_t evicted() const { return evicted_; }  ///< chunks that left at turn-overs
  const std::deque<Entry>& entries() const { return current_.entries; }

 private:
  struct Layout {  // a sequence's text, as far as it is laid out
    std::deque<Entry> entries;
    Position end = 0;
    int rows = 0;
    bool turn_has_content = false;  // the open user turn holds an entry: a separator is due

    int extent() const { return end > rows ? end : rows; }
  };
  struct Successor {
    std::size_t first_kept = 0;  // index into the current entries
    Layout layout;
    std::vector<Prompt> tail;
  };
  struct View {  // what a fork sees
    std::vector<Range> ranges;
    WindowInfo window;
    bool turn_has_content = false;
  };

  Layout opened() const;
  Result<Entry> take(Kept what);
  const Entry& place(Layout& layout, Kept what) const;
  void share(const Entry& entry, View& view) const;
  View view(SessionTime now, Position up_to, SessionTime as_of) const;
  int lead_rows() const;
  std::size_t first_kept(int waiting_rows) const;

  WindowOptions options_;
  Prompt opening_;
  TokenRun separator_;
  TokenRun next_turn_;
  Layout current_;
  std::uint64_t evicted_ = 0;
  std::uint64_t changes_ = 0;
  std::optional<Successor> successor_;
};

}  // namespace braid::kv
