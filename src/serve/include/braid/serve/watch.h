#pragma once
// A model, its sources and a session in one object: what `braid watch` runs, and the library's front door.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "braid/ingest/open.h"
#include "braid/serve/session.h"

namespace braid::serve {

/// Which files the model is made of.
struct ModelChoice {
  std::string model, mmproj, lora;    ///< GGUF files; all empty: the default model
  std::optional<std::string> system;  ///< system text; none: what the model's template says by itself
  int threads = 0;                    ///< CPU threads; 0: all this process may use
  int gpu_layers = -1;                ///< layers on a GPU if there is one; -1: all
};

struct WatchConfig {
  std::vector<std::string> sources;  ///< as `braid watch --help` describes them; at least one
  ModelChoice model;
  SessionOptions session;
  HostOptions host;
  ingest::IngestOptions ingest;
  std::string vad = "silero";  ///< speech detector: silero, energy, off
  std::string record;          ///< file to record to, which must not be there yet; empty: none
};

class Recorder;

/// Threads as Session's. The clock and the sink outlive it.
class Watch {
 public:
  /// Loads the model and opens the sources; blocks for seconds. Errors are those of load_llama, open_source
  /// and Session, and kNotFound where the default model has not been prepared.
  static Result<std::unique_ptr<Watch>> open(WatchConfig config, Clock& clock, deliver::EventSink& sink);
  ~Watch();

  Session& session() { return *session_; }
  const engine::EngineInfo& model() const { return engine_.info; }
  /// After the session's wait(): the recording is whole. kFull, kResource: it ends before the session did.
  Status finish_recording();
  /// Any source is live, or the session was told to follow the clock.
  bool realtime() const { return config_.session.realtime; }

 private:
  Watch(WatchConfig config, Clock& clock) : config_(std::move(config)), clock_(clock) {}
  Status open_recording();
  Status open_sources();
  Status load_model();
  Status start_session(deliver::EventSink& sink);

  WatchConfig config_;
  Clock& clock_;
  std::shared_ptr<Recorder> recorder_;  // null: nothing is recorded
  std::vector<std::unique_ptr<ingest::Source>> sources_;
  engine::Engine engine_;
  std::unique_ptr<EngineHost> host_;
  std::unique_ptr<sync::SpeechDetectorFactory> speech_;
  std::unique_ptr<Session> session_;
};

}  // namespace braid::serve
