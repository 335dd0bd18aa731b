#include "clocks/clock_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <limits>

namespace braid::serve {

namespace json = boost::json;

namespace {

double ms(Nanoseconds span) { return static_cast<double>(span.count()) / 1e6; }

json::object print(const ClockState& clock) {
  const sync::ClockReport& report = clock.report;
  json::object events;
  for (std::size_t i = 0; i < sync::kClockEvents; ++i)
    events[to_string(static_cast<sync::ClockEvent>(i))] = report.events[i];
  return {{"source", clock.name},
          {"offset_ms", ms(report.offset)},
          {"skew_ppm", report.skew_known ? json::value(report.skew_ppm) : json::value(nullptr)},
          {"error_bound_ms", ms(report.error_bound)},
          {"jitter_ms",
           {{"mean", ms(report.jitter_mean)},
            {"deviation", ms(report.jitter_deviation)},
            {"peak_to_peak", ms(report.jitter_peak_to_peak)}}},
          {"packets", report.packets},
          {"resets", report.resets},
          {"events", std::move(events)}};
}

Nanoseconds span_of(const json::object& from, const char* name) {
  const double value = from.at(name).to_number<double>() * 1e6;
  constexpr double kMost = 9e18;
  return Nanoseconds(std::isfinite(value) ? std::llround(std::clamp(value, -kMost, kMost)) : 0);
}

ClockState parse(const json::object& from) {
  ClockState clock{std::string(from.at("source").as_string()), {}};
  sync::ClockReport& report = clock.report;
  report.offset = span_of(from, "offset_ms");
  report.skew_known = !from.at("skew_ppm").is_null();
  if (report.skew_known) report.skew_ppm = from.at("skew_ppm").to_number<double>();
  report.error_bound = span_of(from, "error_bound_ms");
  const json::object& jitter = from.at("jitter_ms").as_object();
  report.jitter_mean = span_of(jitter, "mean");
  report.jitter_deviation = span_of(jitter, "deviation");
  report.jitter_peak_to_peak = span_of(jitter, "peak_to_peak");
  report.packets = from.at("packets").to_number<std::uint64_t>();
  report.resets = from.at("resets").to_number<std::uint64_t>();
  const json::object& events = from.at("events").as_object();
  for (std::size_t i = 0; i < sync::kClockEvents; ++i)
    report.events[i] = events.at(to_string(static_cast<sync::ClockEvent>(i))).to_number<std::uint64_t>();
  return clock;
}

/// Those that happened.
std::string events_text(const sync::ClockReport& report) {
  std::string text;
  for (std::size_t i = 0; i < sync::kClockEvents; ++i)
    if (report.events[i] > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", report.events[i],
                          to_string(static_cast<sync::ClockEvent>(i)));
  return text.empty() ? "-" : text;
}

}  // namespace

std::string print_clocks(const std::vector<ClockState>& clocks) {
  json::array data;
  for (const ClockState& clock : clocks) data.push_back(print(clock));
  return json::serialize(json::object{{"object", "list"}, {"data", std::move(data)}});
}

Result<std::vector<ClockState>> parse_clocks(std::string_view text) {
  try {
    std::vector<ClockState> clocks;
    const json::value whole = json::parse(text);
    for (const json::value& clock : whole.at("data").as_array()) clocks.push_back(parse(clock.as_object()));
    return clocks;
  } catch (const std::exception& error) {
    return fail(ErrorCode::kBadInput, fmt::format("these are no clocks: {}", error.what()));
  }
}

std::string clock_table(const std::vector<ClockState>& clocks) {
  std::size_t widest = 6;
  for (const ClockState& clock : clocks) widest = std::max(widest, clock.name.size());
  std::string table =
      fmt::format("{:<{}} {:>16} {:>9} {:>9} {:>24} {:>9} {:>6}  {}\n", "source", widest, "offset ms",
                  "skew ppm", "bound ms", "jitter ms mean/dev/p-p", "packets", "resets", "events");
  for (const ClockState& clock : clocks) {
    const sync::ClockReport& report = clock.report;
    table +=
        fmt::format("{:<{}} {:>16.3f} {:>9} {:>9.3f} {:>24} {:>9} {:>6}  {}\n",
                    clock.name.empty() ? "-" : clock.name, widest, ms(report.offset),
                    report.skew_known ? fmt::format("{:.2f}", report.skew_ppm) : "-", ms(report.error_bound),
                    fmt::format("{:.3f}/{:.3f}/{:.3f}", ms(report.jitter_mean), ms(report.jitter_deviation),
                                ms(report.jitter_peak_to_peak)),
                    report.packets, report.resets, events_text(report));
  }
  return table;
}

}  // namespace braid::serve
