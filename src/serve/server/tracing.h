#pragma once
// Requests as OpenTelemetry spans, sent as OTLP over HTTP in JSON (opentelemetry-proto 1.x, "JSON Protobuf
// Encoding").

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "braid/base/clock.h"
#include "braid/base/stage.h"
#include "braid/net/client.h"
#include "braid/openai/trace_context.h"
#include "braid/serve/server.h"

namespace braid::serve {

/// A request that is over. Its span's children are its stages, laid end to end in their order: stages say how
/// long, not when, each held it.
struct RequestSpan {
  std::string name;                            ///< "chat MODEL"
  std::optional<openai::TraceContext> parent;  ///< of the sender
  SteadyTime begin, end;
  StageTimes stages;
  std::string error;  ///< why it failed; empty: it didn't
  std::vector<std::pair<std::string, std::variant<std::string, std::int64_t, double>>> attributes;
};

struct TracingCounts {
  std::uint64_t sent = 0, dropped = 0;
  std::size_t waiting = 0;
};

/// Thread-safe. Spans are sent in batches from a thread of its own; a collector that is away costs spans, not
/// requests.
class Tracing {
 public:
  /// Sends a request and calls back once, from any thread: net::Client's send().
  using Send = std::function<void(net::ClientRequest, net::Client::Done)>;

  /// Where nothing is to be sent, `options.otlp_url` is empty and nothing is started. The clock outlives
  /// this.
  Tracing(TracingOptions options, Clock& clock, std::string version, Send send);
  /// Sends what waits, once, without waiting for the answer.
  ~Tracing();

  /// Whether a request with this parent is to be recorded: as its sender decided, else by the sample ratio.
  bool wants(const std::optional<openai::TraceContext>& parent);
  /// Never blocks. Dropped and counted where too many wait.
  void record(const RequestSpan& span);
  TracingCounts counts() const;

 private:
  void run();
  void post(std::vector<std::string> spans);
  std::string print(const RequestSpan& span);

  const TracingOptions options_;
  const std::string url_, version_;
  Clock& clock_;
  const Send send_;
  mutable std::mutex mutex_;
  Signal changed_;
  std::mt19937_64 random_;
  std::deque<std::string> waiting_;  // spans as JSON objects
  bool stopping_ = false;
  std::shared_ptr<std::atomic<std::uint64_t>> sent_ = std::make_shared<std::atomic<std::uint64_t>>(0);
  std::shared_ptr<std::atomic<std::uint64_t>> dropped_ = std::make_shared<std::atomic<std::uint64_t>>(0);
  std::shared_ptr<std::atomic<int>> under_way_ = std::make_shared<std::atomic<int>>(0);
  std::optional<Thread> thread_;
};

/// The collector's address for traces: BASE/v1/traces, or as it is where it ends so already.
std::string traces_url(std::string_view base);

}  // namespace braid::serve
