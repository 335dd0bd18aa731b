#include "log_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "braid/ingest/sensor_log.h"
#include "braid/ingest/text_lines.h"
#include "line_reader.h"
#include "row_clock.h"
#include "row_outlet.h"

namespace braid::ingest {

namespace {

/// A line of the file: a row, or why it is none.
struct Line {
  std::int64_t number = 0;
  Result<LogRow> row;
  Handling handling;
};

class LogSource final : public Source {
 public:
  LogSource(std::unique_ptr<ByteReader> bytes, bool waits, const SourceSpec& spec,
            const IngestOptions& options, Clock& clock)
      : spec_(spec),
        options_(options),
        sensor_(spec.kind == SourceKind::kSensor),
        lines_(std::move(bytes)),
        times_(spec.unit, spec.epoch_us ? spec.epoch_us : options.epoch_us),
        pacer_(clock) {
    info_.name = spec.name;
    info_.live = spec.live;
    info_.may_stall = waits;
    info_.streams[static_cast<std::size_t>(stream())] = true;
    info_.description = sensor_ ? "sensor log" : "text";
  }

  /// Reads the first rows, so that a file of something else is told at once.
  Status look_ahead() {
    while (ahead_.size() < RowOutlet::kWindow && read_line()) {
    }
    const auto good =
        std::find_if(ahead_.begin(), ahead_.end(), [](const Line& line) { return line.row.has_value(); });
    if (good == ahead_.end()) return none_good();
    times_.settle();
    info_.description += "; " + times_.description();
    return {};
  }

  const SourceInfo& info() const override { return info_; }

  void stop() override {
    pacer_.stop();
    lines_.stop();
  }

  Status run(SourceId id, const PacketSink& sink) override {
    const SteadyTime start = options_.session_start ? options_.session_start() : pacer_.now();
    Outlet outlet(id, sink, pacer_,
                  {.realtime = options_.realtime && !spec_.live,
                   .live = spec_.live,
                   .longest = spec_.live ? Nanoseconds{} : options_.limits.max_duration},
                  start);
    RowOutlet rows(outlet, stream(), spec_.target, spec_.live ? 0 : RowOutlet::kWindow);
    if (!times_.guess().empty()) outlet.notice(times_.guess());
    while (outlet.open()) {
      const std::size_t enough = spec_.live || times_.settled() ? 1 : RowOutlet::kWindow;
      while (ahead_.size() < enough && read_line()) {
      }
      if (ahead_.empty()) break;
      if (!times_.settled()) {
        settle(outlet);
        if (!times_.guess().empty()) outlet.notice(times_.guess());
      }
      Line line = std::move(ahead_.front());
      ahead_.pop_front();
      if (!pass_on(line, rows, outlet)) return {};
    }
    rows.finish();
    outlet.flush_damage();
    if (outlet.open() && rows.sent() == 0) return none_good();
    return {};
  }

 private:
  StreamKind stream() const { return sensor_ ? StreamKind::kReading : StreamKind::kText; }

  Status none_good() const {
    const std::string expected = sensor_ ? "rows of a time and channels" : "lines of text";
    return fail(ErrorCode::kBadInput,
                fmt::format("{}: {}; expected {}", spec_.target,
                            first_bad_.empty() ? "has no rows" : "no line can be read (" + first_bad_ + ")",
                            expected));
  }

  /// Adds the next line that says anything. False: the end.
  bool read_line() {
    for (;;) {
      const SteadyTime reading = pacer_.now();
      const auto line = lines_.next();
      const Handling handling{reading, pacer_.now()};
      if (line && !*line) return false;
      Result<std::optional<LogRow>> row = std::nullopt;
      if (!line)
        row = tl::unexpected(line.error());
      else
        row = sensor_ ? parser_.parse(**line) : parse_text_line(**line);
      if (row && !*row) continue;
      if (row) {
        times_.learn(**row);
        ahead_.push_back({lines_.line(), *std::move(*row), handling});
      } else {
        if (first_bad_.empty()) first_bad_ = fmt::format("line {}: {}", lines_.line(), row.error().message);
        ahead_.push_back({lines_.line(), tl::unexpected(row.error()), handling});
      }
      return true;
    }
  }

  void settle(const Outlet& outlet) {
    const bool any =
        std::any_of(ahead_.begin(), ahead_.end(), [](const Line& l) { return l.row && l.row->start; });
    if (spec_.live && !any) return;
    times_.settle(spec_.live ? std::optional(std::max(kSessionStart, outlet.session(pacer_.now())))
                             : std::nullopt);
  }

  bool pass_on(Line& line, RowOutlet& rows, Outlet& outlet) {
    if (!line.row) return damaged(line.number, line.row.error(), outlet);
    const SessionTime untimed = spec_.live ? std::max(last_, outlet.session(line.handling.reading)) : last_;
    const auto start = line.row->start ? times_.session(*line.row->start) : Result<SessionTime>(untimed);
    const auto end = line.row->end ? times_.session(*line.row->end) : start;
    if (!start || !end) return damaged(line.number, start ? end.error() : start.error(), outlet);
    if (*end < *start)
      return damaged(line.number, {ErrorCode::kBadInput, "its end is before its start"}, outlet);
    last_ = *end;
    if (sensor_)
      return rows.push(Reading{{}, *start, std::move(line.row->values), {}}, line.number, line.handling);
    return rows.push(TextLine{{}, *start, *end, std::move(line.row->text), {}}, line.number, line.handling);
  }

  bool damaged(std::int64_t number, const Error& error, Outlet& outlet) const {
    return outlet.damage(last_, error.code, "line",
                         fmt::format("{}: line {}: {}; it is left out", spec_.target, number, error.message));
  }

  SourceSpec spec_;
  IngestOptions options_;
  bool sensor_;
  SourceInfo info_;
  LineReader lines_;
  SensorLogParser parser_;
  RowClock times_;
  Pacer pacer_;
  std::deque<Line> ahead_;
  std::string first_bad_;
  SessionTime last_{};  // of the last row, for those without a time
};

}  // namespace

Result<std::unique_ptr<Source>> open_log(const SourceSpec& spec, const IngestOptions& options, Clock& clock) {
  if (spec.transport != Transport::kFile && spec.transport != Transport::kPipe)
    return fail(
        ErrorCode::kUnsupported,
        fmt::format("{}: {} is read from files and pipes; fetch it first and pipe it in (curl … | braid … "
                    "file=-)",
                    spec.target, spec.kind == SourceKind::kSensor ? "a sensor log" : "text"));
  bool waits = spec.transport == Transport::kPipe;
  if (!waits) {
    auto fifo = check_path(spec.target);
    if (!fifo) return tl::unexpected(fifo.error());
    waits = *fifo;
  }
  auto bytes = ByteReader::open(spec, clock);
  if (!bytes) return tl::unexpected(bytes.error());
  auto source = std::make_unique<LogSource>(*std::move(bytes), waits, spec, options, clock);
  if (!waits)
    if (auto looked = source->look_ahead(); !looked) return tl::unexpected(looked.error());
  return source;
}

}  // namespace braid::ingest
