#pragma once
// The tokens of one answer.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "braid/base/clock.h"
#include "braid/decode/chances.h"
#include "braid/decode/sampler.h"
#include "braid/decode/text_stream.h"
#include "braid/engine/engine.h"
#include "braid/kv/ledger.h"
#include "braid/schedule/planner.h"

namespace braid::serve {

/// What the rows of an answer run on.
struct GenerationParts {
  engine::Decoder& decoder;
  const engine::Tokenizer& tokenizer;
  kv::Ledger& ledger;
  Clock& clock;
};

struct GenerationOptions {
  Sampling sampling;
  std::vector<std::string> stops;
  int max_tokens = 96;
  std::unique_ptr<engine::TokenFilter> filter;  ///< null: any token may come
  /// Control tokens that are part of the text, as they are written there.
  std::vector<std::pair<Token, std::string>> marks;
  std::optional<int> top_logprobs;                                     ///< none: no logprobs are wanted
  std::function<void(SequenceId sequence, Token token)> sampled = {};  ///< told of each; null: nobody
};

/// A token of the answer and how likely it was.
struct TokenChances {
  Token token = 0;
  decode::Chances chances;
};

/// What may be shown by now.
struct ShownText {
  std::string text;                  ///< whole characters
  std::vector<TokenChances> tokens;  ///< those made since the last; empty unless wanted
};

/// Question rows prefilled on a sequence of its own, then a token a step, until it is over. Frees the
/// sequence. Engine thread.
class Generation {
 public:
  using Show = std::function<void(ShownText shown)>;

  /// `sequence` is open, has room for the prompt's rows reserved from `start` on, and is this object's from
  /// now. Stages until `meter`'s current one are the caller's.
  Generation(GenerationParts parts, SequenceId sequence, Position start, Prompt prompt,
             GenerationOptions options, StageMeter meter, Show show);
  ~Generation();
  Generation(const Generation&) = delete;
  Generation& operator=(const Generation&) = delete;

  void ready(schedule::Ready& ready);
  void step_begins(const schedule::Planned& planned, SteadyTime at);
  /// Samples if the step had its last row.
  void step_done(const schedule::Planned& planned, const StepResult& result);
  void step_failed(const schedule::Planned& planned, const Error& error);
  /// Ends it as far as it was shown.
  void end(FinishReason reason);
  /// The sequence, for whoever can use it further, and how many of the tokens are in it. None: rows of it are
  /// reserved that were not computed. After the end; at most once.
  struct Left {
    SequenceId sequence;
    std::size_t tokens = 0;
  };
  std::optional<Left> take_sequence();

  /// Why it is over; none: it goes on.
  std::optional<FinishReason> finished() const { return finished_; }
  const std::optional<Error>& error() const { return error_; }
  std::optional<SteadyTime> first_token() const { return first_token_; }
  SteadyTime last_token() const { return last_token_; }  ///< when it was over
  const std::string& text() const { return text_so_far_; }
  const std::vector<Token>& tokens() const { return tokens_; }
  int tokens_left() const { return options_.max_tokens - static_cast<int>(tokens_.size()); }
  const StageTimes& stages() const { return meter_.times(); }

 private:
  const schedule::Planned::Share* share_in(const schedule::Planned& planned) const;
  bool decodes_in(const schedule::Planned& planned) const { return decode_ && *decode_ < planned.decodes; }
  void take(std::span<const float> logits);
  std::string written(Token token) const;
  void show(std::string text);

  GenerationParts parts_;
  SequenceId sequence_;
  schedule::PrefillJob prefill_;
  GenerationOptions options_;
  decode::Sampler sampler_;
  decode::TextStream text_;
  StageMeter meter_;
  Show show_;
  Position next_;  // where the last token goes
  Position answer_begins_;
  std::optional<std::size_t> decode_;  // where its row is among the last Ready's decode rows
  std::vector<Token> tokens_;
  std::vector<TokenChances> unshown_;  // tokens whose text is held back
  std::string text_so_far_;
  std::optional<SteadyTime> first_token_;
  SteadyTime last_token_{};
  std::optional<FinishReason> finished_;
  std::optional<Error> error_;
};

}  // namespace braid::serve
