#include "server/key_watch.h"

#include <chrono>
#include <utility>

#include "braid/base/log.h"

namespace braid::serve {

namespace {
constexpr Nanoseconds kEvery = std::chrono::seconds(1);
}  // namespace

KeyWatch::KeyWatch(std::shared_ptr<net::KeyStore> keys, LiveSessions& sessions, Durability* durability,
                   Clock& clock, std::function<void()> keys_changed)
    : keys_(std::move(keys)),
      sessions_(sessions),
      durability_(durability),
      clock_(clock),
      keys_changed_(std::move(keys_changed)),
      changed_(clock),
      thread_(clock, "keys", [this] { run(); }) {}

KeyWatch::~KeyWatch() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void KeyWatch::run() {
  std::uint64_t seen = keys_->generation();
  std::unique_lock lock(mutex_);
  while (!changed_.wait_until(lock, clock_.now() + kEvery, [this] { return stopping_; })) {
    lock.unlock();
    // Sessions first: their clients are told why. Always: one may have been in the making before.
    const std::uint64_t now = keys_->generation();
    end_sessions();
    if (std::exchange(seen, now) != now) keys_changed_();
    lock.lock();
  }
}

void KeyWatch::end_sessions() {
  for (const std::string& owner : sessions_.owners()) {
    if (owner.empty() || keys_->has_name(owner)) continue;
    for (const auto& live : sessions_.list(owner)) {
      if (live->owner() != owner) continue;  // the configuration's is everybody's
      log(LogLevel::kWarning, "session {} ends: its key '{}' is not in the keys file any more", live->id(),
          owner);
      if (durability_ != nullptr)
        durability_->forget(live->id(), owner);  // first: else it may be begun again
      sessions_.end(live->id(), owner);
    }
  }
}

}  // namespace braid::serve
