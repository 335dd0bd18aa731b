#include "braid/serve/watch.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "record/recording_engine.h"
#include "session/session_work.h"
#include "watch/load_model.h"
#include "watch/source_specs.h"

namespace braid::serve {

Result<std::unique_ptr<Watch>> Watch::open(WatchConfig config, Clock& clock, deliver::EventSink& sink) {
  std::unique_ptr<Watch> watch(new Watch(std::move(config), clock));
  Status status = watch->open_sources();
  if (status) status = watch->open_recording();
  if (status) status = watch->load_model();
  if (status) status = watch->start_session(sink);
  if (status) return watch;
  // A recording of nothing is none.
  if (watch->recorder_) std::filesystem::remove(watch->config_.record);
  return tl::unexpected(status.error());
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

Status Watch::open_recording() {
  if (config_.record.empty()) return {};
  // What follows the clock isn't held up for a disk.
  auto recorder = Recorder::create(config_.record, clock_, {.wait = !config_.session.realtime});
  if (!recorder) return tl::unexpected(recorder.error());
  recorder_ = std::move(*recorder);
  config_.session.log = recorder_.get();
  return {};
}

Status Watch::finish_recording() { return recorder_ ? recorder_->finish() : Status(); }

Status Watch::load_model() {
  auto engine = load_engine(config_.model, {.cells = cells_at_most(config_.session),
                                            .max_sequences = sequences_at_most(config_.session),
                                            .deterministic = config_.host.deterministic});
  if (!engine) return tl::unexpected(engine.error());
  engine_ = recorder_ ? record_engine(std::move(*engine), recorder_) : std::move(*engine);
  host_ = std::make_unique<EngineHost>(engine_, clock_, config_.host);
  auto speech = load_speech(config_.vad, engine_.info);
  if (!speech) return tl::unexpected(speech.error());
  speech_ = recorder_ ? record_speech(std::move(*speech), recorder_) : std::move(*speech);
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
