#include "session/tally.h"

#include <algorithm>
#include <utility>

namespace braid::serve {

void NotesBehind::add(const NotesBehind& other) {
  waiting += other.waiting;
  made += other.made;
  if (other.since) since = since ? std::min(*since, *other.since) : *other.since;
}

void Tally::perceived(const encode::Encoded& encoded, const StageTimes& stages) {
  std::lock_guard lock(mutex_);
  switch (encoded.modality) {
    case Modality::kVision:
      ++summary_.frames_sampled;
      summary_.frames_kept += encoded.chunk ? 1 : 0;
      break;
    case Modality::kAudio:
      ++summary_.utterances;
      break;
    case Modality::kText:
      ++summary_.lines;
      break;
    case Modality::kReading:
      ++summary_.readings;
      break;
  }
  summary_.tokens_perceived += static_cast<std::uint64_t>(encoded.tokens);
  if (encoded.chunk)
    summary_.tokens_kept += static_cast<std::uint64_t>(encoded.tokens);
  else
    ++drops_[encoded.reason];
  for (std::size_t i = 0; i < kStageCount; ++i) summary_.perception.by_stage[i] += stages.by_stage[i];
  summary_.end = std::max(summary_.end, encoded.end);
}

void Tally::dropped(const std::string& reason, std::uint64_t count) {
  std::lock_guard lock(mutex_);
  drops_[reason] += count;
}

void Tally::fault() {
  std::lock_guard lock(mutex_);
  ++summary_.errors;
}

void Tally::answered(const Answer& answer) {
  std::lock_guard lock(mutex_);
  ++summary_.questions;  // each ends in exactly one answer
  if (answer.finish == FinishReason::kStop || answer.finish == FinishReason::kLength) ++summary_.answers;
  if (answer.finish == FinishReason::kError) ++summary_.errors;
}

void Tally::turn_over() {
  std::lock_guard lock(mutex_);
  ++summary_.turn_overs;
}

void Tally::note_made(Nanoseconds behind) {
  std::lock_guard lock(mutex_);
  ++summary_.notes;
  summary_.notes_behind = std::max(summary_.notes_behind, behind);
}

void Tally::note_passed_over() {
  std::lock_guard lock(mutex_);
  ++summary_.notes_passed_over;
}

void Tally::notes_wait(const NotesBehind& behind) {
  std::lock_guard lock(mutex_);
  notes_ = behind;
}

NotesBehind Tally::notes() const {
  std::lock_guard lock(mutex_);
  NotesBehind notes = notes_;
  notes.made = summary_.notes;
  return notes;
}

void Tally::ended(SessionTime at) {
  std::lock_guard lock(mutex_);
  summary_.end = std::max(summary_.end, at);
}

bool Tally::admit_question(int at_most) {
  std::lock_guard lock(mutex_);
  if (waiting_questions_ >= at_most) return false;
  ++waiting_questions_;
  return true;
}

void Tally::sees(WindowInfo window) {
  std::lock_guard lock(mutex_);
  window_ = std::move(window);
}

WindowInfo Tally::window() const {
  std::lock_guard lock(mutex_);
  return window_;
}

void Tally::question_taken() {
  std::lock_guard lock(mutex_);
  --waiting_questions_;
}

deliver::Progress Tally::progress(SessionTime at, Nanoseconds duration) const {
  std::lock_guard lock(mutex_);
  return {at, duration, summary_.frames_sampled, summary_.utterances};
}

deliver::Summary Tally::summary() const {
  std::lock_guard lock(mutex_);
  deliver::Summary summary = summary_;
  summary.drops.assign(drops_.begin(), drops_.end());
  return summary;
}

}  // namespace braid::serve
