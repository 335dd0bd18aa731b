#include "cli/watch_pipeline.h"

#include <mutex>
#include <utility>

#include "cli/say.h"
#include "pipeline/load_fitting.h"
#include "pipeline/poster.h"

namespace braid::serve {

namespace {

/// A few attempts in the time that somebody waits at the end.
WebhookOptions few_attempts() {
  WebhookOptions options;
  options.max_attempts = 3;
  return options;
}

}  // namespace

WatchPipeline::WatchPipeline(Clock& clock)
    : clock_(clock),
      webhooks_(few_attempts(), clock, [this](net::ClientRequest request, bool, net::Client::Done done) {
        client_->send(std::move(request), std::move(done));
      }) {}

WatchPipeline::~WatchPipeline() = default;

PipelineTools WatchPipeline::tools(std::shared_ptr<retrieve::Memory> memory, const std::string& session) {
  PipelineTools tools = tools_of([this]() -> Session& { return *session_; });
  tools.memory = std::move(memory);
  tools.session = session;
  tools.post = make_poster(webhooks_, session);
  tools.done = [this] {
    if (ends_it_) session_.load()->stop(true);
  };
  return tools;
}

Result<std::unique_ptr<WatchPipeline>> WatchPipeline::open(const std::string& file,
                                                           const std::vector<std::string>& sources,
                                                           std::shared_ptr<retrieve::Memory> memory,
                                                           const std::string& session, Clock& clock) {
  auto plan = load_fitting_pipeline(file, sources, memory != nullptr);
  if (!plan) return tl::unexpected(plan.error());
  std::unique_ptr<WatchPipeline> pipeline(new WatchPipeline(clock));
  net::ClientOptions options;
  options.allow = nullptr;  // the operator names the addresses
  auto client = net::Client::make(options);
  if (!client) return tl::unexpected(client.error());
  pipeline->client_ = std::move(*client);
  auto run = PipelineRun::create(std::move(*plan), pipeline->tools(std::move(memory), session), clock);
  if (!run) return tl::unexpected(run.error());
  pipeline->run_ = std::move(*run);
  return pipeline;
}

void WatchPipeline::configure(SessionOptions& options) {
  ends_it_ = !options.stay_open;
  options.stay_open = true;
  run_->attach(options);
}

void WatchPipeline::begin(Watch& watch, UtcTime zero) {
  session_ = &watch.session();
  run_->begin([zero] { return zero; });
}

bool WatchPipeline::close() {
  run_.reset();
  const SteadyTime patience = clock_.now() + std::chrono::seconds(20);
  std::mutex mutex;
  Signal never(clock_);
  std::unique_lock lock(mutex);
  while (webhooks_.counts().waiting > 0 && clock_.now() < patience)
    never.wait_until(lock, clock_.now() + Milliseconds(20), [] { return false; });
  const WebhookCounts counts = webhooks_.counts();
  const std::uint64_t lost = counts.waiting + counts.dead;
  if (lost > 0) say("braid: {} of the pipeline's posts weren't taken by their webhooks\n", lost);
  return lost == 0;
}

}  // namespace braid::serve
