#include "server/configured_pipeline.h"

#include <utility>

#include "braid/base/log.h"
#include "memory/session_memory.h"
#include "pipeline/load_fitting.h"
#include "pipeline/pipeline_run.h"
#include "pipeline/poster.h"

namespace braid::serve {

Status check_pipeline_file(const ServerConfig& config) {
  if (config.pipeline.empty()) return {};
  if (config.sources.empty())
    return fail(ErrorCode::kUsage, config.pipeline +
                                       ": a pipeline is of the configured sources, and there are "
                                       "none: add a [[source]] or name one behind `braid serve`");
  const auto plan = load_fitting_pipeline(config.pipeline, config.sources, !config.memory.dir.empty());
  if (!plan) return tl::unexpected(plan.error());
  return {};
}

Result<std::unique_ptr<ConfiguredPipeline>> ConfiguredPipeline::load(const std::string& file,
                                                                     Webhooks& webhooks, Memories* memories,
                                                                     Clock& clock) {
  auto plan = load_pipeline(file);
  if (!plan) return tl::unexpected(plan.error());
  return std::unique_ptr<ConfiguredPipeline>(
      new ConfiguredPipeline(std::move(*plan), webhooks, memories, clock));
}

void ConfiguredPipeline::prepare(LiveSession& live, SessionOptions& options) {
  if (!next_) return;
  PipelineTools tools = tools_of([&live]() -> Session& { return live.session(); });
  if (memories_)
    if (auto memory = memories_->of(live.owner())) tools.memory = (*memory)->memory();
  tools.session = live.id();
  tools.post = make_poster(webhooks_, live.id());
  auto made = PipelineRun::create(plan_, std::move(tools), clock_);
  if (!made) {
    log(LogLevel::kError, "the pipeline doesn't run: {}", made.error().message);
    return;
  }
  const std::shared_ptr<PipelineRun> run = std::move(*made);
  run->attach(options);
  run->begin([&live] { return live.began(); });
  live.listen([run](const deliver::Event& event) { run->on_event(event); });
  live.before_end([run] { run->close(); });
}

}  // namespace braid::serve
