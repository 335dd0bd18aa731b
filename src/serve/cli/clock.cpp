#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "braid/net/client.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/say.h"
#include "clocks/clock_log.h"
#include "clocks/clock_report.h"

namespace braid::serve {

namespace {

struct ClockChoice {
  std::string what, server = "http://127.0.0.1:8080", key, svg;
  bool json = false;
};

int give_up(const Error& error) {
  say("braid: {}\n", error.message);
  return exit_code(error.code);
}

void print(const std::vector<ClockState>& clocks, bool json) {
  fmt::print("{}", json ? print_clocks(clocks) + "\n" : clock_table(clocks));
}

Result<std::vector<ClockState>> ask_server(const ClockChoice& choice) {
  net::ClientOptions options;
  options.allow = nullptr;
  auto client = net::Client::make(std::move(options));
  if (!client) return tl::unexpected(client.error());
  net::ClientRequest request;
  request.url = choice.server + "/v1/sessions/" + choice.what + "/clocks";
  const char* const from_environment = std::getenv("BRAID_KEY");
  const std::string key = !choice.key.empty() ? choice.key : from_environment ? from_environment : "";
  if (!key.empty()) request.headers.add("Authorization", "Bearer " + key);
  const auto answer = (*client)->fetch(std::move(request));
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status == 200) return parse_clocks(answer->body);
  return fail(ErrorCode::kNotFound, fmt::format("{} answered {} about session {}: {}", choice.server,
                                                answer->status, choice.what, answer->body.substr(0, 300)));
}

int show_log(const ClockChoice& choice, std::istream& in) {
  const auto log = read_clock_log(in);
  if (!log) return give_up({log.error().code, choice.what + ": " + log.error().message});
  print(log->clocks, choice.json);
  if (choice.svg.empty()) return kDone;
  std::ofstream out(choice.svg);
  out << clock_svg(*log);
  if (out.flush()) return kDone;
  return give_up({ErrorCode::kResource, choice.svg + ": can't be written"});
}

int show(const ClockChoice& choice) {
  if (choice.what == "-") return show_log(choice, std::cin);
  if (!choice.what.starts_with("sess_")) {
    std::ifstream file(choice.what);
    if (!file) return give_up({ErrorCode::kNotFound, choice.what + ": there is no such file"});
    return show_log(choice, file);
  }
  if (!choice.svg.empty())
    return give_up({ErrorCode::kUsage, "a live session has no plot: --svg is for files of stamps"});
  const auto clocks = ask_server(choice);
  if (!clocks) return give_up(clocks.error());
  print(*clocks, choice.json);
  return kDone;
}

}  // namespace

void add_clock(CLI::App& app, Command& run) {
  auto* command = app.add_subcommand("clock", "show what is known of sources' clocks");
  auto choice = std::make_shared<ClockChoice>();
  command
      ->add_option(
          "WHAT", choice->what,
          "id of a session that lives in a server, or a file of stamps and arrivals (-: standard input)")
      ->required()
      ->type_name("");
  command->add_option("--server", choice->server, "where the session lives")->capture_default_str();
  command->add_option("--key", choice->key, "the server's key; else $BRAID_KEY");
  command->add_flag("--json", choice->json, "one JSON object in place of the table");
  command->add_option("--svg", choice->svg, "file to plot to");
  command->callback([choice, &run] { run = [choice] { return show(*choice); }; });
}

}  // namespace braid::serve
