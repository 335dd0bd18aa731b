#include "braid/base/stage.h"

#include <algorithm>
#include <numeric>

namespace braid {

const char* to_string(Stage stage) {
  static constexpr std::array<const char*, kStageCount> kNames = {
      "capture",  "ingest",   "sync",         "encode_queue", "encode",  "prefill_queue", "prefill",
      "retrieve", "schedule", "decode_first", "decode",       "deliver", "unattributed"};
  return kNames[static_cast<std::size_t>(stage)];
}

Nanoseconds StageTimes::sum() const {
  return std::accumulate(by_stage.begin(), by_stage.end(), Nanoseconds{});
}

void StageTrace::enter(Stage stage, SteadyTime at) {
  if (size_ > 0) at = std::max(at, entries_[size_ - 1].at);
  if (size_ > 0 && entries_[size_ - 1].stage == stage) return;
  if (size_ == kCapacity) {  // the stage before takes over what the last one held
    entries_[size_ - 1] = {at, stage};
    return;
  }
  entries_[size_++] = {at, stage};
}

void StageTrace::leave(SteadyTime at) { enter(Stage::kUnattributed, at); }

void StageTrace::add_to(StageTimes& times, SteadyTime from, SteadyTime to) const {
  for (std::size_t i = 0; i < size_; ++i) {
    const SteadyTime begin = std::max(entries_[i].at, from);
    const SteadyTime end = i + 1 < size_ ? std::min(entries_[i + 1].at, to) : begin;
    if (end > begin && entries_[i].stage != Stage::kUnattributed) times[entries_[i].stage] += end - begin;
  }
}

StageTimes StageTrace::times() const {
  StageTimes times;
  if (size_ > 0) add_to(times, begin(), end());
  return times;
}

void StageMeter::enter(Stage stage, SteadyTime at) {
  stop(at);
  stage_ = stage;
  since_ = at;
}

void StageMeter::stop(SteadyTime at) {
  if (stage_ != Stage::kUnattributed && at > since_) times_[stage_] += at - since_;
  stage_ = Stage::kUnattributed;
}

void StageMeter::add(const StageTimes& times) {
  for (std::size_t i = 0; i < kStageCount; ++i) times_.by_stage[i] += times.by_stage[i];
}

}  // namespace braid
