#include "braid/serve/watch.h"

#include <map>
#include <utility>

#include "braid/engine/llama_engine.h"
#include "session/session_work.h"
#include "watch/model_files.h"

namespace braid::serve {

Result<std::unique_ptr<Watch>> Watch::open(WatchConfig config, Clock& clock, deliver::EventSink& sink) {
  std::unique_ptr<Watch> watch(new Watch(std::move(config), clock));
  Status status = watch->open_sources();
  if (status) status = watch->load_engine();
  if (status) status = watch->load_speech();
  if (status) status = watch->start_session(sink);
  if (!status) return tl::unexpected(status.error());
  return watch;
}

Watch::~Watch() = default;

Status Watch::open_sources() {
  config_.ingest.realtime = config_.session.realtime;
  config_.ingest.session_start = [this] { return session_->started_at(); };
  std::map<std::string, int> names;
  for (const std::string& text : config_.sources) {
    auto spec = ingest::parse_source_spec(text);
    if (!spec) return tl::unexpected(spec.error());
    // Names made from files' names may be the same; given ones are taken as they are.
    const bool given = text.find("name=") != std::string::npos;
    if (const int count = ++names[spec->name]; count > 1 && !given) spec->name += "-" + std::to_string(count);
    auto source = ingest::open_source(*spec, config_.ingest, clock_);
    if (!source) return tl::unexpected(source.error());
    // A live source goes with the clock whether or not anybody says so.
    if ((*source)->info().live) config_.session.realtime = true;
    sources_.push_back(std::move(*source));
  }
  return {};
}

Status Watch::load_engine() {
  auto files = with_default_model(config_.model);
  if (!files) return tl::unexpected(files.error());
  engine::LlamaOptions llama;
  llama.model = files->model;
  llama.mmproj = files->mmproj;
  llama.lora = files->lora;
  llama.system = files->system;
  llama.threads = files->threads;
  llama.gpu_layers = files->gpu_layers;
  llama.deterministic = config_.host.deterministic;
  llama.cells = cells_needed(config_.session);
  llama.max_sequences = sequences_needed(config_.session);
  auto engine = engine::load_llama(llama);
  if (!engine) return tl::unexpected(engine.error());
  engine_ = std::move(*engine);
  host_ = std::make_unique<EngineHost>(engine_, clock_, config_.host);
  return {};
}

Status Watch::load_speech() {
  if (config_.vad == "off" || !engine_.info.hears) return {};
  if (config_.vad == "energy") {
    speech_ = sync::make_energy_detector();
    return {};
  }
  auto file = speech_model_file();
  if (!file) return tl::unexpected(file.error());
  auto detector = sync::make_silero_detector(*file);
  if (!detector) return tl::unexpected(detector.error());
  speech_ = std::move(*detector);
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
