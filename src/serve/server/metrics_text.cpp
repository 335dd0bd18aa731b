#include <prometheus/text_serializer.h>

#include <sstream>
#include <vector>

#include "server/metrics.h"
#include "server/metrics_process.h"

namespace braid::serve {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

// vLLM's word for cancelled is abort.
constexpr std::array kFinishNames = {"stop", "length", "abort", "error", "shed"};

constexpr std::size_t kMostClocks = 256;  // whose figures are told; further ones only add to the events

std::uint64_t read(const std::atomic<std::uint64_t>& count) { return count.load(std::memory_order_relaxed); }

}  // namespace

/// Builds the families one after the other.
class MetricsText {
 public:
  MetricsText(const Metrics& metrics, const MetricsNow& now) : metrics_(metrics), now_(now) {}

  std::string write() {
    requests();
    times();
    engine();
    perception();
    network();
    clocks();
    memory();
    reports();
    add_process_metrics(families_);
    if (metrics_.identity_.vllm_names) add_vllm_names();
    std::ostringstream out;
    prometheus::TextSerializer().Serialize(out, families_);
    return out.str();
  }

 private:
  MetricFamily& family(std::string name, std::string help, MetricType type) {
    return families_.emplace_back(MetricFamily{"braid:" + std::move(name), std::move(help), type, {}});
  }
  ClientMetric& labelled(MetricFamily& to, Labels labels) {
    ClientMetric& metric = to.metric.emplace_back();
    metric.label = std::move(labels);
    metric.label.push_back({"model_name", metrics_.identity_.model});
    return metric;
  }
  void value(MetricFamily& to, double value, Labels labels = {}) {
    ClientMetric& metric = labelled(to, std::move(labels));
    (to.type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
  }
  void counter(std::string name, std::string help, std::uint64_t count) {
    value(family(std::move(name), std::move(help), MetricType::Counter), static_cast<double>(count));
  }
  void gauge(std::string name, std::string help, double now) {
    value(family(std::move(name), std::move(help), MetricType::Gauge), now);
  }
  template <class Histogram>
  void fill(MetricFamily& to, const Histogram& histogram, Labels labels = {}) {
    ClientMetric& metric = labelled(to, std::move(labels));
    const auto counts = histogram.counts();
    const auto bounds = Histogram::bounds();
    std::uint64_t so_far = 0;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      so_far += counts[i];
      metric.histogram.bucket.push_back({so_far, bounds[i]});
    }
    metric.histogram.sample_count = so_far + counts.back();
    metric.histogram.sample_sum = histogram.sum();
  }
  template <class Histogram>
  void histogram(std::string name, std::string help, const Histogram& from) {
    fill(family(std::move(name), std::move(help), MetricType::Histogram), from);
  }

  void requests() {
    gauge("num_requests_running", "Requests being answered", static_cast<double>(now_.running));
    gauge("num_requests_waiting", "Requests that wait to be answered", static_cast<double>(now_.waiting));
    MetricFamily& ends = family("request_success_total", "Answers by how they ended", MetricType::Counter);
    for (std::size_t i = 0; i < kFinishNames.size(); ++i)
      value(ends, static_cast<double>(read(metrics_.finishes_[i])), {{"finished_reason", kFinishNames[i]}});
    MetricFamily& verdicts =
        family("verdicts_total", "Answers by how they fared against their deadline", MetricType::Counter);
    for (std::size_t i = 0; i < Metrics::kVerdicts; ++i)
      value(verdicts, static_cast<double>(read(metrics_.verdicts_[i])),
            {{"verdict", to_string(static_cast<Verdict>(i))}});
    counter("prompt_tokens_total", "Rows that answers could see", read(metrics_.prompt_tokens_));
    counter("prompt_tokens_cached_total", "Of these, in the KV cache before they were asked",
            read(metrics_.cached_tokens_));
    counter("generation_tokens_total", "Tokens made", read(metrics_.answer_tokens_));
    histogram("request_prompt_tokens", "Rows that an answer could see", metrics_.prompt_);
    histogram("request_generation_tokens", "Tokens of an answer", metrics_.answer_);
  }

  void times() {
    histogram("time_to_first_token_seconds", "From asked to the first token", metrics_.ttft_);
    histogram("inter_token_latency_seconds", "Between two pieces of one answer", metrics_.token_gap_);
    histogram("e2e_request_latency_seconds", "From asked to delivered", metrics_.e2e_);
    histogram("request_queue_time_seconds", "Waiting for a step", metrics_.queue_);
    histogram("request_prefill_time_seconds", "Computing rows of the prompt", metrics_.prefill_);
    histogram("request_decode_time_seconds", "Computing tokens after the first", metrics_.decode_);
    histogram("freshness_seconds", "Age of the newest perceived packet at an answer's first token",
              metrics_.freshness_);
    MetricFamily& stages = family("stage_seconds", "Time of an answer by stage", MetricType::Histogram);
    for (std::size_t i = 0; i < kStageCount; ++i)
      fill(stages, metrics_.stages_[i], {{"stage", to_string(static_cast<Stage>(i))}});
  }

