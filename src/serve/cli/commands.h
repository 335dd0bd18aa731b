#pragma once
// The verbs of the command line. Each adds itself to the app; the chosen one's body is put into `run`.

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

#include "braid/serve/server.h"

namespace braid::serve {

/// Returns the exit code.
using Command = std::function<int()>;
using ServerStart = std::function<Result<std::unique_ptr<Server>>(ServerConfig, Clock&)>;

void add_watch(CLI::App& app, Command& run);
/// `start` makes the server; empty: Server::start, on the model that the configuration names.
void add_serve(CLI::App& app, Command& run, ServerStart start = {});
void add_models(CLI::App& app, Command& run);
void add_memory(CLI::App& app, Command& run);
void add_clock(CLI::App& app, Command& run);
void add_pipeline(CLI::App& app, Command& run);
void add_replay(CLI::App& app, Command& run);

}  // namespace braid::serve
