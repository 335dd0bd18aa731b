// `braid pipeline check FILE`

#include <fmt/format.h>

#include <boost/json.hpp>
#include <memory>
#include <string>

#include "braid/serve/pipeline.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/say.h"

namespace braid::serve {

namespace {

struct CheckFlags {
  std::string file;
  bool json = false;
};

std::string trigger_words(const PipelineStage& stage) {
  if (!stage.trigger_on)
    return fmt::format("every {:g} s, of {:g} s", to_seconds(stage.time_window->hop),
                       to_seconds(stage.time_window->length));
  const StageTrigger& trigger = *stage.trigger_on;
  std::string words = trigger.stage.empty() ? "" : "after " + trigger.stage;
  if (!trigger.source.empty()) words += trigger.source + " ";
  if (trigger.event) words += to_string(*trigger.event);
  words += trigger.channel;
  if (trigger.above) words += fmt::format(" above {:g}", *trigger.above);
  if (trigger.below) words += fmt::format(" below {:g}", *trigger.below);
  if (trigger.equals) words += " = " + *trigger.equals;
  if (!trigger.contains.empty()) words += " \"" + trigger.contains + "\"";
  return words;
}

/// The stages that a trigger leads to, each behind the one that it waits for.
void print_from(const PipelinePlan& plan, const std::string& parent, int depth) {
  for (const PipelineStage& stage : plan.stages) {
    const std::string after = stage.trigger_on ? stage.trigger_on->stage : "";
    if (after != parent) continue;
    fmt::print("{:{}}{}: {} ({})\n", "", 2 * depth, stage.name, to_string(stage.action),
               trigger_words(stage));
    print_from(plan, stage.name, depth + 1);
  }
}

int check(const CheckFlags& flags) {
  const auto plan = load_pipeline(flags.file);
  if (!plan) {
    say("braid pipeline: {}\n", plan.error().message);
    return exit_code(plan.error().code);
  }
  if (!flags.json) {
    print_from(*plan, "", 0);
    return kDone;
  }
  boost::json::array stages;
  for (const PipelineStage& stage : plan->stages)
    stages.push_back({{"name", stage.name},
                      {"action", to_string(stage.action)},
                      {"after", stage.trigger_on ? stage.trigger_on->stage : ""},
                      {"trigger", trigger_words(stage)}});
  fmt::print("{}\n", boost::json::serialize(boost::json::object{{"object", "pipeline"}, {"stages", stages}}));
  return kDone;
}

}  // namespace

void add_pipeline(CLI::App& app, Command& run) {
  auto* command = app.add_subcommand("pipeline", "look at a file of stages for watch and serve");
  command->require_subcommand(1);
  auto* checked = command->add_subcommand("check", "say what its stages do, or what is wrong with them");
  const auto flags = std::make_shared<CheckFlags>();
  checked->add_option("FILE", flags->file, "TOML, docs/pipelines.md")->required();
  checked->add_flag("--json", flags->json, "a JSON object");
  checked->callback([flags, &run] { run = [flags] { return check(*flags); }; });
}

}  // namespace braid::serve
