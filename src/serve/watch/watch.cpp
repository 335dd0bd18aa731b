#include "braid/serve/watch.h"

#include <utility>
#include <vector>

#include "session/session_work.h"
#include "watch/load_model.h"
#include "watch/source_specs.h"

namespace braid::serve {

Result<std::unique_ptr<Watch>> Watch::open(WatchConfig config, Clock& clock, deliver::EventSink& sink) {
  std::unique_ptr<Watch> watch(new Watch(std::move(config), clock));
  Status status = watch->open_sources();
  if (status) status = watch->load_model();
  if (status) status = watch->start_session(sink);
  if (!status) return tl::unexpected(status.error());
  return watch;
}

Watch::~Watch() = default;

Status Watch::open_sources() {
  auto specs = parse_sources(config_.sources);
  if (!specs) return tl::unexpected(specs.error());
  // A live source goes with the clock whether or not anybody says so, and what is beside it too.
  for (const ingest::SourceSpec& spec : *specs)
    config_.session.realtime = config_.session.realtime || spec.live;
  config_.ingest.realtime = config_.session.realtime;
  config_.session.clocks = std::make_shared<SessionClocks>();
  config_.ingest.clocks = clocks_of_sources(config_.session.clocks);
  config_.ingest.session_start = [this] { return session_->started_at(); };
  for (const ingest::SourceSpec& spec : *specs) {
    auto source = ingest::open_source(spec, config_.ingest, clock_);
    if (!source) return tl::unexpected(source.error());
    sources_.push_back(std::move(*source));
  }
  return {};
}

Status Watch::load_model() {
  auto engine = load_engine(config_.model, {.cells = cells_at_most(config_.session),
                                            .max_sequences = sequences_at_most(config_.session),
                                            .deterministic = config_.host.deterministic});
  if (!engine) return tl::unexpected(engine.error());
  engine_ = std::move(*engine);
  host_ = std::make_unique<EngineHost>(engine_, clock_, config_.host);
  auto speech = load_speech(config_.vad, engine_.info);
  if (!speech) return tl::unexpected(speech.error());
  speech_ = std::move(*speech);
  return {};
}

Status Watch::start_session(deliver::EventSink& sink) {
  auto session = Session::create(config_.session, *host_, speech_.get(), clock_, sink);
  if (!session) return tl::unexpected(session.error());
  session_ = std::move(*session);
  for (auto& source : sources_)
    if (auto added = session_->add_source(std::move(source)); !added) return tl::unexpected(added.error());
  sources_.clear();
  return {};
}

}  // namespace braid::serve
