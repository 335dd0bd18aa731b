#include "server/tracing.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>

#include "braid/base/json_text.h"
#include "braid/base/log.h"

namespace braid::serve {

namespace {

constexpr std::size_t kMaxBatch = 512;  // spans of one post
constexpr int kMaxUnderWay = 4;         // posts that the collector hasn't answered

template <std::size_t N>
std::string hex(const std::array<std::uint8_t, N>& bytes) {
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

template <std::size_t N>
std::array<std::uint8_t, N> random_bytes(std::mt19937_64& random) {
  std::array<std::uint8_t, N> bytes;
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  bytes[N - 1] |= 1;  // not all zero
  return bytes;
}

std::string attribute(std::string_view key, const std::variant<std::string, std::int64_t, double>& value) {
  std::string json;
  if (const auto* text = std::get_if<std::string>(&value))
    json = fmt::format(R"({{"stringValue":{}}})", quoted(*text));
  else if (const auto* number = std::get_if<std::int64_t>(&value))
    json = fmt::format(R"({{"intValue":"{}"}})", *number);
  else
    json = fmt::format(R"({{"doubleValue":{}}})", std::get<double>(value));
  return fmt::format(R"({{"key":"{}","value":{}}})", key, json);
}

/// On the system's clock, nanoseconds since 1970.
std::int64_t unix_ns(SteadyTime at, const Clock& clock) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return (std::chrono::duration_cast<Nanoseconds>(now) - (clock.now() - at)).count();
}

enum SpanKind { kInternalSpan = 1, kServerSpan = 2 };

/// The members that all spans have, without the closing brace.
std::string span_head(const std::string& trace, const std::string& id, const std::string& parent,
                      std::string_view name, SpanKind kind, std::int64_t begin, std::int64_t end) {
  return fmt::format(
      R"({{"traceId":"{}","spanId":"{}","parentSpanId":"{}","name":{},"kind":{},"startTimeUnixNano":"{}","endTimeUnixNano":"{}")",
      trace, id, parent, quoted(name), static_cast<int>(kind), begin, end);
}

}  // namespace

std::string traces_url(std::string_view base) {
  static constexpr std::string_view kPath = "/v1/traces";
  while (base.ends_with('/')) base.remove_suffix(1);
  return base.ends_with(kPath) ? std::string(base) : fmt::format("{}{}", base, kPath);
}

Tracing::Tracing(TracingOptions options, Clock& clock, std::string version, Send send)
    : options_(std::move(options)),
      url_(traces_url(options_.otlp_url)),
      version_(std::move(version)),
      clock_(clock),
      send_(std::move(send)),
      changed_(clock),
      random_(std::random_device()()) {
  if (!options_.otlp_url.empty()) thread_.emplace(clock, "tracing", [this] { run(); });
}

Tracing::~Tracing() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_) thread_->join();
}

bool Tracing::wants(const std::optional<openai::TraceContext>& parent) {
  if (!thread_) return false;
  if (parent) return parent->sampled;
  std::lock_guard lock(mutex_);
  return std::uniform_real_distribution<>(0, 1)(random_) < options_.sample_ratio;
}

std::string Tracing::print(const RequestSpan& span) {
  const std::string trace = hex(span.parent ? span.parent->trace_id : random_bytes<16>(random_));
  const std::string id = hex(random_bytes<8>(random_));
  const std::int64_t begin = unix_ns(span.begin, clock_);
  const std::int64_t end = begin + (span.end - span.begin).count();
  std::string out = span_head(trace, id, span.parent ? hex(span.parent->parent_id) : "", span.name,
                              kServerSpan, begin, end);
  std::string attributes;
  for (const auto& [key, value] : span.attributes) {
    if (!attributes.empty()) attributes += ',';
    attributes += attribute(key, value);
  }
  const std::string status =
      span.error.empty() ? "{}" : fmt::format(R"({{"code":2,"message":{}}})", quoted(span.error));
  out += fmt::format(R"(,"attributes":[{}],"status":{}}})", attributes, status);
  std::int64_t at = begin;
  for (std::size_t i = 0; i < kStageCount; ++i) {
    const std::int64_t length = span.stages.by_stage[i].count();
    if (length <= 0) continue;
    const std::int64_t until = std::min(at + length, end);
    out += ',';
    out += span_head(trace, hex(random_bytes<8>(random_)), id, to_string(static_cast<Stage>(i)),
                     kInternalSpan, at, until);
    out += '}';
    at = until;
  }
  return out;
}

void Tracing::record(const RequestSpan& span) {
  if (!thread_) return;
  std::lock_guard lock(mutex_);
  if (waiting_.size() >= options_.max_spans) {
    ++*dropped_;
    return;
  }
  waiting_.push_back(print(span));
  if (waiting_.size() >= std::min(kMaxBatch, options_.max_spans)) changed_.notify_all();
}

TracingCounts Tracing::counts() const {
  std::lock_guard lock(mutex_);
  return {*sent_, *dropped_, waiting_.size()};
}

void Tracing::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_ || !waiting_.empty()) {
    const std::size_t full = std::min(kMaxBatch, options_.max_spans);
    changed_.wait_until(lock, clock_.now() + options_.flush_interval,
                        [&] { return stopping_ || waiting_.size() >= full; });
    if (waiting_.empty()) continue;
    // A collector that doesn't answer: what comes meanwhile waits, up to the bound.
    if (*under_way_ >= kMaxUnderWay && !stopping_) {
      changed_.wait_until(lock, clock_.now() + options_.flush_interval, [&] { return stopping_; });
      continue;
    }
    const auto count = static_cast<std::ptrdiff_t>(std::min(waiting_.size(), kMaxBatch));
    std::vector<std::string> batch(std::make_move_iterator(waiting_.begin()),
                                   std::make_move_iterator(waiting_.begin() + count));
    waiting_.erase(waiting_.begin(), waiting_.begin() + count);
    lock.unlock();
    post(std::move(batch));
    lock.lock();
  }
}

void Tracing::post(std::vector<std::string> spans) {
  net::ClientRequest request;
  request.method = "POST";
  request.url = url_;
  request.headers.add("Content-Type", "application/json");
  request.body = fmt::format(
      R"({{"resourceSpans":[{{"resource":{{"attributes":[{}]}},"scopeSpans":[{{"scope":{{"name":"braid","version":"{}"}},"spans":[{}]}}]}}]}})",
      attribute("service.name", std::string("braid")), version_, fmt::join(spans, ","));
  ++*under_way_;
  send_(std::move(request), [count = spans.size(), sent = sent_, dropped = dropped_,
                             under_way = under_way_](const Result<net::ClientResponse>& response) {
    --*under_way;
    if (response && response->status / 100 == 2) {
      *sent += count;
      return;
    }
    *dropped += count;
    log(LogLevel::kWarning, "{} spans were not taken by the collector: {}", count,
        response ? fmt::format("it answered {}", response->status) : response.error().message);
  });
}

}  // namespace braid::serve
