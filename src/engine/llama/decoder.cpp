#include "decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "asserts.h"
#include "logging.h"

namespace braid::engine::llama {

namespace {

/// Attention in both directions while it lives.
class NonCausal {
 public:
  NonCausal(llama_context* context, bool wanted) : context_(wanted ? context : nullptr) {
    if (context_) llama_set_causal_attn(context_, false);
  }
  ~NonCausal() {
    if (context_) llama_set_causal_attn(context_, true);
  }
  NonCausal(const NonCausal&) = delete;
  NonCausal& operator=(const NonCausal&) = delete;

 private:
  llama_context* context_;
};

llama_seq_id raw(SequenceId sequence) { return static_cast<llama_seq_id>(sequence.value); }

}  // namespace

LlamaDecoder::LlamaDecoder(std::shared_ptr<llama_model> model, ThreadpoolHandle threads,
                           ContextHandle context, DecoderLimits limits)
    : model_(std::move(model)),
      threads_(std::move(threads)),
      context_(std::move(context)),
      memory_(llama_get_memory(context_.get())),
      limits_(limits),
      vocabulary_(llama_vocab_n_tokens(llama_model_get_vocab(model_.get()))),
      batch_(limits.max_step_rows, llama_model_n_embd_inp(model_.get()), position_axes(model_.get())),
      held_(limits.max_sequences) {
  logits_slot_.reserve(limits.max_step_rows);
  done_.reserve(limits.max_step_rows);
  in_pass_.reserve(limits.max_step_rows);
  result_.logits.reserve(limits.max_step_rows);
}

bool LlamaDecoder::known(SequenceId sequence) const {
  return sequence.value >= 0 && sequence.value < limits_.max_sequences;
}

Status LlamaDecoder::check(const StepPlan& plan) const {
  const auto rows = static_cast<int>(plan.rows.size());
  if (rows == 0 || rows > limits_.max_step_rows)
    return fail(ErrorCode::kInternal,
                fmt::format("plan has {} rows; must be 1..{}", rows, limits_.max_step_rows));
  int outputs = 0;
  for (const Row& row : plan.rows) {
    outputs += row.wants_logits;
    if (!known(row.sequence))
      return fail(ErrorCode::kInternal, fmt::format("row is of sequence {}; must be 0..{}",
                                                    row.sequence.value, limits_.max_sequences - 1));
    if ((row.token >= 0) == (row.embedding != nullptr) || row.token >= vocabulary_)
      return fail(ErrorCode::kInternal,
                  fmt::format("row has token {} and {} embedding; must be one of both, token below {}",
                              row.token, row.embedding ? "an" : "no", vocabulary_));
  }
  if (outputs > limits_.max_outputs)
    return fail(ErrorCode::kInternal,
                fmt::format("{} rows want logits; at most {} may", outputs, limits_.max_outputs));
  return {};
}

Result<StepResult> LlamaDecoder::step(const StepPlan& plan) {
  if (auto ok = check(plan); !ok) return tl::unexpected(ok.error());
  clear_fault();
  result_.logits.clear();
  logits_slot_.clear();
  for (const Row& row : plan.rows) {
    logits_slot_.push_back(row.wants_logits ? static_cast<int>(result_.logits.size()) : -1);
    if (row.wants_logits) result_.logits.emplace_back();
  }
  const NonCausal scope(context_.get(), plan.non_causal);
  if (auto ok = try_passes(plan); !ok) {
    roll_back(plan);
    return tl::unexpected(ok.error());
  }
  return result_;
}

Status LlamaDecoder::try_passes(const StepPlan& plan) {
  const AssertsThrow guard;
  try {
    return run_passes(plan);
  } catch (const std::exception& error) {
    done_.assign(plan.rows.size(), 1);  // whatever cells it has taken are to be taken back
    return fail(ErrorCode::kInternal, fmt::format("llama.cpp could not compute the step: {}", error.what()));
  }
}

Status LlamaDecoder::run_passes(const StepPlan& plan) {
  done_.assign(plan.rows.size(), 0);
  logits_.clear();
  int passes = 0;
  for (std::size_t left = plan.rows.size(); left > 0; left -= in_pass_.size()) {
    const auto first = std::find(done_.begin(), done_.end(), 0) - done_.begin();
    const Kind kind =
        plan.rows[static_cast<std::size_t>(first)].embedding ? Kind::kEmbeddings : Kind::kTokens;
    const bool mixed = select(plan, kind);
    if (auto ok = run_pass(plan, mixed ? Kind::kEmbeddings : kind); !ok) return ok;
    ++passes;
  }
  count(plan, passes);
  return {};
}

// Fills in_pass_. With a table every row left fits one pass: as tokens if all are, else as embeddings
// (returns true). Without, rows of the first one's kind do, except those of a sequence that has a row of the
// other kind before them.
bool LlamaDecoder::select(const StepPlan& plan, Kind kind) {
  in_pass_.clear();
  std::fill(held_.begin(), held_.end(), 0);
  bool mixed = false;
  for (std::size_t i = 0; i < plan.rows.size(); ++i) {
    if (done_[i]) continue;
    const Row& row = plan.rows[i];
    const bool other_kind = (kind == Kind::kEmbeddings) != (row.embedding != nullptr);
    std::uint8_t& held = held_[static_cast<std::size_t>(row.sequence.value)];
    mixed |= other_kind;
    if (!table_ && (other_kind || held))
      held = 1;
    else
      in_pass_.push_back(static_cast<int>(i));
  }
  return table_ && mixed;
}

Status LlamaDecoder::run_pass(const StepPlan& plan, Kind kind) {
  batch_.clear();
  for (const int i : in_pass_) add(plan.rows[static_cast<std::size_t>(i)], kind);
  if (auto ok = compute(kind); !ok) return ok;
  collect(plan);
  return {};
}

void LlamaDecoder::add(const Row& row, Kind kind) {
  if (kind == Kind::kTokens) return batch_.add_token(row);
  float* out = batch_.add_embedding(row);
  if (row.embedding) {
    std::copy_n(row.embedding, batch_.width(), out);
    return;
  }
  table_->row(row.token, out);
  // Models that take more than a token's row (deep-stack features) get zeros there, as llama.cpp gives them.
  std::fill(out + table_->columns(), out + batch_.width(), 0.0F);
}

Status LlamaDecoder::compute(Kind kind) {
  const int status =
      llama_decode(context_.get(), kind == Kind::kTokens ? batch_.tokens() : batch_.embeddings());
  if (status == 0) return {};
  if (status == 1)
    return fail(ErrorCode::kFull,
                fmt::format("KV cache of {} cells has no room for {} rows", llama_n_ctx(context_.get()),
                            batch_.rows()),
                /*retryable=*/true);
  return fail(ErrorCode::kInternal,
              fmt::format("llama.cpp could not compute the step ({}): {}", status, last_fault()));
}

// One pass: views into llama.cpp's buffer. Several: copies, since the next pass overwrites it.
void LlamaDecoder::collect(const StepPlan& plan) {
  const bool last_and_only = in_pass_.size() == plan.rows.size();
  if (!last_and_only) logits_.resize(result_.logits.size() * static_cast<std::size_t>(vocabulary_));
  for (std::size_t i = 0; i < in_pass_.size(); ++i) {
    const auto row = static_cast<std::size_t>(in_pass_[i]);
    done_[row] = 1;
    if (logits_slot_[row] < 0) continue;
    const auto slot = static_cast<std::size_t>(logits_slot_[row]);
    const float* from = llama_get_logits_ith(context_.get(), static_cast<int>(i));
    if (!last_and_only) {
      float* copy = logits_.data() + slot * static_cast<std::size_t>(vocabulary_);
      from = std::copy_n(from, vocabulary_, copy) - vocabulary_;
    }
    result_.logits[slot] = {from, static_cast<std::size_t>(vocabulary_)};
  }
}

// A refused pass leaves the memory as it was, but earlier passes of the plan may have appended their rows.
void LlamaDecoder::roll_back(const StepPlan& plan) {
  for (int sequence = 0; sequence < limits_.max_sequences; ++sequence) {
    Position first = std::numeric_limits<Position>::max();
    for (std::size_t i = 0; i < plan.rows.size(); ++i)
      if (plan.rows[i].sequence.value == sequence && done_[i]) first = std::min(first, plan.rows[i].position);
    if (first != std::numeric_limits<Position>::max()) llama_memory_seq_rm(memory_, sequence, first, -1);
  }
}

Status LlamaDecoder::fork(SequenceId from, SequenceId to, std::span<const PositionRange> ranges) {
  if (!known(from) || !known(to) || from == to)
    return fail(ErrorCode::kInternal,
                fmt::format("fork from sequence {} to {}; both must be 0..{} and differ", from.value,
                            to.value, limits_.max_sequences - 1));
  if (llama_memory_seq_pos_max(memory_, raw(to)) >= 0)
    return fail(ErrorCode::kInternal,
                fmt::format("fork to sequence {}, which is in use; free it first", to.value));
  const Position end = llama_memory_seq_pos_max(memory_, raw(from)) + 1;
  const bool whole = ranges.size() == 1 && ranges[0].begin <= 0 && ranges[0].end >= end;
  if (!limits_.can_hide_ranges && !whole)
    return fail(ErrorCode::kUnsupported,
                "this model can't hide ranges from a fork; share the whole sequence");
  for (const PositionRange& range : ranges)
    if (range.begin < range.end) llama_memory_seq_cp(memory_, raw(from), raw(to), range.begin, range.end);
  std::lock_guard lock(mutex_);
  ++counters_.forks;
  return {};
}

Status LlamaDecoder::forget(SequenceId sequence, PositionRange range) {
  if (!known(sequence)) return fail(ErrorCode::kInternal, fmt::format("no sequence {}", sequence.value));
  if (range.begin >= range.end) return {};
  // A hybrid's attention would forget what its state goes on remembering, and llama.cpp would report success.
  const bool whole = range.begin <= 0 && range.end > llama_memory_seq_pos_max(memory_, raw(sequence));
  if ((!limits_.can_hide_ranges && !whole) ||
      !llama_memory_seq_rm(memory_, raw(sequence), range.begin, range.end))
    return fail(ErrorCode::kUnsupported, "this model can't forget a part of a sequence; free the whole");
  return {};
}

void LlamaDecoder::free(SequenceId sequence) {
  if (known(sequence)) llama_memory_seq_rm(memory_, raw(sequence), -1, -1);
}

void LlamaDecoder::count(const StepPlan& plan, int passes) {
  std::lock_guard lock(mutex_);
  ++counters_.steps;
  counters_.passes += static_cast<std::uint64_t>(passes);
  for (const Row& row : plan.rows) ++counters_.rows[static_cast<std::size_t>(row.kind)];
}

void LlamaDecoder::reset_counters() {
  std::lock_guard lock(mutex_);
  counters_ = {};
}

Counters LlamaDecoder::counters() const {
  std::lock_guard lock(mutex_);
  return counters_;
}

}  // namespace braid::engine::llama
