#pragma once
// The answers being made: forks of the timeline, each with its question to prefill and its tokens to decode.

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "braid/deliver/events.h"
#include "braid/engine/engine.h"
#include "braid/kv/ledger.h"
#include "braid/schedule/planner.h"
#include "host/generation.h"
#include "host/step_loop.h"
#include "session/perception.h"

namespace braid::serve {

struct AnswerOptions {
  bool join_turns = true;
  bool asks_blind = false;
  int max_sequences = 0;                                   ///< the engine's
  int evidence_tokens = 0;                                 ///< 0: what the question leaves of its room
  const std::vector<std::string>* source_names = nullptr;  ///< by source; they are all there when it starts
  /// Age of a session time, in session time, at a steady time; for freshness.
  std::function<Nanoseconds(const Question&, SessionTime, SteadyTime)> age;
  std::function<void(SequenceId sequence, Token token)> sampled = {};  ///< told of each token; null: nobody
};

/// Engine thread.
class Answers {
 public:
  using Emit = std::function<void(deliver::Event)>;

  Answers(AnswerOptions options, engine::Decoder& decoder, const engine::Tokenizer& tokenizer,
          kv::Ledger& ledger, Perception& perception, Clock& clock, Emit emit);

  std::size_t open() const { return open_.size(); }
  /// Rows that the question takes, template included.
  int question_rows(const Question& question);
  /// Room for one more answer to this question: cells for its rows and its longest answer.
  bool fits(const Question& question);
  /// One of them holds no promise of its own.
  bool on_own_cells() const;
  /// Forks the timeline for it. The question's trace says who held it until now. `promise`: of its cells, if
  /// they aren't the session's.
  void begin(Question question, StepLoop::Promise promise);
  /// Ends without having begun.
  void refuse(const Question& question, FinishReason finish, Error error);
  /// `delivered`: of its text, bytes; the rest is forgotten.
  void cancel(QuestionId id, CancelReason reason, std::optional<std::size_t> delivered = std::nullopt);
  void cancel_all(CancelReason reason);

  void ready(schedule::Ready& ready);
  void step_begins(const schedule::Planned& planned, SteadyTime at);
  /// Samples from the step's logits, in plan order, and ends what is complete.
  void step_done(const schedule::Planned& planned, const StepResult& result);
  /// The step failed: answers with rows in it end with the error.
  void step_failed(const schedule::Planned& planned, const Error& error);

 private:
  struct Open {
    Open(Question asked, Answer begun, TokenRun text, std::size_t evidence) noexcept
        : question(std::move(asked)),
          answer(std::move(begun)),
          content(std::move(text)),
          evidence_rows(evidence) {}
    Question question;
    Answer answer;
    TokenRun content;  // evidence, question's text and template, without the lead
    std::size_t evidence_rows;
    std::optional<Generation> generation;
    std::optional<std::size_t> delivered;  // bytes; none: all that was made
    StepLoop::Promise promise;
  };

  const TokenRun& content(const Question& question);
  /// As much of the question's evidence as fits beside it.
  TokenRun evidence(const Question& question, std::size_t question_rows);
  TokenRun lead(const Question& question) const;
  StageMeter waited(const Question& question, SteadyTime forked) const;
  void finish(Open& open);
  void join(const Open& open);
  /// The tokens whose text was delivered whole.
  std::span<const Token> delivered(const Open& open) const;
  /// Passes on what is over.
  void sweep();

  AnswerOptions options_;
  engine::Decoder& decoder_;
  const engine::Tokenizer& tokenizer_;
  kv::Ledger& ledger_;
  Perception& perception_;
  Clock& clock_;
  Emit emit_;
  const TokenRun end_of_question_;
  QuestionId content_of_;  // whose text content_ is: the one that waits is looked at again before every step
  TokenRun content_;
  std::vector<Evidence> evidence_;  // what of it is in content_, at its front
  std::size_t evidence_rows_ = 0;
  std::list<Open> open_;
};

}  // namespace braid::serve
