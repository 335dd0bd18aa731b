#include "session/notes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "chat/spoken_words.h"

namespace braid::serve {

namespace {

constexpr int kSeenTokens = 64;
constexpr Nanoseconds kLendsFirst = std::chrono::hours(24);  // idle for longer than any session

/// Mean of the medium's rows, [model dim].
std::vector<float> pooled(const Prompt& prompt) {
  std::vector<float> mean;
  std::size_t rows = 0;
  for (const Piece& piece : prompt.pieces) {
    const auto* run = std::get_if<EmbeddingRun>(&piece);
    if (!run) continue;
    mean.resize(run->rows->columns);
    for (std::size_t i = 0; i < run->rows->rows; ++i, ++rows) {
      const auto row = run->rows->row(i);
      std::transform(row.begin(), row.end(), mean.begin(), mean.begin(), std::plus<>());
    }
  }
  for (float& value : mean) value /= static_cast<float>(std::max<std::size_t>(rows, 1));
  return mean;
}

}  // namespace

Notes::Notes(StepLoop& loop, Clock& clock, Tally& tally, std::size_t most_bytes, bool live, Emit emit)
    : loop_(loop),
      clock_(clock),
      tally_(tally),
      most_bytes_(most_bytes),
      live_(live),
      emit_(std::move(emit)) {}

void Notes::offer(const encode::Encoded& seen, const std::string& source) {
  const bool has_no_words = seen.modality == Modality::kVision || seen.modality == Modality::kAudio;
  if (!seen.chunk || !has_no_words) return;
  if (ended_) return tally_.note_passed_over();
  waiting_.push_back({seen.chunk, source, clock_.now()});
  waiting_bytes_ += seen.chunk->prompt.bytes();
  tell();
  // The one that is being made is not given up.
  while (live_ && waiting_bytes_ > most_bytes_ && waiting_.size() > 2) pass_over(making_ ? 1 : 0);
}

void Notes::remove(std::size_t index) {
  waiting_bytes_ -= waiting_[index].chunk->prompt.bytes();
  waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(index));
  tell();
}

void Notes::tell() {
  NotesBehind behind;
  behind.waiting = waiting_.size();
  if (!waiting_.empty()) behind.since = waiting_.front().since;
  tally_.notes_wait(behind);
}

void Notes::pass_over(std::size_t index) {
  tally_.note_passed_over();
  remove(index);
}

void Notes::drop_all() {
  making_.reset();
  promise_ = {};
  in_plan_ = false;
  while (!waiting_.empty()) pass_over(0);
}

void Notes::end() {
  ended_ = true;
  while (waiting_.size() > kMostAtTheEnd) pass_over(making_ ? 1 : 0);
}

Prompt Notes::prompt_of(const Chunk& chunk) const {
  const engine::Tokenizer& tokenizer = *loop_.engine().tokenizer;
  const char* question = chunk.modality == Modality::kVision ? kSeenQuestion : kSpokenQuestion;
  Prompt prompt;
  prompt.append(loop_.timeline_text().begin);
  prompt.append(chunk.prompt);
  prompt.append(loop_.timeline_text().separator);
  prompt.append(tokenizer.tokenize(question, false));
  prompt.append(tokenizer.tokenize(tokenizer.chat().end_of_question, true));
  return prompt;
}

bool Notes::take() {
  if (making_ || waiting_.empty()) return false;
  if (promise_.valid()) {
    if (!begin()) pass_over(0);
    return true;
  }
  const int needed = prompt_of(*waiting_.front().chunk).rows() + std::max(kSeenTokens, kSpokenTokens);
  auto promise = loop_.spare_promise(needed, kSequences);
  if (promise) {
    promise_ = std::move(*promise);
    // Whoever needs cells has these first.
    promise_.idle(clock_.now() - kLendsFirst);
    return true;
  }
  // Others hold them now; what is too large for a note's share may never find room.
  if (live_ && needed <= kCells) return false;
  pass_over(0);
  return true;
}

void Notes::give_way() {
  if (!promise_.taken()) return;
  making_.reset();
  promise_ = {};
  in_plan_ = false;
}

bool Notes::begin() {
  kv::Ledger& ledger = loop_.ledger();
  auto sequence = ledger.open();
  if (!sequence) return false;
  const Chunk& chunk = *waiting_.front().chunk;
  Prompt prompt = prompt_of(chunk);
  if (!ledger.append(*sequence, {0, prompt.positions()}, prompt.rows())) {
    ledger.close(*sequence);
    return false;
  }
  GenerationOptions options;
  options.stops = loop_.engine().tokenizer->chat().stops;
  options.max_tokens = chunk.modality == Modality::kVision ? kSeenTokens : kSpokenTokens;
  const GenerationParts parts{*loop_.engine().decoder, *loop_.engine().tokenizer, ledger, clock_};
  making_.emplace(parts, *sequence, 0, std::move(prompt), std::move(options), StageMeter(),
                  [](const ShownText&) {});
  return true;
}

void Notes::ready_idle(schedule::Ready& ready) {
  if (!making_) return;
  in_plan_ = true;
  making_->ready(ready);
}

void Notes::step_begins(const schedule::Planned& planned, SteadyTime at) {
  if (in_plan_) making_->step_begins(planned, at);
}

void Notes::step_done(const schedule::Planned& planned, const StepResult& result) {
  if (!in_plan_) return;
  making_->step_done(planned, result);
  end_if_finished();
}

void Notes::step_failed(const schedule::Planned& planned, const Error& error) {
  if (!in_plan_) return;
  making_->step_failed(planned, error);
  end_if_finished();
}

void Notes::end_if_finished() {
  if (!making_->finished()) return;
  in_plan_ = false;
  const bool failed = making_->finished() == FinishReason::kError;
  std::string text = making_->text();
  making_.reset();
  promise_ = {};
  if (failed) return pass_over(0);
  const Waiting made = waiting_.front();
  deliver::Note note;
  note.modality = made.chunk->modality;
  note.source = made.source;
  note.start = made.chunk->start;
  note.end = made.chunk->end;
  note.behind = clock_.now() - made.since;
  note.text = note.modality == Modality::kAudio ? spoken_words(text) : std::move(text);
  if (note.modality == Modality::kVision) {
    note.pooled = pooled(made.chunk->prompt);
    note.pooled_by = loop_.engine().info.name;
  }
  // Before it is taken off those that wait: with none waiting, all that were made are counted.
  tally_.note_made(note.behind);
  remove(0);
  emit_(std::move(note));
}

}  // namespace braid::serve