  void engine() {
    gauge("kv_cells", "KV cells there are", now_.kv_cells);
    gauge("kv_cells_promised", "KV cells kept for sessions and requests", now_.kv_promised);
    gauge("kv_cells_used", "KV cells that hold something, prompts kept for later too", now_.kv_used);
    gauge("kv_cache_usage_perc", "Share of the KV cells that is promised, 0 to 1",
          now_.kv_cells > 0 ? static_cast<double>(now_.kv_promised) / now_.kv_cells : 0.0);
    if (now_.since_step) gauge("last_step_age_seconds", "Since a step ended", to_seconds(*now_.since_step));
    gauge("sessions", "Live sessions", static_cast<double>(now_.sessions));
    gauge("session_bytes", "Held by sessions outside the KV cache", static_cast<double>(now_.session_bytes));
    MetricFamily& build = family("build_info", "Always 1", MetricType::Gauge);
    value(build, 1, {{"version", metrics_.identity_.version}, {"device", metrics_.identity_.device}});
  }

  void perception() {
    MetricFamily& kept = family("packets_kept_total", "Perceived packets", MetricType::Counter);
    for (std::size_t i = 0; i < Metrics::kModalities; ++i)
      value(kept, static_cast<double>(read(metrics_.kept_[i])),
            {{"modality", to_string(static_cast<Modality>(i))}});
    MetricFamily& pruned =
        family("packets_pruned_total", "Packets not perceived, and why", MetricType::Counter);
    std::lock_guard lock(metrics_.mutex_);
    for (const auto& [key, count] : metrics_.pruned_)
      value(pruned, static_cast<double>(count),
            {{"modality", to_string(static_cast<Modality>(key.first))}, {"reason", key.second}});
    counter("tokens_kept_total", "Rows of perceived packets", read(metrics_.kept_tokens_));
    counter("tokens_pruned_total", "Rows that the others would have taken", read(metrics_.pruned_tokens_));
    MetricFamily& dropped =
        family("session_drops_total", "What sessions that ended had dropped, by reason", MetricType::Counter);
    for (const auto& [reason, count] : metrics_.dropped_)
      value(dropped, static_cast<double>(count), {{"reason", reason}});
    counter("source_faults_total", "Damage and failures of sources", read(metrics_.faults_));
  }

  void network() {
    const net::ServerStats& net = now_.net;
    counter("http_connections_total", "Connections accepted", net.connections);
    gauge("http_connections_open", "Connections open", static_cast<double>(net.connections_open));
    counter("web_sockets_total", "WebSockets accepted", net.web_sockets);
    gauge("web_sockets_open", "WebSockets open", static_cast<double>(net.web_sockets_open));
    gauge("http_requests_open", "Requests not yet answered to the end",
          static_cast<double>(net.requests_open));
    MetricFamily& answers = family("http_responses_total", "Answers by class of status", MetricType::Counter);
    for (std::size_t i = 1; i < net.by_class.size(); ++i)
      value(answers, static_cast<double>(net.by_class[i]), {{"code", std::to_string(i) + "xx"}});
    counter("http_received_bytes_total", "Bytes from clients", net.bytes_in);
    counter("http_sent_bytes_total", "Bytes to clients", net.bytes_out);
    MetricFamily& drops =
        family("http_drops_total", "Connections and requests ended before their time", MetricType::Counter);
    for (std::size_t i = 0; i < net::kDropReasons; ++i)
      value(drops, static_cast<double>(net.drops[i]),
            {{"reason", to_string(static_cast<net::DropReason>(i))}});
  }

  void clocks() {
    std::vector<MetricFamily> made(2);
    MetricFamily &offset = made[0], &bound = made[1];
    offset = {"braid:clock_offset_seconds", "Session time less the sender's clock", MetricType::Gauge, {}};
    bound = {"braid:clock_error_bound_seconds",
             "By how much a capture time is off at most",
             MetricType::Gauge,
             {}};
    for (const auto& [session, states] : now_.clocks)
      for (const ClockState& clock : states) {
        if (offset.metric.size() >= kMostClocks) break;
        const Labels labels = {{"session", session}, {"source", clock.name}};
        value(offset, to_seconds(clock.report.offset), labels);
        value(bound, to_seconds(clock.report.error_bound), labels);
      }
    for (MetricFamily& one : made) families_.push_back(std::move(one));
    MetricFamily& events =
        family("clock_events_total", "What happened to senders' stamps", MetricType::Counter);
    for (std::size_t i = 0; i < sync::kClockEvents; ++i)
      value(events, static_cast<double>(now_.clock_events[i]),
            {{"event", to_string(static_cast<sync::ClockEvent>(i))}});
  }

