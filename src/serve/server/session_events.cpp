#include "server/session_events.h"

#include <fmt/format.h>

#include <utility>

#include "braid/deliver/json_writer.h"

namespace braid::serve {

SessionEvents::SessionEvents(Clock& clock, SessionEventsOptions options)
    : options_(options),
      writer_(deliver::make_json_writer([this](const std::string& json) { take(json); }, clock)) {}

SessionEvents::~SessionEvents() {
  for (const Watcher& watcher : watchers_) watcher.on_end();
}

void SessionEvents::on_event(const deliver::Event& event) {
  std::lock_guard lock(mutex_);
  keep_ = !std::holds_alternative<deliver::Progress>(event);
  writer_->on_event(event);
}

std::size_t SessionEvents::bytes() const {
  std::lock_guard lock(mutex_);
  return bytes_;
}

void SessionEvents::take(const std::string& json) {
  ++last_id_;
  std::erase_if(watchers_, [&](const Watcher& watcher) { return !watcher.on_object(last_id_, json); });
  if (!keep_) return;
  kept_.push_back({last_id_, json});
  bytes_ += json.size();
  while (bytes_ > options_.max_bytes) {
    bytes_ -= kept_.front().json.size();
    kept_.pop_front();
  }
}

Status SessionEvents::watch(std::uint64_t after, const std::function<Watcher()>& make) {
  std::lock_guard lock(mutex_);
  std::erase_if(watchers_, [](const Watcher& watcher) { return watcher.gone(); });
  if (watchers_.size() >= options_.max_watchers)
    return fail(ErrorCode::kFull,
                fmt::format("{} watch this session, as many as may; try again later", watchers_.size()),
                true);
  Watcher watcher = make();
  for (const Object& object : kept_)
    if (object.id > after && !watcher.on_object(object.id, object.json)) return {};
  watchers_.push_back(std::move(watcher));
  return {};
}

}  // namespace braid::serve
