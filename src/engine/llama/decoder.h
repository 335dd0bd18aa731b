#pragma once
// The language model and its KV cache on libllama.

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "batch.h"
#include "braid/engine/engine.h"
#include "token_table.h"

namespace braid::engine::llama {

/// Positions of an embedding row: 4 under M-RoPE (time, y, x, unused), else 1.
int position_axes(const llama_model* model);

/// What a context was made for.
struct DecoderLimits {
  int max_sequences = 1;
  int max_step_rows = 1;
  int max_outputs = 1;  ///< rows of a step that may want logits
  bool can_hide_ranges = true;
};

/// All sequences live in one unified cache, so a fork is bookkeeping and every row attends to its own
/// sequence's cells.
class LlamaDecoder final : public Decoder {
 public:
  /// With a table, tokens ride as embedding rows and every step is one pass. `threads` (may be null) runs the
  /// context's graphs.
  LlamaDecoder(std::shared_ptr<llama_model> model, ThreadpoolHandle threads, ContextHandle context,
               DecoderLimits limits);

  void use_table(TokenTable table) { table_ = std::move(table); }
  bool can_hide_ranges() const { return limits_.can_hide_ranges; }
  bool one_pass() const { return table_.has_value(); }
  llama_context* context() const { return context_.get(); }
  void reset_counters();

  Result<StepResult> step(const StepPlan& plan) override;
  Status fork(SequenceId from, SequenceId to, std::span<const PositionRange> ranges) override;
  Status forget(SequenceId sequence, PositionRange range) override;
  void free(SequenceId sequence) override;
  Counters counters() const override;

 private:
  enum class Kind { kTokens, kEmbeddings };

  Status check(const StepPlan& plan) const;
  bool known(SequenceId sequence) const;
  Status try_passes(const StepPlan& plan);
  Status run_passes(const StepPlan& plan);
  Status run_pass(const StepPlan& plan, Kind kind);
  Status compute(Kind kind);
  void add(const Row& row, Kind kind);
  bool select(const StepPlan& plan, Kind kind);
  void collect(const StepPlan& plan);
  void roll_back(const StepPlan& plan);
  void count(const StepPlan& plan, int passes);

  std::shared_ptr<llama_model> model_;
  ThreadpoolHandle threads_;  // outlives the context that uses it
  ContextHandle context_;
  llama_memory_t memory_;
  DecoderLimits limits_;
  int vocabulary_;
  std::optional<TokenTable> table_;
  Batch batch_;
  std::vector<float> logits_;  // [rows that want them, vocabulary], copied where a step takes several passes
  std::vector<int> logits_slot_;    // [rows of the plan]: index into result_, -1: none wanted
  std::vector<std::uint8_t> done_;  // [rows of the plan]
  std::vector<std::uint8_t> held_;  // [sequences]: a row of it waits for a later pass
  std::vector<int> in_pass_;        // rows of the plan that this pass computes
  StepResult result_;
  mutable std::mutex mutex_;  // guards counters_
  Counters counters_;
};

}  // namespace braid::engine::llama
