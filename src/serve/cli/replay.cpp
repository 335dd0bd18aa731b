#include <fmt/format.h>

#include <boost/json.hpp>
#include <memory>
#include <optional>
#include <string>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/say.h"
#include "record/replay.h"
#include "watch/load_model.h"

namespace braid::serve {

namespace {

namespace json = boost::json;

struct ReplayChoice {
  std::string file;
  double speed = 0;  // 0: as fast as it goes
  bool at_once = false, json = false, with_model = false;
  ModelChoice model;
};

int give_up(const Error& error) {
  say("braid: {}\n", error.message);
  return exit_code(error.code);
}

const char* state_of(const Recording& recording) {
  return recording.lost() ? "incomplete" : recording.ended() ? "whole" : "cut";
}

std::string sentence(const Recording& recording) {
  if (recording.lost()) return "incomplete: events came faster than they could be written";
  if (recording.ended()) return "the whole session";
  return fmt::format("cut short: {} bytes at its end are no whole event", recording.torn_bytes());
}

void print(const Recording& recording, const ReplayReport& report) {
  fmt::print("recorded by {} with {}; {} events, {}\n", recording.opened().program,
             recording.opened().model.name, recording.events(), sentence(recording));
  fmt::print(
      "as recorded: {} windows, {} filter decisions ({} frames had been dropped before), {} steps, {} "
      "tokens, {} answers\n",
      report.windows, report.decisions, report.dropped, report.steps, report.tokens, report.answers);
  if (report.difference) fmt::print("the first difference: {}\n", *report.difference);
}

void print_json(const Recording& recording, const ReplayReport& report) {
  json::object out{{"recording", state_of(recording)}, {"events", recording.events()},
                   {"windows", report.windows},        {"decisions", report.decisions},
                   {"dropped", report.dropped},        {"steps", report.steps},
                   {"tokens", report.tokens},          {"answers", report.answers}};
  if (report.difference) out["difference"] = *report.difference;
  fmt::print("{}\n", json::serialize(out));
}

/// One that goes with the recording's clock, so many times as fast.
std::function<void(SteadyTime)> pace_of(const Opened& opened, double speed, Clock& clock) {
  if (speed <= 0) return nullptr;
  return [start = clock.now(), begin = opened.at, speed, &clock](SteadyTime at) {
    clock.sleep_until(start + from_seconds(to_seconds(at - begin) / speed));
  };
}

int run_replay(const ReplayChoice& choice) {
  auto recording = Recording::open(choice.file);
  if (!recording) return give_up(recording.error());
  RealClock clock;
  ReplayOptions options;
  std::optional<engine::Engine> engine;
  const Opened& opened = recording->opened();
  if (choice.with_model) {
    auto loaded = load_engine(choice.model, {.cells = opened.model.cells,
                                             .max_sequences = opened.model.max_sequences,
                                             .deterministic = opened.host.deterministic});
    if (!loaded) return give_up(loaded.error());
    options.model = &engine.emplace(std::move(*loaded));
  }
  options.pace = pace_of(opened, choice.speed, clock);
  const auto report = replay(*recording, options);
  if (!report) return give_up(report.error());
  choice.json ? print_json(*recording, *report) : print(*recording, *report);
  return report->difference ? kCheckFailed : kDone;
}

void add_model_choice(CLI::App& command, ReplayChoice& choice) {
  auto* with = command.add_flag("--with-model", choice.with_model,
                                "compute every step with the model, to compare its tokens: the same in a "
                                "recording made with --deterministic, by the same build on such a CPU");
  const auto file = [&](const char* name, std::string& to, const char* what) {
    command.add_option(name, to, what)->needs(with)->type_name("FILE");
  };
  file("-m,--model", choice.model.model, "GGUF of the language model (default: the nano model)");
  file("--mmproj", choice.model.mmproj, "GGUF of its encoders");
  file("--lora", choice.model.lora, "GGUF adapter, applied live");
  command.add_option("--system", choice.model.system, "system text (default: the model's own)")
      ->needs(with)
      ->type_name("TEXT");
  command.add_option("-t,--threads", choice.model.threads, "CPU threads; 0: all this process may use")
      ->needs(with)
      ->check(CLI::Range(0, 512));
}

}  // namespace

void add_replay(CLI::App& app, Command& run) {
  auto* command =
      app.add_subcommand("replay", "do a recorded session again and say whether it goes the same way");
  auto choice = std::make_shared<ReplayChoice>();
  command->add_option("FILE", choice->file, "what braid watch --record wrote")->required()->type_name("");
  auto* speed = command->add_option("--speed", choice->speed, "so many times as fast as it was")
                    ->check(CLI::Range(0.01, 1000.0))
                    ->type_name("X");
  command->add_flag("--virtual", choice->at_once, "as fast as it goes (default)")->excludes(speed);
  command->add_flag("--json", choice->json, "one JSON object in place of the text");
  add_model_choice(*command, *choice);
  command->footer("Exit code 1: something differs; the first difference is said. docs/time.md explains it.");
  command->callback([choice, &run] { run = [choice] { return run_replay(*choice); }; });
}

}  // namespace braid::serve
