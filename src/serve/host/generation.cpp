#include "host/generation.h"

#include <algorithm>
#include <utility>

namespace braid::serve {

Generation::Generation(GenerationParts parts, SequenceId sequence, Position start, Prompt prompt,
                       GenerationOptions options, StageMeter meter, Show show)
    : parts_(parts),
      sequence_(sequence),
      prefill_(sequence, start, std::move(prompt), RowKind::kQuestion, true, parts.clock.now()),
      options_(std::move(options)),
      sampler_(options_.sampling),
      text_(options_.stops),
      meter_(meter),
      show_(std::move(show)),
      next_(parts.ledger.end(sequence)),
      answer_begins_(next_) {}

Generation::~Generation() {
  if (!sequence_.valid()) return;
  parts_.decoder.free(sequence_);
  parts_.ledger.close(sequence_);
}

const schedule::Planned::Share* Generation::share_in(const schedule::Planned& planned) const {
  const auto found = std::find_if(planned.shares.begin(), planned.shares.end(),
                                  [&](const auto& share) { return share.job == &prefill_; });
  return found == planned.shares.end() ? nullptr : &*found;
}

void Generation::ready(schedule::Ready& ready) {
  decode_.reset();
  if (finished_) return;
  if (!prefill_.done()) {
    ready.questions.push_back(&prefill_);
  } else {
    decode_ = ready.decodes.size();
    ready.decodes.push_back({sequence_, next_, tokens_.back()});
  }
}

void Generation::step_begins(const schedule::Planned& planned, SteadyTime at) {
  if (decodes_in(planned))
    meter_.enter(Stage::kDecode, at);
  else if (const auto* share = share_in(planned))
    meter_.enter(share->rows == prefill_.rows_left() ? Stage::kDecodeFirst : Stage::kPrefill, at);
}

void Generation::step_done(const schedule::Planned& planned, const StepResult& result) {
  if (decodes_in(planned)) {
    ++next_;
    return take(result.logits[*decode_]);
  }
  const auto* share = share_in(planned);
  if (!share) return;
  prefill_.commit(share->rows);
  if (prefill_.done())
    take(result.logits[share->logits]);
  else
    meter_.enter(Stage::kSchedule, parts_.clock.now());
}

void Generation::step_failed(const schedule::Planned& planned, const Error& error) {
  if (!decodes_in(planned) && !share_in(planned)) return;
  error_ = error;
  end(FinishReason::kError);
}

std::string Generation::written(Token token) const {
  for (const auto& [mark, text] : options_.marks)
    if (mark == token) return text;
  return parts_.tokenizer.piece(token);
}

void Generation::take(std::span<const float> logits) {
  const Token token = sampler_.sample(logits, options_.filter.get());
  if (options_.sampled) options_.sampled(sequence_, token);
  if (!first_token_) first_token_ = parts_.clock.now();
  if (parts_.tokenizer.ends_generation(token)) return end(FinishReason::kStop);
  sampler_.accept(token);
  tokens_.push_back(token);
  if (options_.top_logprobs)
    unshown_.push_back({token, decode::logprobs(logits, token, *options_.top_logprobs)});
  if (options_.filter) {
    options_.filter->accept(token);
    if (auto status = options_.filter->status(); !status) {
      error_ = status.error();
      return end(FinishReason::kError);
    }
  }
  show(text_.push(written(token)));
  if (text_.stopped()) return end(FinishReason::kStop);
  if (tokens_left() <= 0) return end(FinishReason::kLength);
  if (auto reserved = parts_.ledger.append(sequence_, {next_, next_ + 1}, 1); !reserved) {
    error_ = reserved.error();
    return end(FinishReason::kError);
  }
  meter_.enter(Stage::kSchedule, parts_.clock.now());
}

void Generation::show(std::string text) {
  if (text.empty()) return;
  text_so_far_ += text;
  show_({std::move(text), std::exchange(unshown_, {})});
}

void Generation::end(FinishReason reason) {
  if (finished_) return;
  if (!text_.stopped()) show(text_.finish());
  finished_ = reason;
  last_token_ = parts_.clock.now();
  meter_.stop(last_token_);
}

std::optional<Generation::Left> Generation::take_sequence() {
  if (finished_ == FinishReason::kError || !sequence_.valid() || !prefill_.done() ||
      parts_.ledger.end(sequence_) != next_)
    return std::nullopt;
  // The token that was sampled last has no row yet, unless it ended the generation and isn't among them.
  const auto in_cache = static_cast<std::size_t>(next_ - answer_begins_);
  return Left{std::exchange(sequence_, SequenceId{}), in_cache};
}

}  // namespace braid::serve
