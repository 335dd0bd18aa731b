#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>

#include "braid/base/nearest.h"
#include "braid/net/url.h"
#include "braid/retrieve/record.h"
#include "braid/serve/pipeline.h"
#include "pipeline/pipeline_run.h"
#include "pipeline/stage_text.h"

namespace braid::serve {

namespace {

using Fault = std::optional<PlanFault>;

bool has_window(const PipelineStage& stage) { return stage.duration || stage.time_window; }

/// Looks at one stage, after another, of a plan.
class PlanCheck {
 public:
  explicit PlanCheck(const PipelinePlan& plan) : plan_(plan) {}

  Fault find() {
    if (plan_.stages.empty()) return wrong("stage", "there is no [[stage]]: declare one");
    if (plan_.stages.size() > kMaxPipelineStages)
      return wrong("stage", fmt::format("{} stages; at most {}", plan_.stages.size(), kMaxPipelineStages));
    for (at_ = 0; at_ < plan_.stages.size(); ++at_)
      if (Fault fault = name()) return fault;
    for (at_ = 0; at_ < plan_.stages.size(); ++at_)
      for (const auto part : {&PlanCheck::trigger, &PlanCheck::condition, &PlanCheck::window,
                              &PlanCheck::action, &PlanCheck::texts, &PlanCheck::cycle})
        if (Fault fault = (this->*part)()) return fault;
    return {};
  }

 private:
  const PipelineStage& stage() const { return plan_.stages[at_]; }
  Fault wrong(std::string key, std::string message) const {
    return PlanFault{at_, std::move(key), std::move(message)};
  }

  Fault name() {
    const std::string& name = stage().name;
    const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
    });
    if (name.empty()) return wrong("name", "a stage needs a name");
    if (!plain || name.size() > 64) return wrong("name", "may have up to 64 letters, digits, _, - and .");
    if (!by_name_.emplace(name, at_).second) return wrong("name", fmt::format("'{}' is taken", name));
    return {};
  }

  Fault trigger() {
    const auto& trigger = stage().trigger_on;
    if (!trigger && !stage().time_window)
      return wrong("trigger_on", "neither trigger_on nor time_window says when it runs: give one");
    if (!trigger || trigger->stage.empty()) return {};
    if (!by_name_.contains(trigger->stage)) {
      std::vector<std::string_view> names;
      names.reserve(by_name_.size());
      for (const auto& [name, index] : by_name_) names.emplace_back(name);
      return wrong("trigger_on", fmt::format("there is no stage '{}'; {}", trigger->stage,
                                             did_you_mean(trigger->stage, names)));
    }
    if (!trigger->source.empty() || trigger->event || !trigger->channel.empty() || trigger->above ||
        trigger->below || trigger->equals)
      return wrong("trigger_on", "of a stage only `contains` can be asked for, of its answer");
    const PipelineStage& other = plan_.stages[by_name_[trigger->stage]];
    if (!trigger->contains.empty() && other.action != StageAction::kAsk &&
        other.action != StageAction::kDescribe)
      return wrong("trigger_on", fmt::format("stage '{}' answers nothing that could contain '{}'", other.name,
                                             trigger->contains));
    return {};
  }

  Fault condition() {
    const auto& trigger = stage().trigger_on;
    if (!trigger || !trigger->stage.empty()) return {};
    const int tests = (trigger->above ? 1 : 0) + (trigger->below ? 1 : 0) + (trigger->equals ? 1 : 0);
    if (tests > 1)
      return wrong("trigger_on", "has more than one of above, below and equals: make two stages");
    if (tests > 0 && trigger->channel.empty())
      return wrong("trigger_on", "above, below and equals are of a reading: name its `channel`");
    if (!trigger->channel.empty() && !trigger->contains.empty())
      return wrong("trigger_on", "contains is of lines, notes and answers; of a reading use `equals`");
    if (!trigger->channel.empty() && trigger->event.value_or(StageEvent::kReading) != StageEvent::kReading)
      return wrong("trigger_on", "only readings have a channel");
    const bool worded =
        !trigger->event || trigger->event == StageEvent::kLine || trigger->event == StageEvent::kNote;
    if (!trigger->contains.empty() && !worded) return wrong("trigger_on", "contains is of lines and notes");
    if (!trigger->event && trigger->channel.empty() && trigger->contains.empty())
      return wrong("trigger_on",
                   "says nothing that can happen: give `stage`, `channel`, `contains` or `event`");
    return {};
  }

  Fault window() {
    constexpr Nanoseconds kMost = std::chrono::hours(1);
    if (stage().duration && stage().time_window)
      return wrong("duration", "time_window has a length of its own: leave one out");
    if (stage().take != StageTake::kAll && has_window(stage()))
      return wrong("take",
                   "as_of and nearest are of a moment, not of a window: leave duration and time_window out");
    if (stage().tolerance <= Nanoseconds::zero() || stage().tolerance > kMost)
      return wrong("tolerance", "must be over 0 and at most 1h");
    if (stage().start_offset != Nanoseconds::zero() && !has_window(stage()) &&
        stage().take == StageTake::kAll)
      return wrong("start_offset", "begins a window that has no end: give `duration`");
    if (stage().duration && (*stage().duration <= Nanoseconds::zero() || *stage().duration > kMost))
      return wrong("duration", "must be over 0 and at most 1h");
    if (stage().start_offset < -kMost || stage().start_offset > kMost)
      return wrong("start_offset", "must be -1h to 1h");
    if (stage().delay > kMost) return wrong("delay", "must be at most 1h");
    if (const auto& windows = stage().time_window) {
      if (windows->length <= Nanoseconds::zero() || windows->length > kMost)
        return wrong("time_window", "its length must be over 0 and at most 1h");
      if (windows->hop < Milliseconds(1) || windows->hop > kMost)
        return wrong("time_window", "its hop must be 1ms to 1h");
    }
    return {};
  }

