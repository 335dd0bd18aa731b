#pragma once
// The verbs of the command line. Each adds itself to the app; the chosen one's body is put into `run`.

#include <CLI/CLI.hpp>
#include <functional>

namespace braid::serve {

/// Returns the exit code.
using Command = std::function<int()>;

void add_watch(CLI::App& app, Command& run);
void add_serve(CLI::App& app, Command& run);
void add_models(CLI::App& app, Command& run);

}  // namespace braid::serve
