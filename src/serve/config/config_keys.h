#pragma once
// The one list of what can be configured: reader and printer walk it.

#include <array>
#include <limits>
#include <string_view>

#include "braid/serve/server.h"

namespace braid::serve {

/// Both ends belong to it. Of durations: in the key's unit.
struct Range {
  double low = 0;
  double high = std::numeric_limits<double>::max();
};

inline constexpr Range kAny{std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max()};
inline constexpr Range kShare{0, 1};
inline constexpr Range kDayMs{0, 86'400'000};
inline constexpr Range kBytes{1, 1 << 30};

// A visitor has table(name, meaning) and key(name, field, range, meaning). The unit of a duration is its
// name's ending: _ms or _s.

template <class Config, class Visitor>
void visit_model(Config& config, Visitor& visitor) {
  visitor.table("model", "the model's files; all empty: the bundled one");
  visitor.key("path", config.model.model, kAny, "GGUF of the language model");
  visitor.key("mmproj", config.model.mmproj, kAny, "GGUF of its encoders");
  visitor.key("lora", config.model.lora, kAny, "GGUF adapter, applied live");
  visitor.key("system", config.model.system, kAny, "system text of sessions; left out: the template's own");
  visitor.key("threads", config.model.threads, Range{0, 512}, "CPU threads; 0: all that may be used");
  visitor.key("gpu_layers", config.model.gpu_layers, Range{-1, 10'000}, "layers on a GPU; -1: all");

  visitor.table("engine", "what all sessions and requests share");
  visitor.key("kv_cells", config.kv_cells, Range{512, 1 << 24}, "KV cells");
  visitor.key("sequences", config.sequences, Range{4, 4096}, "timelines, successors and open answers");
  visitor.key("step_target_ms", config.host.step_target, Range{1, 10'000},
              "longest a step is planned to take");
  visitor.key("idle_after_ms", config.host.idle_after, kDayMs,
              "a session idle for longer lends its KV cells to who needs them");
  visitor.key("deterministic", config.host.deterministic, kAny, "fixed chunks, one session a step");
}

template <class Config, class Visitor>
void visit_session(Config& config, Visitor& visitor) {
  auto& session = config.session;
  visitor.table("session", "each live session");
  visitor.key("window_tokens", session.window.max_rows, Range{64, 1 << 22}, "rows of its window");
  visitor.key("window_max_age_s", session.window.max_age, Range{0, 604'800},
              "older chunks are hidden from answers; 0: no limit");
  visitor.key("turn_over_at", session.window.turn_over_at, kShare,
              "share of the window at which its successor is begun");
  visitor.key("keep", session.window.keep, kShare, "share of the window that the successor starts with");
  visitor.key("max_answer_tokens", session.max_answer_tokens, Range{1, 1 << 16}, "longest answer");
  visitor.key("max_open_answers", session.max_open_answers, Range{1, 256}, "answers being made at once");
  visitor.key("max_waiting_questions", session.max_waiting_questions, Range{1, 65'536},
              "questions that wait; more are refused");
  visitor.key("join_turns", session.join_turns, kAny, "answered questions stay in the timeline");
  visitor.key("queue_packets", session.queue, Range{1, 4096}, "packets between two stages");
  visitor.key("frame_patience_ms", session.frame_patience, kDayMs,
              "a question that waited longer, or half its deadline, waits for the newest frame alone");
  visitor.key("live_lateness_ms", session.live_lateness, kDayMs,
              "a live stream silent for longer holds nobody");

  visitor.table("speech", "what is heard as an utterance");
  visitor.key("vad", config.vad, kAny, "speech detector: silero, energy, off");
  visitor.key("preroll_ms", session.sync.preroll, Range{0, 10'000}, "sound kept before speech starts");
  visitor.key("postroll_ms", session.sync.postroll, Range{0, 10'000}, "sound kept after it ends");
  visitor.key("end_silence_ms", session.sync.end_silence, Range{10, 60'000},
              "silence that ends an utterance");
  visitor.key("min_speech_ms", session.sync.min_speech, Range{0, 60'000}, "shorter bursts are noise");
  visitor.key("max_utterance_ms", session.sync.max_utterance, Range{100, 120'000}, "longer ones are split");
  visitor.key("speech_threshold", session.sync.speech_threshold, kShare,
              "probability at which speech starts");
  visitor.key("silence_threshold", session.sync.silence_threshold, kShare,
              "probability under which it may end");

  visitor.table("novelty", "which frames are perceived");
  visitor.key("enabled", session.encode.novelty.enabled, kAny, "frames that show nothing new are dropped");
  visitor.key("cell_threshold", session.encode.novelty.cell_threshold, Range{0, 255},
              "change of luma that is new");
  visitor.key("heartbeat_ms", session.encode.novelty.heartbeat, kDayMs,
              "a frame is kept when the last one is this old; 0: never");
  visitor.key("blank_deviation", session.encode.novelty.blank_deviation, Range{0, 255},
              "frames that deviate less show nothing; 0: off");
}

template <class Config, class Visitor>
void visit_ingest(Config& config, Visitor& visitor) {
  visitor.table("ingest", "how sources are read");
  visitor.key("fps", config.ingest.fps, Range{0.01, 240}, "frames a second");
  visitor.key("max_fps", config.ingest.max_fps, Range{0.01, 240}, "with scene changes");
  visitor.key("max_frame_side_px", config.ingest.max_frame_side, Range{0, 16'384},
              "the longer side is scaled down to it; 0: as it comes");
  auto& limits = config.ingest.limits;
  visitor.key("max_input_side_px", limits.max_side, Range{16, 65'536}, "a larger picture is refused");
  visitor.key("max_input_pixels", limits.max_pixels, Range{256, 1ULL << 32}, "one of more is refused");
  visitor.key("max_streams", limits.max_streams, Range{1, 1024}, "a file of more is refused");
  visitor.key("max_duration_s", limits.max_duration, Range{0, 31'536'000},
              "a longer file is refused; 0: any length");
  visitor.key("max_unpacked_bytes", limits.max_unpacked_bytes, Range{1 << 16, 2147483647.0},
              "a picture, packet or index that unpacks to more is refused");
  visitor.key("max_probe_bytes", limits.max_probe_bytes, Range{4096, 1 << 30}, "read to tell what a file is");
  auto& isolation = config.ingest.isolation;
  visitor.key("isolate", isolation.on, kAny,
              "files, pipes and uploads are decoded in processes of their own");
  visitor.key("max_decoder_bytes", isolation.memory_bytes, Range{1 << 26, 1ULL << 40},
              "memory of one such process");
  visitor.key("max_upload_computing_s", isolation.computing, Range{0, 86'400},
              "processor time to decode one upload; 0: any");
  visitor.key("decoder_patience_ms", isolation.patience, Range{0, 3'600'000},
              "processor time without a frame or sound; 0: any");
  visitor.key("frame_slots", config.ingest.frame_slots, Range{4, 4096}, "frames held of one source");
  visitor.key("network_timeout_ms", config.ingest.network_timeout, Range{100, 86'400'000},
              "a source silent for longer is gone");
}

template <class Config, class Visitor>
void visit_server(Config& config, Visitor& visitor) {
  visitor.table("server", "the network's side");
  visitor.key("address", config.address, kAny, "IP address to listen on; 0.0.0.0: all");
  visitor.key("port", config.port, Range{0, 65'535}, "0: any free one");
  visitor.key("tls_cert_file", config.tls_cert, kAny, "PEM of the certificate chain; empty: no TLS");
  visitor.key("tls_key_file", config.tls_key, kAny, "PEM of its key");
  visitor.key("keys_file", config.keys_file, kAny, "hashed API keys; needed beyond a loopback address");
  visitor.key("cors_origins", config.cors_origins, kAny, "origins whose pages may ask; empty: none");
  visitor.key("max_sessions", config.max_sessions, Range{1, 4096}, "sessions open at once");
  visitor.key("max_sessions_per_key", config.max_sessions_per_key, Range{1, 4096}, "of one API key");
  visitor.key("max_waiting_requests", config.max_waiting_requests, Range{1, 65'536}, "more are refused");
  visitor.key("auth_timeout_ms", config.auth_timeout, Range{100, 600'000},
              "for a Realtime client's key, room and session to be looked at");
  visitor.key("stop_grace_ms", config.stop_grace, Range{0, 3'600'000},
              "that open answers may take at the end");

  visitor.key(
      "client_sources", config.client_sources, kAny,
      "whether clients may name sources, any file or address: local (on a loopback address), all, none");

  visitor.table("pipeline", "what is done when something happens to the configured sources");
  visitor.key("file", config.pipeline, kAny, "TOML file of stages (docs/pipelines.md); empty: none");

  auto& remote = config.remote_media;
  visitor.table("remote_media", "media that requests name by URL");
  visitor.key("hosts", remote.hosts, kAny, "that may be asked, as example.com, *.example.com; empty: none");
  visitor.key("allow_private", remote.allow_private, kAny, "they may have addresses that aren't public");
  visitor.key("max_bytes", remote.max_bytes, kBytes, "of one request's media");
  visitor.key("timeout_ms", remote.timeout, Range{10, 600'000}, "of one request's media together");

  auto& limits = config.limits;
  visitor.table("limits", "what one client, and all of them, can hold");
  visitor.key("header_bytes", limits.header_bytes, kBytes, "request line and headers");
  visitor.key("body_bytes", limits.body_bytes, kBytes, "one request's body");
  visitor.key("bodies_bytes", limits.bodies_bytes, Range{1, 1ULL << 40}, "all requests' bodies");
  visitor.key("connections", limits.connections, Range{1, 1 << 20}, "open at once");
  visitor.key("connections_per_remote", limits.connections_per_remote, Range{1, 1 << 20}, "of one address");
  visitor.key("message_bytes", limits.message_bytes, kBytes, "one WebSocket message");
  visitor.key("outgoing_bytes", limits.outgoing_bytes, kBytes, "waiting for a slow client");
  visitor.key("header_timeout_ms", limits.header_timeout, kDayMs, "for a request's headers");
  visitor.key("body_timeout_ms", limits.body_timeout, kDayMs, "without a byte of a body");
  visitor.key("keep_alive_timeout_ms", limits.keep_alive_timeout, kDayMs, "between two requests");
  visitor.key("write_timeout_ms", limits.write_timeout, kDayMs, "without a byte taken by the client");
  visitor.key("web_socket_timeout_ms", limits.web_socket_timeout, kDayMs,
              "without a frame; half of it idle sends a ping");
}

template <class Config, class Visitor>
void visit_reports(Config& config, Visitor& visitor) {
  visitor.table("metrics", "/metrics");
  visitor.key("open", config.metrics.open, kAny, "needs no key");
  visitor.key("vllm_names", config.metrics.vllm_names, kAny, "vLLM's own names too");

  visitor.table("tracing", "spans to an OpenTelemetry collector");
  visitor.key("otlp_url", config.tracing.otlp_url, kAny,
              "OTLP over HTTP, as http://localhost:4318; empty: off");
  visitor.key("sample_ratio", config.tracing.sample_ratio, kShare, "of requests whose sender hasn't decided");
  visitor.key("max_spans", config.tracing.max_spans, Range{16, 1 << 20}, "waiting; beyond, they are dropped");
  visitor.key("flush_interval_ms", config.tracing.flush_interval, Range{10, 600'000}, "between two posts");

  visitor.table("webhooks", "where answers to standing questions are posted");
  visitor.key("secret_file", config.webhooks.secret.file, kAny, "its content signs posts");
  visitor.key("secret_env", config.webhooks.secret.env, kAny, "or the value of this variable");
  visitor.key("allow_private", config.webhooks.allow_private, kAny, "clients may name private addresses");
  visitor.key("max_attempts", config.webhooks.max_attempts, Range{1, 100}, "posts of one answer");
  visitor.key("backoff_ms", config.webhooks.backoff, Range{1, 3'600'000},
              "before the second; doubled each time");
  visitor.key("max_backoff_ms", config.webhooks.max_backoff, kDayMs, "at most");
  visitor.key("timeout_ms", config.webhooks.timeout, Range{10, 600'000}, "of one attempt");
  visitor.key("max_waiting", config.webhooks.max_waiting, Range{1, 1 << 20}, "beyond, a new one is given up");
}

template <class Config, class Visitor>
void visit_durability(Config& config, Visitor& visitor) {
  auto& durability = config.durability;
  visitor.table("durability", "sessions that outlive the process");
  visitor.key("state_dir", durability.state_dir, kAny, "folder where they are kept; empty: nowhere");
  visitor.key("snapshot_interval_ms", durability.interval, Range{100, 600'000},
              "between two snapshots of a session: what may be lost of it");
  visitor.key("resume_for_s", durability.resume_for, Range{1, 604'800},
              "that a session waits for its client");
  visitor.key("max_bytes", durability.max_bytes, Range{1 << 20, 1ULL << 50}, "kept of all sessions");
  visitor.key("max_bytes_per_key", durability.max_bytes_per_key, Range{1 << 20, 1ULL << 50},
              "of one API key's");
}

template <class Config, class Visitor>
void visit_memory(Config& config, Visitor& visitor) {
  visitor.table("memory", "what sessions perceive and answer, kept to be found again");
  visitor.key("dir", config.memory.dir, kAny, "its folder, one below it for each key; empty: nowhere");
  visitor.key("embedder", config.memory.embedder, kAny,
              "GGUF of the model that makes vectors of texts; empty: the bundled one; off: none");
  visitor.key("max_bytes_per_key", config.memory.max_bytes_per_key, Range{1 << 20, 1ULL << 50},
              "of one memory; beyond, its oldest records are forgotten");
  visitor.key(
      "evidence_tokens", config.memory.evidence_tokens, Range{0, 1 << 16},
      "rows that what is found may take beside a question, at most the window's; 0: of the question's own");
}

/// All but [[source]] and [[question]].
template <class Config, class Visitor>
void visit_config(Config& config, Visitor& visitor) {
  visit_server(config, visitor);
  visit_model(config, visitor);
  visit_session(config, visitor);
  visit_ingest(config, visitor);
  visit_reports(config, visitor);
  visit_durability(config, visitor);
  visit_memory(config, visitor);
}

struct SourceKey {
  const char* name;
  const char* meaning;
};

/// Keys of a [[source]] in the order in which SOURCE names them; what it reads comes last.
inline constexpr std::array<SourceKey, 12> kSourceKeys = {
    {{"name", "how it is called"},
     {"kind", "media, video, audio, subtitle, text, sensor"},
     {"unit", "of a log's times: ns, us, ms, s"},
     {"video", "which of its video streams, from 0"},
     {"audio", "which of its audio streams"},
     {"epoch", "the log's time that is 0, microseconds"},
     {"live", "true: a pipe's times are those of arrival"},
     {"shift", "milliseconds that are added to its times"},
     {"synced", "its sender's wall clock is right to so many milliseconds"},
     {"file", "a path, or"},
     {"url", "an address, or"},
     {"device", "v4l2:..., alsa:..., pulse:..."}}};

/// One [[question]].
template <class Choice, class Visitor>
void visit_question(Choice& question, Visitor& visitor) {
  visitor.key("ask", question.ask, kAny, "what is asked");
  visitor.key("every_s", question.every, Range{0.1, 604'800}, "asked again so much later, or");
  visitor.key("on_event", question.on_event, kAny, "on utterance, scene_change, line or reading");
  visitor.key("webhook", question.webhook, kAny, "where its answers are posted");
  visitor.key("secret_file", question.secret.file, kAny, "its content signs them; empty: as [webhooks]");
  visitor.key("secret_env", question.secret.env, kAny, "or the value of this variable");
  visitor.key("deadline_ms", question.deadline, Range{0.001, 86'400'000}, "from asked to answered");
  visitor.key("max_tokens", question.max_tokens, Range{1, 1 << 16}, "longest answer");
}

/// Seconds or milliseconds, by a duration key's name.
inline double unit_ns(std::string_view key) { return key.ends_with("_ms") ? 1e6 : 1e9; }

}  // namespace braid::serve
