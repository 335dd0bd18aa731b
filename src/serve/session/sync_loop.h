#pragma once
// The sync stage's thread: sources' lanes in, one timed lane out.

#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "braid/flow/lanes.h"
#include "braid/serve/session.h"
#include "record/event_log.h"
#include "session/due_questions.h"
#include "session/first_packets.h"
#include "session/pace.h"

namespace braid::serve {

/// The session's own bound on how long live streams are waited for is the synchronizer's cap.
sync::SyncOptions with_lateness(const SessionOptions& options);

/// What goes into the sync stage: packets on the sources' lanes, the rest on the control lane.
struct StopSync {
  bool answer_rest;  ///< questions for the end are still let out
};
struct WithdrawQuestion {
  QuestionId id;
};
using SyncInput = std::variant<Packet, Question, WithdrawQuestion, StopSync>;

/// Reads the source that is furthest behind, so that a fast file doesn't run ahead of a slow one; live
/// sources are read as they come.
class SyncLoop {
 public:
  SyncLoop(const SessionOptions& options, Clock& clock, Pace& pace, DueQuestions& due,
           sync::SpeechDetectorFactory* speech, flow::Sender<sync::Timed> out);

  /// Before run(). The lane's number is the source's id plus one; lane 0 is control's.
  flow::Sender<SyncInput> add_source(SourceId source, const ingest::SourceInfo& info);
  flow::Sender<SyncInput>& control() { return control_; }
  /// Gives the repetitions of a standing question their ids. Before run().
  void number_questions(std::function<QuestionId()> next) { next_question_ = std::move(next); }

  /// What the synchronizer had to do without or out of order, by reason. After run().
  void add_counts(std::vector<std::pair<std::string, std::uint64_t>>& drops) const;

  /// The thread's body: until every source has ended and control is closed or said stop.
  void run();

  /// By source: it is waited for no longer than its lateness.
  const std::vector<bool>& bounded() const { return live_; }

 private:
  /// A question asked again and again; `asked` of its repetitions are with the synchronizer or gone.
  struct Standing {
    Question question;
    std::int64_t asked = 0;
    std::int64_t answered = 0;
    bool over = false;
  };

  bool take_control();
  void ask_early();
  void wait(bool any_live);
  void ask(Question question);
  void take_question(Question question);
  void ask_standing(Standing& standing);
  void skip_missed(Standing& standing);
  /// True: it lies behind the streams' end.
  bool note_repetition(const Question& question);
  bool take_packets();
  bool take(std::size_t lane);
  void notice_ends();
  void advance_live();
  Fate fate_of(const sync::Timed& item);
  void emit(sync::Timed item);

  const SessionOptions& options_;
  Clock& clock_;
  Pace& pace_;
  DueQuestions& due_;
  flow::Lanes<SyncInput> in_;
  flow::Sender<SyncInput> control_;
  flow::Sender<sync::Timed> out_;
  sync::Synchronizer synchronizer_;
  std::vector<bool> live_;   // by source: not waited for beyond the lateness
  std::vector<bool> ended_;  // by source
  FirstPackets first_packets_;
  std::vector<Standing> standing_;
  std::function<QuestionId()> next_question_;
  bool out_closed_ = false;
  SessionTime evidence_{};         // the latest time that any stream has spoken of
  bool discard_ = false;           // all ends: nothing more is perceived or answered
  std::uint64_t discarded_ = 0;    // packets
  std::uint64_t unperceived_ = 0;  // that the tap kept from the model
  std::uint64_t skipped_ = 0;      // repetitions
  bool stopped_ = false;
};

}  // namespace braid::serve
