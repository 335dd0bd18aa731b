#include "row_outlet.h"

#include <fmt/format.h>

#include <utility>

namespace braid::ingest {

namespace {
SessionTime time_of(const TextLine& line) { return line.end; }
SessionTime time_of(const Reading& reading) { return reading.at; }
}  // namespace

bool RowOutlet::push(std::variant<TextLine, Reading> row, std::int64_t line, const Handling& handling) {
  const SessionTime at = std::visit([](const auto& content) { return time_of(content); }, row);
  if (outlet_.past_end(at)) return outlet_.too_long(source_);
  if (at < kSessionStart)
    return outlet_.damage(
        last_, ErrorCode::kBadInput, "early",
        fmt::format("{}: line {}: {:.6f} s before the session's start; it is left out; set an earlier "
                    "epoch to keep it",
                    source_, line, -to_seconds(at)));
  if (at < last_)
    return outlet_.damage(
        last_, ErrorCode::kBadInput, "order",
        fmt::format("{}: line {}: {:.6f} s earlier than rows already passed on; at most {} rows may be "
                    "out of order; sort the file",
                    source_, line, to_seconds(last_ - at), window_));
  held_.push({at, pushed_++, std::move(row), handling});
  return held_.size() <= window_ || send_earliest();
}

bool RowOutlet::send_earliest() {
  // The queue gives no way to move its top out; it is popped next.
  Held held = std::move(const_cast<Held&>(held_.top()));
  held_.pop();
  last_ = held.at;
  ++sent_;
  const bool goes_on =
      std::visit([&](auto& row) { return outlet_.send(std::move(row), held.at, held.handling); }, held.row);
  return goes_on && outlet_.bound(stream_, held.at);
}

bool RowOutlet::finish() {
  while (!held_.empty())
    if (!send_earliest()) return false;
  return outlet_.bound(stream_, SessionTime::max());
}

}  // namespace braid::ingest
