#include "scenario/settings.h"

#include <fmt/format.h>

#include <functional>
#include <map>

#include "config/time_text.h"
#include "scenario/words.h"

namespace braid::serve {

namespace {

using Setter = std::function<Status(Scenario&, const std::string&)>;

Setter flag(bool& (*field)(Scenario&)) {
  return [field](Scenario& scenario, const std::string& value) -> Status {
    if (value != "on" && value != "off")
      return fail(ErrorCode::kBadInput, fmt::format("'{}': write on or off", value));
    field(scenario) = value == "on";
    return {};
  };
}

Setter span(Nanoseconds& (*field)(Scenario&)) {
  return [field](Scenario& scenario, const std::string& value) -> Status {
    const auto parsed = parse_span(value);
    if (!parsed) return tl::unexpected(parsed.error());
    field(scenario) = *parsed;
    return {};
  };
}

Setter count(int& (*field)(Scenario&), int most) {
  return [field, most](Scenario& scenario, const std::string& value) -> Status {
    const auto parsed = parse_count(value, most);
    if (!parsed) return tl::unexpected(parsed.error());
    field(scenario) = *parsed;
    return {};
  };
}

Status set_queue(Scenario& scenario, const std::string& value) {
  const auto parsed = parse_count(value, 1000);
  if (!parsed) return tl::unexpected(parsed.error());
  scenario.session.queue = static_cast<std::size_t>(std::max(1, *parsed));
  return {};
}

Setter failing(std::vector<std::uint64_t>& (*field)(Scenario&)) {
  return [field](Scenario& scenario, const std::string& value) -> Status {
    const auto parsed = parse_count(value, 1'000'000);
    if (!parsed) return tl::unexpected(parsed.error());
    field(scenario).push_back(static_cast<std::uint64_t>(*parsed));
    return {};
  };
}

const std::map<std::string, Setter>& setters() {
  static const std::map<std::string, Setter> all = {
      {"realtime", flag([](Scenario& s) -> bool& { return s.session.realtime; })},
      {"join_turns", flag([](Scenario& s) -> bool& { return s.session.join_turns; })},
      {"deterministic", flag([](Scenario& s) -> bool& { return s.host.deterministic; })},
      {"novelty", flag([](Scenario& s) -> bool& { return s.session.encode.novelty.enabled; })},
      {"heartbeat", span([](Scenario& s) -> Nanoseconds& { return s.session.encode.novelty.heartbeat; })},
      {"max_open_answers", count([](Scenario& s) -> int& { return s.session.max_open_answers; }, 64)},
      {"window_tokens", count([](Scenario& s) -> int& { return s.session.window.max_rows; }, 100'000)},
      {"window_age", span([](Scenario& s) -> Nanoseconds& { return s.session.window.max_age; })},
      {"step_target", span([](Scenario& s) -> Nanoseconds& { return s.host.step_target; })},
      {"queue", set_queue},
      {"sees", flag([](Scenario& s) -> bool& { return s.engine.sees; })},
      {"hears", flag([](Scenario& s) -> bool& { return s.engine.hears; })},
      {"one_pass", flag([](Scenario& s) -> bool& { return s.engine.one_pass; })},
      {"can_hide_ranges", flag([](Scenario& s) -> bool& { return s.engine.can_hide_ranges; })},
      {"can_forget", flag([](Scenario& s) -> bool& { return s.engine.can_forget; })},
      {"indivisible_media", flag([](Scenario& s) -> bool& { return s.engine.indivisible_media; })},
      {"cells", count([](Scenario& s) -> int& { return s.engine.cells; }, 1'000'000)},
      {"trained_context", count([](Scenario& s) -> int& { return s.engine.trained_context; }, 1'000'000)},
      {"rows_per_frame", count([](Scenario& s) -> int& { return s.engine.rows_per_frame; }, 4096)},
      {"frame_encode", span([](Scenario& s) -> Nanoseconds& { return s.engine.frame_encode_cost; })},
      {"speech_encode", span([](Scenario& s) -> Nanoseconds& { return s.engine.utterance_encode_cost; })},
      {"step", span([](Scenario& s) -> Nanoseconds& { return s.engine.step_cost; })},
      {"row", span([](Scenario& s) -> Nanoseconds& { return s.engine.row_cost; })},
      {"failing_step",
       failing([](Scenario& s) -> std::vector<std::uint64_t>& { return s.engine.failing_steps; })},
      {"failing_encode",
       failing([](Scenario& s) -> std::vector<std::uint64_t>& { return s.engine.failing_encodes; })},
      {"deliver_delay", span([](Scenario& s) -> Nanoseconds& { return s.deliver_delay; })},
  };
  return all;
}

}  // namespace

Status apply_setting(Scenario& scenario, const std::string& name, const std::string& value) {
  const auto setter = setters().find(name);
  if (setter != setters().end()) return setter->second(scenario, value);
  std::string names;
  for (const auto& [known, unused] : setters()) names += (names.empty() ? "" : " ") + known;
  return fail(ErrorCode::kBadInput, fmt::format("no setting '{}'; there are: {}", name, names));
}

}  // namespace braid::serve
