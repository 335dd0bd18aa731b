#pragma once
// Tells metrics and tracing of one request while it is answered.

#include <memory>
#include <optional>
#include <string>

#include "braid/openai/chat_response.h"
#include "braid/openai/trace_context.h"
#include "server/metrics.h"
#include "server/tracing.h"

namespace braid::serve {

/// Whom requests are told to; both outlive them.
struct Observers {
  Metrics* metrics = nullptr;  ///< null: nobody
  Tracing* tracing = nullptr;
};

struct RequestFacts {
  std::string operation = "chat";  ///< OpenTelemetry's word
  std::string response_id, model;  ///< what has no id has none to tell
  std::string session;  ///< empty: answered by itself. A session's answers are counted by meter_session()
  SteadyTime arrived;
};

/// One thread at a time; nothing blocks.
class RequestWatch {
 public:
  RequestWatch() = default;  // nobody is told
  /// `traceparent`: the header's value.
  RequestWatch(Observers observers, std::optional<std::string_view> traceparent);

  /// A piece of text was made.
  void shown(SteadyTime now);
  void ended(const RequestFacts& facts, FinishReason finish, const openai::Account& account,
             const openai::Usage& usage, SteadyTime now) const;
  void failed(const RequestFacts& facts, const Error& error, SteadyTime now) const;

 private:
  void record(const RequestFacts& facts, RequestSpan span, SteadyTime now) const;

  Observers observers_;
  std::optional<openai::TraceContext> parent_;
  bool traced_ = false;
  std::optional<SteadyTime> last_shown_;
};

}  // namespace braid::serve
