#include "session/sync_loop.h"

#include <algorithm>
#include <utility>

namespace braid::serve {

SyncLoop::SyncLoop(const SessionOptions& options, Clock& clock, Pace& pace, sync::SpeechDetectorFactory* speech,
                   flow::Sender<sync::Timed> out)
    : options_(options),
      clock_(clock),
      pace_(pace),
      in_(clock),
      control_(in_.add_lane({.capacity = static_cast<std::size_t>(options.max_waiting_questions) + 8,
                             .when_full = flow::WhenFull::kBlock,
                             .droppable = {},
                             .on_drop = {}})),
      out_(std::move(out)),
      synchronizer_(options.sync, clock, speech, [this](sync::Timed item) { emit(std::move(item)); }) {}

flow::Sender<SyncInput> SyncLoop::add_source(SourceId source, const ingest::SourceInfo& info) {
  synchronizer_.add_source(source, info.streams, info.live);
  live_.push_back(info.live);
  ended_.push_back(false);
  return in_.add_lane({.capacity = options_.queue, .when_full = flow::WhenFull::kBlock, .droppable = {}, .on_drop = {}});
}

void SyncLoop::emit(sync::Timed item) {
  if (discard_questions_ && std::holds_alternative<Question>(item)) {
    // The engine still hears of it, so that whoever asked gets an end.
    std::get<Question>(item).max_tokens = 0;
  }
  if (out_.push(std::move(item)) == flow::Pushed::kClosed) out_closed_ = true;
}

bool SyncLoop::take(std::size_t lane) {
  auto item = in_.try_pop(lane);
  if (!item) return false;
  synchronizer_.push(SourceId{static_cast<std::int64_t>(lane) - 1}, std::move(std::get<Packet>(*item)));
  return true;
}

bool SyncLoop::take_control() {
  auto item = in_.try_pop(0);
  if (!item) return false;
  if (auto* question = std::get_if<Question>(&*item)) synchronizer_.ask(std::move(*question));
  if (const auto* stop = std::get_if<StopSync>(&*item)) {
    discard_questions_ = !stop->answer_rest;
    stopped_ = true;
  }
  return true;
}

bool SyncLoop::take_packets() {
  const auto hungriest = synchronizer_.hungriest();
  if (!hungriest) return false;
  if (take(static_cast<std::size_t>(hungriest->value) + 1)) return true;
  if (!pace_.realtime()) return false;
  bool any = false;
  for (std::size_t source = 0; source < live_.size(); ++source) any = take(source + 1) || any;
  return any;
}

void SyncLoop::notice_ends() {
  for (std::size_t source = 0; source < ended_.size(); ++source) {
    if (ended_[source] || !in_.ended(source + 1)) continue;
    ended_[source] = true;
    synchronizer_.end_source(SourceId{static_cast<std::int64_t>(source)});
  }
}

void SyncLoop::run() {
  const bool any_live = std::find(live_.begin(), live_.end(), true) != live_.end();
  while (!out_closed_) {
    bool any = false;
    while (take_control()) any = true;
    any = take_packets() || any;
    notice_ends();
    if (any_live) synchronizer_.advance_live(pace_.now() - options_.live_lateness);
    const SessionTime frontier = synchronizer_.frontier();
    if (frontier != SessionTime::max()) pace_.followed(frontier);
    if (any) continue;
    const bool all_ended = std::find(ended_.begin(), ended_.end(), false) == ended_.end();
    if (all_ended) break;
    if (any_live)
      in_.wait(clock_.now() + Milliseconds(50));
    else
      in_.wait();
  }
  synchronizer_.finish();
  in_.close();
  out_.end();
}

}  // namespace braid::serve
