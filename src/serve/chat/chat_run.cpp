#include "chat/chat_run.h"

#include <utility>

namespace braid::serve {

ChatRun::ChatRun(StepLoop& loop, Clock& clock, StepLoop::Promise promise, ChatWork work)
    : loop_(loop),
      clock_(clock),
      promise_(std::move(promise)),
      work_(std::move(work)),
      prompt_rows_(work_.prompt.rows()) {}

// A prefix can only be shared by a model that can leave the rest of a sequence out.
Result<SharedRows> ChatRun::share_prefix(SequenceId sequence) {
  if (!loop_.engine().info.can_hide_ranges || loop_.options().deterministic) return SharedRows{};
  const auto match = loop_.prefixes().find(work_.prompt);
  if (!match) return SharedRows{};
  const kv::Range range{0, match->shared.positions};
  const engine::PositionRange shared{range.begin, range.end};
  if (auto forked = loop_.ledger().fork(match->sequence, sequence, {&range, 1}); !forked)
    return tl::unexpected(forked.error());
  if (auto forked = loop_.engine().decoder->fork(match->sequence, sequence, {&shared, 1}); !forked)
    return tl::unexpected(forked.error());
  return match->shared;
}

Status ChatRun::begin() {
  kv::Ledger& ledger = loop_.ledger();
  auto sequence = ledger.open();
  if (!sequence) return tl::unexpected(sequence.error());
  const auto give_up = [&](const Error& error) -> Status {
    loop_.engine().decoder->free(*sequence);
    ledger.close(*sequence);
    return tl::unexpected(error);
  };
  const auto shared = share_prefix(*sequence);
  if (!shared) return give_up(shared.error());
  cached_rows_ = shared->rows;
  const Position start = shared->positions;
  Prompt rest = without_first(work_.prompt, shared->rows);
  if (auto reserved = ledger.append(*sequence, {start, start + rest.positions()}, rest.rows()); !reserved)
    return give_up(reserved.error());
  contents_ = std::move(work_.prompt);
  work_.meter.enter(Stage::kSchedule, clock_.now());
  const GenerationParts parts{*loop_.engine().decoder, *loop_.engine().tokenizer, ledger, clock_};
  generation_.emplace(parts, *sequence, start, std::move(rest), std::move(work_.options), work_.meter,
                      [this](ShownText shown) { work_.sink.on_text(std::move(shown)); });
  return {};
}

void ChatRun::keep_prefix() {
  if (!loop_.engine().info.can_hide_ranges) return;
  const auto left = generation_->take_sequence();
  if (!left) return;
  const std::vector<Token>& tokens = generation_->tokens();
  contents_.append(TokenRun(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(left->tokens)));
  loop_.prefixes().keep(left->sequence, std::move(contents_));
}

bool ChatRun::take() {
  if (over_) return false;
  if (work_.cancel->cancelled()) {
    if (!generation_) {
      refuse(FinishReason::kCancelled, {ErrorCode::kCancelled, "the client went away"});
    } else {
      generation_->end(FinishReason::kCancelled);
      end_if_finished();
    }
    return true;
  }
  if (begun_) return false;
  begun_ = true;
  if (auto begun = begin(); !begun) refuse(FinishReason::kError, begun.error());
  return true;
}

void ChatRun::ready(schedule::Ready& ready) {
  if (!generation_) return;
  // Somebody waits: with no answer beside it, the prompt goes in as few steps as can be.
  if (!generation_->first_token()) ready.question_waits = true;
  generation_->ready(ready);
}

void ChatRun::step_begins(const schedule::Planned& planned, SteadyTime at) {
  if (generation_) generation_->step_begins(planned, at);
}

void ChatRun::step_done(const schedule::Planned& planned, const StepResult& result, SteadyTime) {
  if (!generation_) return;
  generation_->step_done(planned, result);
  end_if_finished();
}

void ChatRun::step_failed(const schedule::Planned& planned, const Error& error) {
  if (!generation_) return;
  generation_->step_failed(planned, error);
  end_if_finished();
}

void ChatRun::end_if_finished() {
  if (over_ || !generation_->finished()) return;
  ChatEnd end;
  end.finish = *generation_->finished();
  end.error = generation_->error();
  end.text = generation_->text();
  end.prompt_rows = prompt_rows_;
  end.answer_tokens = static_cast<int>(generation_->tokens().size());
  end.first_token = generation_->first_token();
  end.last_token = generation_->last_token();
  end.stages = generation_->stages();
  end.cached_rows = cached_rows_;
  over_ = true;
  keep_prefix();
  promise_ = {};
  work_.sink.on_end(std::move(end));
}

void ChatRun::refuse(FinishReason finish, Error error) {
  ChatEnd end;
  end.finish = finish;
  end.error = std::move(error);
  end.prompt_rows = prompt_rows_;
  end.last_token = clock_.now();
  work_.meter.stop(end.last_token);
  end.stages = work_.meter.times();
  over_ = true;
  promise_ = {};
  work_.sink.on_end(std::move(end));
}

}  // namespace braid::serve
