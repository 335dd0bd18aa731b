#pragma once
// What the server counts, and its text for Prometheus. docs/operations.md lists every name.

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "braid/base/clock.h"
#include "braid/base/stage.h"
#include "braid/deliver/events.h"
#include "braid/net/stats.h"
#include "braid/packet/question.h"
#include "braid/serve/session_clocks.h"
#include "durable/durability_counts.h"
#include "memory/memory_counts.h"
#include "server/metrics_histogram.h"

namespace braid::serve {

/// An answer that is over, by itself or from a session.
struct AnswerCounts {
  FinishReason finish = FinishReason::kStop;
  Verdict verdict = Verdict::kNone;
  Nanoseconds wall{};
  std::optional<Nanoseconds> ttft;
  std::optional<Nanoseconds> freshness;
  StageTimes stages;
  std::int64_t prompt_tokens = 0, cached_tokens = 0, answer_tokens = 0;
};
AnswerCounts counts_of(const Answer& answer);

/// What is read at the moment it is asked for.
struct MetricsNow {
  net::ServerStats net;
  std::size_t running = 0, waiting = 0;  ///< requests; questions of sessions are in `open_answers`
  std::size_t sessions = 0;
  std::uint64_t session_bytes = 0;
  int kv_cells = 0, kv_promised = 0, kv_used = 0;
  std::optional<Nanoseconds> since_step;
  std::size_t spans_waiting = 0, webhooks_waiting = 0;
  std::uint64_t spans_sent = 0, spans_dropped = 0;
  std::uint64_t webhooks_delivered = 0, webhooks_retried = 0, webhooks_dead = 0;
  DurabilityCounts durability;
  std::map<std::string, std::vector<ClockState>> clocks;  ///< of living sessions, by id
  std::array<std::uint64_t, sync::kClockEvents> clock_events{};
  std::uint64_t illegal_transitions = 0;  ///< of Realtime lines
  std::size_t notes_waiting = 0;
  Nanoseconds notes_behind{};  ///< that the oldest of them has waited
  MemoryCounts memory;
  std::uint64_t standing_asked = 0, standing_skipped = 0, standing_failed = 0;
};

struct MetricsIdentity {
  std::string version, model, device;
  bool vllm_names = false;
};

/// Thread-safe. No lock is taken for a token or an answer; one for each packet that was dropped.
class Metrics {
 public:
  explicit Metrics(MetricsIdentity identity) : identity_(std::move(identity)) {}

  /// Between two pieces of one answer's text.
  void token_gap(Nanoseconds gap) { token_gap_.add(gap); }
  void answered(const AnswerCounts& answer);
  void perceived(const deliver::Perceived& packet);
  void noted() { notes_.fetch_add(1, std::memory_order_relaxed); }
  void notes_passed_over(std::uint64_t count) {
    notes_passed_over_.fetch_add(count, std::memory_order_relaxed);
  }
  void fault() { faults_.fetch_add(1, std::memory_order_relaxed); }
  /// A session ended: what it dropped on the way without telling of each.
  void dropped(const std::string& reason, std::uint64_t count);

  /// In Prometheus' text format 0.0.4.
  std::string text(const MetricsNow& now) const;

 private:
  friend class MetricsText;
  static constexpr std::size_t kModalities = 4;
  static constexpr std::size_t kFinishes = 5;
  static constexpr std::size_t kVerdicts = 4;
  using Count = std::atomic<std::uint64_t>;

  const MetricsIdentity identity_;
  SecondsHistogram ttft_, token_gap_, e2e_, queue_, prefill_, decode_, freshness_;
  std::array<SecondsHistogram, kStageCount> stages_;
  TokensHistogram prompt_, answer_;
  std::array<Count, kFinishes> finishes_{};
  std::array<Count, kVerdicts> verdicts_{};
  Count prompt_tokens_{0}, cached_tokens_{0}, answer_tokens_{0}, faults_{0};
  Count notes_{0}, notes_passed_over_{0};
  std::array<Count, kModalities> kept_{};
  Count kept_tokens_{0}, pruned_tokens_{0};
  mutable std::mutex mutex_;                                             // guards what follows
  std::map<std::pair<std::size_t, std::string>, std::uint64_t> pruned_;  // by modality and reason
  std::map<std::string, std::uint64_t> dropped_;
};

/// For LiveSession::listen(): counts what a session perceives and answers. `metrics` and `clock` outlive it.
std::function<void(const deliver::Event&)> meter_session(Metrics& metrics, Clock& clock);

}  // namespace braid::serve
