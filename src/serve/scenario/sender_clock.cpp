#include "scenario/sender_clock.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <cmath>

#include "braid/sync/source_clock.h"
#include "config/time_text.h"
#include "scenario/scenario.h"
#include "scenario/words.h"

namespace braid::serve {

namespace {

constexpr std::int64_t kCounterHz = 90'000;

/// The sender's clock as it runs.
class SenderClock {
 public:
  explicit SenderClock(const SenderClockSpec& spec) : spec_(spec), offset_(spec.offset) {}

  void change(const SenderClockChange& change) {
    if (change.set)
      offset_ += *change.set;
    else
      offset_ = -shown(change.at, Nanoseconds{});
  }
  std::int64_t stamp(SessionTime at, Nanoseconds off) const {
    const Nanoseconds time = shown(at, offset_) + off;
    if (spec_.wrap_bits == 0) return time.count();
    const auto ticks = static_cast<std::int64_t>(std::llround(static_cast<double>(time.count()) * 9e-5));
    const std::int64_t lap = std::int64_t{1} << spec_.wrap_bits;
    return ((ticks % lap) + lap) % lap;
  }

 private:
  Nanoseconds shown(SessionTime at, Nanoseconds offset) const {
    const Nanoseconds since = at - kSessionStart;
    return offset + since + Nanoseconds(std::llround(static_cast<double>(since.count()) * spec_.ppm * 1e-6));
  }

  const SenderClockSpec spec_;
  Nanoseconds offset_;
};

sync::ClockOptions options_of(const SenderClockSpec& spec) {
  sync::ClockOptions options;
  options.wrap_bits = spec.wrap_bits;
  if (spec.wrap_bits > 0) options.tick_den = kCounterHz;
  return options;
}

}  // namespace

Result<bool> clock_word(const std::vector<std::string>& words, std::size_t& next, SenderClockSpec& clock) {
  const std::string& word = words[next];
  if (word != "offset" && word != "skew" && word != "wrap") return false;
  if (next + 1 == words.size()) return fail(ErrorCode::kBadInput, fmt::format("{} of what?", word));
  const std::string& value = words[++next];
  if (word == "wrap") {
    const auto bits = parse_count(value, 33);
    if (!bits || (*bits != 32 && *bits != 33)) return fail(ErrorCode::kBadInput, "wrap 32 or wrap 33");
    clock.wrap_bits = *bits;
  } else if (word == "skew") {
    const auto ppm = parse_number(value);
    if (!ppm || std::abs(*ppm) > 1000) return fail(ErrorCode::kBadInput, "skew PPM, -1000 to 1000");
    clock.ppm = *ppm;
  } else {
    const auto offset = parse_span(value);
    if (!offset) return tl::unexpected(offset.error());
    clock.offset = *offset;
  }
  return true;
}

void map_stamps(ScriptedStream& stream) {
  if (!stream.clock) return;
  SenderClock sender(*stream.clock);
  sync::SourceClock clock(options_of(*stream.clock));
  auto change = stream.clock_changes.begin();
  for (ScriptedInput& input : stream.inputs) {
    for (; change != stream.clock_changes.end() && change->at <= input.start; ++change)
      sender.change(*change);
    const SessionTime arrival(input.arrival);
    const auto captured = clock.observe(sender.stamp(input.start, input.stamped), arrival);
    input.end = captured.at + (input.end - input.start);
    input.start = captured.at;
    input.error_bound = captured.error_bound;
  }
  const sync::ClockReport report = clock.report();
  stream.resets = report.resets;
  for (std::size_t i = 0; i < sync::kClockEvents; ++i)
    if (report.events[i] > 0)
      stream.clock_events.emplace_back(to_string(static_cast<sync::ClockEvent>(i)), report.events[i]);
}

std::string clock_event(const ScriptedStream& stream) {
  boost::json::object events;
  for (const auto& [name, count] : stream.clock_events) events[name] = count;
  return boost::json::serialize(boost::json::object{{"type", "clock"},
                                                    {"source", stream.info.name},
                                                    {"resets", stream.resets},
                                                    {"events", std::move(events)}});
}

}  // namespace braid::serve