  void memory() {
    const MemoryCounts& memory = now_.memory;
    counter("memory_records_total", "Records written to memories", memory.written);
    gauge("memory_records_waiting", "Records that wait to be written", static_cast<double>(memory.waiting));
    counter("memory_records_refused_total", "Records lost: too many waited", memory.refused);
    counter("memory_records_forgotten_total", "The oldest, of memories that were full", memory.forgotten);
    counter("memory_failed_commits_total", "Commits that failed and were tried again", memory.failed_commits);
    gauge("memories_open", "Memories that are open", static_cast<double>(memory.open));
    gauge("memories_failing", "Memories that can't be written or opened",
          static_cast<double>(memory.failing));
    counter("notes_total", "Frames and utterances put into words for a memory", read(metrics_.notes_));
    counter("notes_passed_over_total", "Of sessions that ended: frames and utterances that were not",
            read(metrics_.notes_passed_over_));
    gauge("notes_waiting", "Frames and utterances still to be put into words",
          static_cast<double>(now_.notes_waiting));
    gauge("notes_behind_seconds", "That the oldest of them has waited", to_seconds(now_.notes_behind));
  }

  void reports() {
    counter("trace_spans_sent_total", "Spans that the collector took", now_.spans_sent);
    counter("trace_spans_dropped_total", "Spans that were not sent", now_.spans_dropped);
    gauge("trace_spans_waiting", "Spans that wait to be sent", static_cast<double>(now_.spans_waiting));
    counter("realtime_illegal_transitions_total", "Events in a state that doesn't know them",
            now_.illegal_transitions);
    const DurabilityCounts& kept = now_.durability;
    counter("session_images_total", "Images taken of live sessions that changed", kept.images);
    counter("snapshots_written_total", "Snapshots of sessions", kept.written);
    counter("snapshots_failed_total", "Snapshots that could not be written", kept.failed);
    counter("snapshots_left_out_total", "Chunks that found no room on the disk", kept.left_out);
    counter("snapshots_refused_total", "Damaged parts of what was found", kept.refused);
    counter("sessions_resumed_total", "Sessions that came back", kept.resumed);
    gauge("sessions_resumable", "Sessions that wait for their client", static_cast<double>(kept.resumable));
    gauge("state_bytes", "Kept on the disk", static_cast<double>(kept.bytes));
    counter("standing_asked_total", "Standing questions asked", now_.standing_asked);
    counter("standing_skipped_total", "Not asked: the last one was still open, or was refused",
            now_.standing_skipped);
    counter("standing_failed_total", "Standing questions asked and not answered", now_.standing_failed);
    counter("webhooks_delivered_total", "Answers that a webhook took", now_.webhooks_delivered);
    counter("webhooks_retried_total", "Posts that were tried again", now_.webhooks_retried);
    counter("webhooks_dead_total", "Answers given up", now_.webhooks_dead);
    gauge("webhooks_waiting", "Answers on their way", static_cast<double>(now_.webhooks_waiting));
  }

  /// What means the same under vLLM's names.
  void add_vllm_names() {
    static constexpr std::array kSame = {
        "num_requests_running",        "num_requests_waiting",        "request_success_total",
        "prompt_tokens_total",         "generation_tokens_total",     "request_prompt_tokens",
        "request_generation_tokens",   "time_to_first_token_seconds", "inter_token_latency_seconds",
        "e2e_request_latency_seconds", "request_queue_time_seconds",  "request_prefill_time_seconds",
        "request_decode_time_seconds", "kv_cache_usage_perc"};
    const std::size_t ours = families_.size();
    for (std::size_t i = 0; i < ours; ++i)
      for (const char* name : kSame)
        if (families_[i].name == std::string("braid:") + name) {
          MetricFamily same = families_[i];
          same.name = std::string("vllm:") + name;
          families_.push_back(std::move(same));
        }
  }

  const Metrics& metrics_;
  const MetricsNow& now_;
  std::vector<MetricFamily> families_;
};

std::string Metrics::text(const MetricsNow& now) const { return MetricsText(*this, now).write(); }

}  // namespace braid::serve
