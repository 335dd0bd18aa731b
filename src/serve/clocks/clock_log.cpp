#include "clocks/clock_log.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstddef>
#include <optional>

namespace braid::serve {

namespace json = boost::json;

namespace {

constexpr std::size_t kMostPoints = 4096;  // of a source; then every other one goes
constexpr std::size_t kLongestLine = 4096;
constexpr std::int64_t kMostUs = 4'000'000'000'000'000;  // 126 years

class Reader {
 public:
  Status take(const json::object& line);
  ClockLog finish() {
    log_.clocks = clocks_.report();
    for (auto& [name, source] : sources_) log_.points.emplace(name, std::move(source.points));
    return std::move(log_);
  }

 private:
  struct Source {
    std::shared_ptr<SessionClock> clock;
    std::optional<std::int64_t> first_ns;  // of the arrival less the stamp
    double tick_ns = 1e3;
    std::vector<ClockPoint> points;
    std::uint64_t seen = 0, every = 1;
  };

  static std::int64_t whole(const json::object& line, const char* name) {
    return line.at(name).to_number<std::int64_t>();
  }
  static SessionTime time(const json::object& line, const char* name) {
    const std::int64_t us = whole(line, name);
    if (us < -kMostUs || us > kMostUs) throw std::out_of_range(std::string(name) + " is no session time");
    return SessionTime(Microseconds(us));
  }
  Source* source(const std::string& name, const json::object& line);
  void observe(Source& source, const json::object& line);

  SessionClocks clocks_;
  std::map<std::string, Source> sources_;
  ClockLog log_;
};

Reader::Source* Reader::source(const std::string& name, const json::object& line) {
  if (const auto found = sources_.find(name); found != sources_.end()) return &found->second;
  sync::ClockOptions options{.tick_num = 1, .tick_den = 1'000'000};
  if (const json::value* rate = line.if_contains("ticks_per_s"))
    options.tick_den = rate->to_number<std::int64_t>();
  if (const json::value* bits = line.if_contains("wrap_bits")) options.wrap_bits = bits->to_number<int>();
  auto clock = clocks_.open(name, options);
  if (!clock) return nullptr;
  Source& made = sources_[name];
  made.clock = std::move(clock);
  made.tick_ns = 1e9 / static_cast<double>(std::max<std::int64_t>(1, options.tick_den));
  return &made;
}

void Reader::observe(Source& source, const json::object& line) {
  const std::int64_t stamp = whole(line, "stamp");
  const SessionTime arrival = time(line, "arrival_us");
  const sync::Captured captured = source.clock->observe(stamp, arrival);
  if (source.seen++ % source.every != 0) return;
  const double came = static_cast<double>(arrival.time_since_epoch().count());
  const double stamped = static_cast<double>(stamp) * source.tick_ns;
  if (!source.first_ns) source.first_ns = static_cast<std::int64_t>(came - stamped);
  const auto over_first = [&](double at) {
    return (at - stamped - static_cast<double>(*source.first_ns)) / 1e6;
  };
  source.points.push_back({came / 1e9, over_first(came),
                           over_first(static_cast<double>(captured.at.time_since_epoch().count())),
                           to_ms(captured.error_bound)});
  if (source.points.size() < kMostPoints) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < source.points.size(); i += 2) source.points[kept++] = source.points[i];
  source.points.resize(kept);
  source.every *= 2;
}

Status Reader::take(const json::object& line) {
  ++log_.lines;
  const json::value* name = line.if_contains("source");
  Source* const from = source(name == nullptr ? "" : std::string(name->as_string()), line);
  if (from == nullptr)
    return fail(ErrorCode::kLimit, fmt::format("there are more than {} sources", SessionClocks::kMost));
  if (line.contains("t1")) {
    from->clock->exchange({whole(line, "t1"), time(line, "t2_us"), time(line, "t3_us"), whole(line, "t4")});
  } else if (line.contains("reference_us")) {
    from->clock->reference(whole(line, "stamp"), time(line, "reference_us"),
                           time(line, "error_us").time_since_epoch());
  } else if (line.contains("stamp")) {
    observe(*from, line);
  } else {
    return fail(ErrorCode::kBadInput, "has none of stamp, reference_us and t1");
  }
  return {};
}

/// "x,y " of each point.
template <class Y>
std::string path(const std::vector<ClockPoint>& points, double from_s, double x_scale, Y y) {
  std::string text;
  for (const ClockPoint& point : points)
    text += fmt::format("{:.1f},{:.1f} ", 60 + (point.arrival_s - from_s) * x_scale, y(point));
  return text;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

std::string plot(const std::string& name, const std::vector<ClockPoint>& points, double top) {
  constexpr double kWidth = 860, kHeight = 180;
  double low = points[0].mapped_ms, high = low;
  for (const ClockPoint& point : points) {
    low = std::min({low, point.delay_ms, point.mapped_ms - point.bound_ms});
    high = std::max({high, point.delay_ms, point.mapped_ms + point.bound_ms});
  }
  const double from = points.front().arrival_s, to = std::max(points.back().arrival_s, from + 1e-3);
  const double x_scale = (kWidth - 80) / (to - from), y_scale = kHeight / std::max(1e-6, high - low);
  const auto y = [&](double ms) { return top + 30 + (high - ms) * y_scale; };
  std::vector<ClockPoint> back(points.rbegin(), points.rend());
  std::string svg = fmt::format("<text x='60' y='{:.0f}' font-weight='bold'>{}</text>\n", top + 20,
                                escaped(name.empty() ? "-" : name));
  svg += fmt::format(
      "<polygon fill='#9ecae1' fill-opacity='.5' points='{}{}'/>\n",
      path(points, from, x_scale, [&](const ClockPoint& p) { return y(p.mapped_ms + p.bound_ms); }),
      path(back, from, x_scale, [&](const ClockPoint& p) { return y(p.mapped_ms - p.bound_ms); }));
  for (const ClockPoint& point : points)
    svg += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='1' fill='#999'/>",
                       60 + (point.arrival_s - from) * x_scale, y(point.delay_ms));
  svg += fmt::format("\n<polyline fill='none' stroke='#08519c' points='{}'/>\n",
                     path(points, from, x_scale, [&](const ClockPoint& p) { return y(p.mapped_ms); }));
  for (const double ms : {high, low})
    svg += fmt::format("<text x='55' y='{:.0f}' text-anchor='end'>{:.1f} ms</text>\n", y(ms) + 4, ms);
  return svg + fmt::format(
                   "<text x='60' y='{:.0f}'>{:.1f} s</text><text x='{:.0f}' y='{:.0f}' "
                   "text-anchor='end'>{:.1f} s</text>\n",
                   top + 50 + kHeight, from, kWidth - 20, top + 50 + kHeight, to);
}

}  // namespace

