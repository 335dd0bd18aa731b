#pragma once
// The pipeline of the configuration file, beside the session of its sources.

#include <memory>
#include <string>

#include "braid/serve/pipeline.h"
#include "memory/memories.h"
#include "server/live_session.h"
#include "server/standing_webhooks.h"

namespace braid::serve {

/// Errors of load_fitting_pipeline(); kUsage: there are no sources.
Status check_pipeline_file(const ServerConfig& config);

/// Gives a plan to one session before it starts. Used by one thread at a time; outlives its session.
class ConfiguredPipeline {
 public:
  /// `memories` may be null. Errors of load_pipeline().
  static Result<std::unique_ptr<ConfiguredPipeline>> load(const std::string& file, Webhooks& webhooks,
                                                          Memories* memories, Clock& clock);

  /// Whether the session that begins next is the one.
  void expect(bool next) { next_ = next; }
  /// Before it starts. What can't be is logged, and the session goes without. Blocks for a disk.
  void prepare(LiveSession& live, SessionOptions& options);

 private:
  ConfiguredPipeline(PipelinePlan plan, Webhooks& webhooks, Memories* memories, Clock& clock)
      : plan_(std::move(plan)), webhooks_(webhooks), memories_(memories), clock_(clock) {}

  const PipelinePlan plan_;
  Webhooks& webhooks_;
  Memories* memories_;
  Clock& clock_;
  bool next_ = false;
};

}  // namespace braid::serve
