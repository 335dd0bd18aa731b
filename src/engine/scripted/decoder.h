#pragma once

#include <map>
#include <memory>

#include "scripted/state.h"

namespace braid::engine::scripted {

class ScriptedDecoder final : public Decoder {
 public:
  explicit ScriptedDecoder(std::shared_ptr<State> state) : state_(std::move(state)) {}

  Result<StepResult> step(const StepPlan& plan) override;
  Status fork(SequenceId from, SequenceId to, std::span<const PositionRange> ranges) override;
  Status forget(SequenceId sequence, PositionRange range) override;
  void free(SequenceId sequence) override;
  Counters counters() const override;

 private:
  // What a sequence is going to say, decided when its first logits were asked for.
  struct Reply {
    TokenRun tokens;
    std::size_t said = 0;
  };

  Status check(const StepPlan& plan) const;
  Status check_row(const Row& row, Position expected) const;
  Status check_media(const StepPlan& plan) const;
  Nanoseconds cost(const StepPlan& plan, std::uint64_t passes) const;
  std::uint64_t passes(const StepPlan& plan) const;
  void append(const Row& row);
  Token next_token(SequenceId sequence);
  std::span<const float> logits_for(Token token, std::size_t index);

  std::shared_ptr<State> state_;
  std::map<SequenceId, Reply> replies_;
  Matrix logits_;
  std::uint64_t calls_ = 0;
};

}  // namespace braid::engine::scripted
