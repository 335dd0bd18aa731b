#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>

#include "braid/base/clock.h"
#include "braid/serve/server.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/interrupts.h"
#include "cli/notify.h"
#include "cli/say.h"
#include "config/config.h"

namespace braid::serve {

namespace {

struct ServeFlags {
  ServerConfig config = default_config();
  Status file_read;  // of --config
  bool print_config = false;
};

/// First of the flags: CLI11 runs them in the order in which they were added, so the others override.
void add_config_flags(CLI::App& command, ServeFlags& flags) {
  command
      .add_option_function<std::string>(
          "--config",
          [&flags](const std::string& path) {
            auto config = load_config(path);
            if (config)
              flags.config = std::move(*config);
            else
              flags.file_read = tl::unexpected(config.error());
          },
          "TOML file of settings; flags override it")
      ->type_name("FILE");
  command.add_flag("--print-config", flags.print_config, "print all settings as such a file, and end");
}

void add_report_flags(CLI::App& command, ServerConfig& config) {
  command.add_flag("--vllm-metric-names", config.metrics.vllm_names, "give metrics under vLLM's names too");
  command
      .add_option("--otlp-url", config.tracing.otlp_url,
                  "OpenTelemetry collector that spans are sent to, as http://localhost:4318")
      ->type_name("URL");
}

void add_model_flags(CLI::App& command, ServerConfig& config) {
  command
      .add_option("-m,--model", config.model.model, "GGUF of the language model; default: the bundled one")
      ->type_name("FILE");
  command.add_option("--mmproj", config.model.mmproj, "GGUF of its encoders")->type_name("FILE");
  command.add_option("--lora", config.model.lora, "GGUF adapter, applied live")->type_name("FILE");
  command.add_option("-t,--threads", config.model.threads, "CPU threads; 0: all that may be used")
      ->check(CLI::Range(0, 512))
      ->capture_default_str();
  command.add_option("--gpu-layers", config.model.gpu_layers, "layers on a GPU; -1: all")
      ->check(CLI::Range(-1, 10000))
      ->capture_default_str();
  command.add_option("--kv-cells", config.kv_cells, "KV cells, shared by all sessions and requests")
      ->check(CLI::Range(512, 1 << 24))
      ->capture_default_str();
  command.add_option("--vad", config.vad, "speech detector: silero, energy, off")
      ->check(CLI::IsMember({"silero", "energy", "off"}))
      ->capture_default_str();
}

void add_session_flags(CLI::App& command, ServerConfig& config) {
  command.add_option("SOURCE", config.sources, "sources of a session that lives as long as the server")
      ->type_name("");
  command.add_option("--sessions", config.max_sessions, "sessions that may be open at once")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command
      .add_option("--state-dir", config.durability.state_dir,
                  "folder where sessions are kept, so that they outlive the process")
      ->type_name("DIR");
  command
      .add_option("--memory", config.memory.dir,
                  "folder where what sessions perceive and answer is kept, one below it for each key, and "
                  "looked up for questions (docs/memory.md)")
      ->type_name("DIR");
  command
      .add_option(
          "--pipeline", config.pipeline,
          "TOML file of stages: what is done when something happens to the SOURCEs (docs/pipelines.md)")
      ->type_name("FILE");
  command
      .add_option(
          "--embedder", config.memory.embedder,
          "GGUF of the model that makes vectors of texts; off: none. Default: all-MiniLM-L6-v2, where "
          "it was prepared")
      ->type_name("FILE");
  command.add_option("--window-tokens", config.session.window.max_rows, "rows of a session's window")
      ->check(CLI::Range(64, 1 << 22))
      ->capture_default_str();
  command.add_option("--max-tokens", config.session.max_answer_tokens, "longest answer of a session, tokens")
      ->check(CLI::Range(1, 1 << 16))
      ->capture_default_str();
}

void add_network_flags(CLI::App& command, ServerConfig& config) {
  command.add_option("--address", config.address, "IP address to listen on; 0.0.0.0: all")
      ->capture_default_str();
  command.add_option("--port", config.port, "port; 0: any free one")
      ->check(CLI::Range(0, 65'535))
      ->capture_default_str();
  command.add_option("--tls-cert", config.tls_cert, "PEM file of the certificate chain")->type_name("FILE");
  command.add_option("--tls-key", config.tls_key, "PEM file of its key")->type_name("FILE");
  command
      .add_option("--keys", config.keys_file,
                  "file of hashed API keys, one a line; needed beyond a loopback address")
      ->type_name("FILE");
  command
      .add_option(
          "--media-host", config.remote_media.hosts,
          "host that media named by URL may come from, as example.com, *.example.com; may be repeated")
      ->type_name("HOST");
  command.add_option("--cors-origin", config.cors_origins, "origin whose pages may ask; may be repeated")
      ->type_name("URL");
}

int fail_with(const Error& error) {
  say("braid serve: {}\n", error.message);
  return exit_code(error.code);
}

int run_serve(const ServeFlags& flags, const ServerStart& start) {
  if (!flags.file_read) return fail_with(flags.file_read.error());
  if (flags.print_config) {
    fmt::print("{}", print_config(flags.config));
    return kDone;
  }
  RealClock clock;
  std::mutex mutex;
  Signal interrupted(clock);
  int signals = 0;
  std::atomic<bool> serving = false;
  Interrupts interrupts([&](int count) {
    // While the model loads nothing has begun that could be ended in order.
    if (!serving || count > 2) _exit(kSignalled + Interrupts::last());
    std::lock_guard lock(mutex);
    signals = count;
    interrupted.notify_all();
  });
  if (!start)
    if (Status sound = Server::check(flags.config, clock); !sound) return fail_with(sound.error());
  say("braid: loading the model\n");
  auto server = start ? start(flags.config, clock) : Server::start(flags.config, clock);
  if (!server) return fail_with(server.error());
  serving = true;
  say("braid: {} on {}; listening on {}\n", (*server)->model().name, (*server)->model().device,
      (*server)->url());
  notify_manager("READY=1");
  std::unique_lock lock(mutex);
  interrupted.wait(lock, [&] { return signals > 0; });
  lock.unlock();
  notify_manager("STOPPING=1");
  const Milliseconds grace = flags.config.stop_grace;
  say("braid: stopping; open answers may take {} s more\n", to_seconds(grace));
  (*server)->stop(grace);
  return kDone;
}

}  // namespace

void add_serve(CLI::App& app, Command& run, ServerStart start) {
  auto* command = app.add_subcommand(
      "serve", "answer over the OpenAI protocols: many live sessions and requests on one model");
  auto flags = std::make_shared<ServeFlags>();
  add_config_flags(*command, *flags);
  add_session_flags(*command, flags->config);
  add_report_flags(*command, flags->config);
  add_network_flags(*command, flags->config);
  add_model_flags(*command, flags->config);
  command
      ->add_option_function<double>(
          "--grace",
          [flags](double seconds) {
            flags->config.stop_grace = std::chrono::duration_cast<Milliseconds>(from_seconds(seconds));
          },
          "seconds that open answers may take at the end; default 10")
      ->check(CLI::Range(0.0, 3600.0))
      ->type_name("S");
  command->callback(
      [flags, &run, start = std::move(start)] { run = [flags, start] { return run_serve(*flags, start); }; });
}

}  // namespace braid::serve
