#include "server/metrics.h"

#include <memory>
#include <utility>

namespace braid::serve {

namespace {

constexpr std::size_t kMaxReasons = 64;  // ours are a dozen; nothing may make this grow without end

void add(std::atomic<std::uint64_t>& count, std::int64_t more) {
  if (more > 0) count.fetch_add(static_cast<std::uint64_t>(more), std::memory_order_relaxed);
}

}  // namespace

AnswerCounts counts_of(const Answer& answer) {
  AnswerCounts counts;
  counts.finish = answer.finish;
  counts.verdict = answer.verdict;
  counts.wall = answer.stages.sum();
  if (answer.first_token) counts.ttft = *answer.first_token - answer.asked;
  counts.freshness = answer.freshness;
  counts.stages = answer.stages;
  counts.prompt_tokens = answer.prompt_tokens;
  counts.cached_tokens = answer.window.tokens;
  counts.answer_tokens = answer.answer_tokens;
  return counts;
}

void Metrics::answered(const AnswerCounts& answer) {
  add(finishes_[static_cast<std::size_t>(answer.finish)], 1);
  add(verdicts_[static_cast<std::size_t>(answer.verdict)], 1);
  add(prompt_tokens_, answer.prompt_tokens);
  add(cached_tokens_, answer.cached_tokens);
  add(answer_tokens_, answer.answer_tokens);
  if (answer.finish == FinishReason::kError || answer.finish == FinishReason::kShed) return;
  e2e_.add(answer.wall);
  if (answer.ttft) ttft_.add(*answer.ttft);
  if (answer.freshness) freshness_.add(*answer.freshness);
  for (std::size_t i = 0; i < kStageCount; ++i)
    if (answer.stages.by_stage[i] != Nanoseconds{}) stages_[i].add(answer.stages.by_stage[i]);
  queue_.add(answer.stages[Stage::kPrefillQueue] + answer.stages[Stage::kSchedule]);
  prefill_.add(answer.stages[Stage::kPrefill] + answer.stages[Stage::kDecodeFirst]);
  decode_.add(answer.stages[Stage::kDecode]);
  prompt_.add(static_cast<double>(answer.prompt_tokens));
  answer_.add(static_cast<double>(answer.answer_tokens));
}

void Metrics::perceived(const deliver::Perceived& packet) {
  const auto modality = static_cast<std::size_t>(packet.modality);
  add(packet.kept ? kept_tokens_ : pruned_tokens_, packet.tokens);
  if (packet.kept) return add(kept_[modality], 1);
  std::lock_guard lock(mutex_);
  const std::pair key(modality, packet.reason);
  if (pruned_.size() < kMaxReasons || pruned_.contains(key)) ++pruned_[key];
}

void Metrics::dropped(const std::string& reason, std::uint64_t count) {
  std::lock_guard lock(mutex_);
  if (dropped_.size() < kMaxReasons || dropped_.contains(reason)) dropped_[reason] += count;
}

std::function<void(const deliver::Event&)> meter_session(Metrics& metrics, Clock& clock) {
  // When each open answer last showed text. One thread calls.
  auto shown = std::make_shared<std::map<std::int64_t, SteadyTime>>();
  return [&metrics, &clock, shown](const deliver::Event& event) {
    if (const auto* perceived = std::get_if<deliver::Perceived>(&event)) metrics.perceived(*perceived);
    if (std::holds_alternative<deliver::Fault>(event)) metrics.fault();
    if (std::holds_alternative<deliver::Note>(event)) metrics.noted();
    if (const auto* delta = std::get_if<AnswerDelta>(&event)) {
      const SteadyTime now = clock.now();
      const auto [last, first] = shown->try_emplace(delta->id.value, now);
      if (!first) metrics.token_gap(now - std::exchange(last->second, now));
    }
    if (const auto* summary = std::get_if<deliver::Summary>(&event)) {
      for (const auto& [reason, count] : summary->drops) metrics.dropped(reason, count);
      metrics.notes_passed_over(summary->notes_passed_over);
    }
    if (const auto* answer = std::get_if<Answer>(&event)) {
      shown->erase(answer->id.value);
      metrics.answered(counts_of(*answer));
    }
  };
}

}  // namespace braid::serve
