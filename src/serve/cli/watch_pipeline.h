#pragma once
// The pipeline of `braid watch`.

#include <atomic>
#include <memory>
#include <string>

#include "braid/net/client.h"
#include "braid/retrieve/memory.h"
#include "braid/serve/watch.h"
#include "pipeline/pipeline_run.h"
#include "server/standing_webhooks.h"

namespace braid::serve {

/// Beside one watched session. open(), then configure(), begin() and, once the session is over, close().
class WatchPipeline {
 public:
  /// `memory` may be null; `session`: as its records have it. Errors of
  /// load_fitting_pipeline() and PipelineRun.
  static Result<std::unique_ptr<WatchPipeline>> open(const std::string& file,
                                                     const std::vector<std::string>& sources,
                                                     std::shared_ptr<retrieve::Memory> memory,
                                                     const std::string& session, Clock& clock);
  ~WatchPipeline();

  /// The session then ends when nothing is left to do, unless it stays open anyway.
  void configure(SessionOptions& options);
  /// Before the session starts. `zero`: when its time 0 is.
  void begin(Watch& watch, UtcTime zero);
  void on_event(const deliver::Event& event) { run_->on_event(event); }
  /// Waits for what is still to be posted, for a while. False: some of it wasn't taken.
  bool close();

 private:
  explicit WatchPipeline(Clock& clock);
  PipelineTools tools(std::shared_ptr<retrieve::Memory> memory, const std::string& session);

  Clock& clock_;
  std::unique_ptr<net::Client> client_;
  Webhooks webhooks_;
  std::atomic<Session*> session_ = nullptr;  // while it runs
  bool ends_it_ = false;
  std::unique_ptr<PipelineRun> run_;
};

}  // namespace braid::serve