Result<ClockLog> read_clock_log(std::istream& in) {
  Reader reader;
  std::string text;
  for (std::uint64_t number = 1; std::getline(in, text); ++number) {
    if (text.empty()) continue;
    const auto bad = [&](std::string_view why) {
      return fail(ErrorCode::kBadInput, fmt::format("line {}: {}; docs/time.md has the format", number, why));
    };
    if (text.size() > kLongestLine) return bad("longer than 4096 bytes");
    boost::system::error_code wrong;
    const json::value line = json::parse(text, wrong);
    if (wrong || !line.is_object()) return bad("is no JSON object");
    try {
      if (Status taken = reader.take(line.get_object()); !taken)
        return taken.error().code == ErrorCode::kBadInput ? bad(taken.error().message)
                                                          : tl::unexpected(taken.error());
    } catch (const std::exception&) {
      return bad("a member is missing or is not of its kind");
    }
  }
  return reader.finish();
}

std::string clock_svg(const ClockLog& log) {
  constexpr double kPlot = 250;
  std::string plots;
  double top = 0;
  for (const auto& [name, points] : log.points) {
    if (points.empty()) continue;
    plots += plot(name, points, top);
    top += kPlot;
  }
  return fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' width='860' height='{:.0f}' "
      "font-family='sans-serif' font-size='11'>\n<rect width='100%' height='100%' "
      "fill='white'/>\n{}</svg>\n",
      std::max(top, kPlot), plots);
}

}  // namespace braid::serve
