#include "chat/chat_run.h"

#include <utility>

namespace braid::serve {

ChatRun::ChatRun(StepLoop& loop, Clock& clock, StepLoop::Promise promise, ChatWork work)
    : loop_(loop),
      clock_(clock),
      promise_(std::move(promise)),
      work_(std::move(work)),
      prompt_rows_(work_.prompt.rows()) {}

Status ChatRun::begin() {
  kv::Ledger& ledger = loop_.ledger();
  auto sequence = ledger.open();
  if (!sequence) return tl::unexpected(sequence.error());
  if (auto reserved = ledger.append(*sequence, {0, work_.prompt.positions()}, prompt_rows_); !reserved) {
    ledger.close(*sequence);
    return reserved;
  }
  work_.meter.enter(Stage::kSchedule, clock_.now());
  const GenerationParts parts{*loop_.engine().decoder, *loop_.engine().tokenizer, ledger, clock_};
  generation_.emplace(parts, *sequence, 0, std::move(work_.prompt), std::move(work_.options),
                      std::move(work_.meter),
                      [this](ShownText shown) { work_.sink.on_text(std::move(shown)); });
  return {};
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
  if (generation_) generation_->ready(ready);
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
  over_ = true;
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
