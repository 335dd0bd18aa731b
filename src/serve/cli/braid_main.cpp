// The `braid` program.

#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>

#include "braid/base/log.h"
#include "cli/commands.h"
#include "cli/exit_code.h"

namespace {

constexpr const char* kFooter =
    "Exit codes: 0 done, 1 a check or an answer failed, 2 usage, 3 bad input, 4 a resource is missing.";

int run(int argc, char** argv) {
  using namespace braid::serve;
  CLI::App app(
      "Braid: ask questions of live video, sound, logs and text, and see where the milliseconds went.",
      "braid");
  app.set_version_flag("--version", std::string("braid ") + BRAID_VERSION);
  app.require_subcommand(1);
  app.footer(kFooter);
  std::string level = "warning";
  app.add_option("--log-level", level, "diagnostics on standard error: debug, info, warning, error, off")
      ->check(CLI::IsMember({"debug", "info", "warning", "error", "off"}))
      ->capture_default_str();
  Command command;
  add_watch(app, command);
  add_serve(app, command);
  add_models(app, command);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? kDone : kUsageError;
  }
  using braid::LogLevel;
  const std::map<std::string, LogLevel> levels = {{"debug", LogLevel::kDebug},
                                                  {"info", LogLevel::kInfo},
                                                  {"warning", LogLevel::kWarning},
                                                  {"error", LogLevel::kError},
                                                  {"off", LogLevel::kOff}};
  braid::set_log_level(levels.at(level));
  return command();
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "braid: %s\n", error.what());
    return braid::serve::kCheckFailed;
  }
}
