// `braid serve` over the scripted engine, for tests from outside: no model, nothing to load, any sanitizer.
// An answer names what its sequence holds, so a client that harms another's context is seen in the other's
// text.

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <utility>

#include "braid/engine/scripted_engine.h"
#include "cli/commands.h"
#include "cli/exit_code.h"

namespace {

using namespace braid;

engine::ScriptedOptions scripted(const serve::ServerConfig& config) {
  engine::ScriptedOptions options;
  options.cells = config.kv_cells;
  options.max_sequences = config.sequences;
  options.frame_encode_cost = Microseconds(500);
  options.utterance_encode_cost = Microseconds(500);
  options.step_cost = Microseconds(200);
  options.row_cost = Microseconds(1);
  options.rules = {{"count", "one two three four five six seven eight nine ten eleven twelve"},
                   {"witness", "I see {seen}. I said {said}. I read {read}."}};
  return options;
}

Result<std::unique_ptr<serve::Server>> start(serve::ServerConfig config, Clock& clock) {
  auto made = engine::make_scripted_engine(clock, scripted(config));
  return serve::Server::start(std::move(config), std::move(made.engine), clock);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  CLI::App app("Braid's server over the scripted engine.", "braid_scripted");
  app.require_subcommand(1);
  serve::Command command;
  serve::add_serve(app, command, start);
  CLI11_PARSE(app, argc, argv);
  return command();
}
