// The `braid` program.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "braid/base/log.h"
#include "braid/base/nearest.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/help_format.h"
#include "cli/say.h"

namespace {

constexpr const char* kFooter =
    "Exit codes: 0 done, 1 a check or an answer failed or was cancelled, 2 usage, 3 bad input,\n"
    "4 no memory, disk or room, 130 or 143 ended at once by Ctrl-C or SIGTERM.";

/// CLI11 speaks of a missing command, not of the one that was written.
std::optional<std::string> unknown_command(const CLI::App& root, int argc, char** argv) {
  const CLI::App* app = &root;
  std::string so_far = "braid";
  for (int i = 1; i < argc && argv[i][0] != '-' && app->get_require_subcommand_min() > 0; ++i) {
    const auto commands = app->get_subcommands([](const CLI::App*) { return true; });
    std::vector<std::string_view> known;
    app = nullptr;
    for (const CLI::App* command : commands) {
      known.push_back(command->get_name());
      if (command->get_name() == argv[i]) app = command;
    }
    if (app == nullptr)
      return fmt::format("{}: no command '{}': {} ({} --help)", so_far, argv[i],
                         braid::did_you_mean(argv[i], known), so_far);
    so_far += fmt::format(" {}", argv[i]);
  }
  return std::nullopt;
}

/// CLI11 names all that it couldn't place, not what may have been meant.
std::string not_expected(const CLI::App& root) {
  const CLI::App* app = &root;
  std::string name = "braid";
  while (!app->get_subcommands().empty()) {
    app = app->get_subcommands().front();
    name += " " + app->get_name();
  }
  const std::string first = root.remaining(true).front();
  if (!first.starts_with("--"))
    return fmt::format("{}: one word too many: '{}'; put quotes around what belongs together ({} --help)",
                       name, first, name);
  std::vector<std::string_view> flags;
  for (const CLI::Option* option : app->get_options())
    flags.insert(flags.end(), option->get_lnames().begin(), option->get_lnames().end());
  const std::string written = first.substr(0, first.find('='));
  const std::string_view meant = braid::nearest(std::string_view(written).substr(2), flags);
  return fmt::format("{}: no flag {}{} ({} --help)", name, written,
                     meant.empty() ? "" : fmt::format("; did you mean --{}?", meant), name);
}

/// Taken before and after the command's name.
void add_log_level(CLI::App& app, std::string& level) {
  app.add_option("--log-level", level, "diagnostics on standard error: debug, info, warning, error, off")
      ->check(CLI::IsMember({"debug", "info", "warning", "error", "off"}))
      ->capture_default_str();
}

/// What was printed and can't be written makes a failure of what was done.
int written(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  if (code != braid::serve::kDone || errno == EPIPE) return code;
  braid::serve::say("braid: can't write the output: {}\n", std::strerror(errno));
  return braid::serve::kResourceError;
}

int run(int argc, char** argv) {
  using namespace braid::serve;
  CLI::App app(
      "Braid: ask questions of live video, sound, logs and text, and see where the milliseconds went.",
      "braid");
  app.set_version_flag("--version", std::string("braid ") + BRAID_VERSION);
  app.formatter(std::make_shared<HelpFormat>());
  app.require_subcommand(1);
  app.footer(kFooter);
  std::string level = "warning";
  add_log_level(app, level);
  Command command;
  add_watch(app, command);
  add_serve(app, command);
  add_models(app, command);
  add_memory(app, command);
  add_clock(app, command);
  add_pipeline(app, command);
  add_replay(app, command);
  for (CLI::App* subcommand : app.get_subcommands([](CLI::App*) { return true; }))
    add_log_level(*subcommand, level);
  if (const auto unknown = unknown_command(app, argc, argv)) {
    say("{}\n", *unknown);
    return kUsageError;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    say("{}\n", not_expected(app));
    return kUsageError;
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
  return written(command());
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error, as a full disk is
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "braid: no memory left; close other programs or raise the limit (ulimit -v)\n");
    return braid::serve::kResourceError;
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "braid: the system refused (%s); raise its limits (ulimit -a shows them)\n",
                 error.what());
    return braid::serve::kResourceError;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "braid: %s\n", error.what());
    return braid::serve::kCheckFailed;
  }
}