  Fault action() {
    const auto needs = [&](bool there, const char* key, const char* what) -> Fault {
      if (there) return {};
      return wrong(key, fmt::format("action {} needs {}", to_string(stage().action), what));
    };
    switch (stage().action) {
      case StageAction::kGather:
      case StageAction::kDescribe:
        return {};
      case StageAction::kAsk:
        return needs(!stage().text.empty(), "question", "`question`");
      case StageAction::kRetrieve:
        if (Fault fault = kinds()) return fault;
        return needs(!stage().text.empty(), "query", "`query`, the words to look for");
      case StageAction::kStore:
        return needs(!stage().text.empty(), "text", "`text`, which becomes the record");
      case StageAction::kWebhook: {
        const auto url = net::parse_url(stage().url);
        return needs(url.has_value(), "url", "`url`, http:// or https://");
      }
      case StageAction::kClip:
        if (Fault fault = needs(has_window(stage()), "duration", "a window: `duration` or `time_window`"))
          return fault;
        return needs(!stage().folder.empty(), "folder", "`folder`, where its files go");
    }
    return {};
  }

  Fault kinds() const {
    for (const std::string& kind : stage().kinds)
      if (!retrieve::parse_record_kind(kind))
        return wrong("kinds", fmt::format("there is no kind '{}'; there are vision, audio, text, reading, "
                                          "answer, document",
                                          kind));
    return {};
  }

  Fault texts() {
    const char* key = stage().action == StageAction::kAsk        ? "question"
                      : stage().action == StageAction::kRetrieve ? "query"
                                                                 : "text";
    if (stage().text.size() > 4096) return wrong(key, "is longer than 4,096 bytes");
    if (auto unknown = unknown_placeholder(stage().text))
      return wrong(key, fmt::format("there is no {}; there are {}", *unknown, placeholder_names()));
    return {};
  }

  Fault cycle() {
    std::set<std::size_t> seen;
    std::string way = stage().name;
    std::size_t at = at_;
    while (plan_.stages[at].trigger_on && !plan_.stages[at].trigger_on->stage.empty()) {
      if (!seen.insert(at).second) return wrong("trigger_on", fmt::format("triggers itself: {}", way));
      at = by_name_[plan_.stages[at].trigger_on->stage];
      way.insert(0, plan_.stages[at].name + " -> ");
    }
    return {};
  }

  const PipelinePlan& plan_;
  std::size_t at_ = 0;
  std::map<std::string, std::size_t> by_name_;
};

}  // namespace

const char* to_string(StageAction action) {
  static constexpr std::array<const char*, 7> kNames = {"gather", "ask",     "retrieve", "describe",
                                                        "store",  "webhook", "clip"};
  return kNames[static_cast<std::size_t>(action)];
}

const char* to_string(StageTake take) {
  static constexpr std::array<const char*, 3> kNames = {"all", "as_of", "nearest"};
  return kNames[static_cast<std::size_t>(take)];
}

const char* to_string(StageEvent event) {
  static constexpr std::array<const char*, 6> kNames = {"reading", "line",         "utterance",
                                                        "frame",   "scene_change", "note"};
  return kNames[static_cast<std::size_t>(event)];
}

Status check_plan_needs(const PipelinePlan& plan, bool memory) {
  for (const PipelineStage& stage : plan.stages)
    if (!memory && (stage.action == StageAction::kRetrieve || stage.action == StageAction::kStore))
      return fail(ErrorCode::kUsage, fmt::format("stage '{}': action {} needs a memory: add --memory DIR",
                                                 stage.name, to_string(stage.action)));
  return {};
}

Status make_folders(const PipelinePlan& plan) {
  for (const PipelineStage& stage : plan.stages) {
    if (stage.action != StageAction::kClip) continue;
    std::error_code error;
    std::filesystem::create_directory(stage.folder, error);
    if (!error && std::filesystem::is_directory(stage.folder, error) &&
        access(stage.folder.c_str(), W_OK) == 0)
      continue;
    return fail(
        ErrorCode::kResource,
        fmt::format("stage '{}': nothing can be written to the folder {}: {}", stage.name, stage.folder,
                    error ? error.message() : "it is no folder, or not for us to write to"));
  }
  return {};
}

Status check_plan_sources(const PipelinePlan& plan, const std::vector<std::string>& names) {
  const std::vector<std::string_view> known(names.begin(), names.end());
  const auto check = [&](const std::string& where, const std::string& name) -> Status {
    if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return {};
    return fail(ErrorCode::kUsage,
                fmt::format("{}: there is no source '{}'; {}", where, name, did_you_mean(name, known)));
  };
  for (const std::string& name : plan.unperceived)
    if (Status found = check("unperceived", name); !found) return found;
  for (const PipelineStage& stage : plan.stages) {
    const std::string where = fmt::format("stage '{}'", stage.name);
    if (stage.trigger_on)
      if (Status found = check(where, stage.trigger_on->source); !found) return found;
    if (stage.action == StageAction::kRetrieve) continue;  // its sources are those of records
    for (const std::string& name : stage.sources)
      if (Status found = check(where, name); !found) return found;
  }
  return {};
}

std::optional<PlanFault> find_fault(const PipelinePlan& plan) { return PlanCheck(plan).find(); }

}  // namespace braid::serve
