#include "server/session_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace braid::serve {

namespace {
// One that is slow to end holds up one of them.
constexpr int kThreads = 4;
}  // namespace

SessionPlaces::SessionPlaces(const SessionLimits& limits, Clock& clock)
    : limits_(limits), clock_(clock), changed_(clock) {
  for (int i = 0; i < kThreads; ++i)
    threads_.emplace_back(clock, fmt::format("ender-{}", i), [this] { run(); });
}

Status SessionPlaces::admit(const std::string& id, const std::string& owner,
                            const std::string& instead_of) const {
  if (places_.contains(id))
    return fail(ErrorCode::kFull, fmt::format("session {} is still there: try again", id), true);
  std::size_t all = 0, of_owner = 0;
  for (const auto& [taken, place] : places_) {
    if (taken == instead_of) continue;
    ++all;
    if (place.owner == owner) ++of_owner;
  }
  if (all >= limits_.max_sessions)
    return fail(ErrorCode::kFull, fmt::format("{} sessions are open, no more may be: end one", all), true);
  if (!owner.empty() && of_owner >= limits_.max_per_key)
    return fail(ErrorCode::kFull,
                fmt::format("this key has {} sessions open, no more may be: end one", of_owner), true);
  return {};
}

Result<std::shared_ptr<LiveSession>> SessionPlaces::take(const std::string& id, const std::string& owner,
                                                         std::int64_t created,
                                                         const std::string& instead_of) {
  auto session = std::make_unique<LiveSession>(id, owner, created, clock_);
  {
    std::lock_guard lock(mutex_);
    if (auto admitted = admit(id, owner, instead_of); !admitted) return tl::unexpected(admitted.error());
    places_[id].owner = owner;
  }
  return std::shared_ptr<LiveSession>(session.release(), [places = shared_from_this()](LiveSession* last) {
    places->let_go(std::unique_ptr<LiveSession>(last));
  });
}

void SessionPlaces::ending(const std::string& id, std::function<void()> after) {
  std::lock_guard lock(mutex_);
  const auto found = places_.find(id);
  if (found == places_.end()) return;
  found->second.ending = true;
  if (after) found->second.after = std::move(after);
}

bool SessionPlaces::is_ending(const std::string& id) const {
  std::lock_guard lock(mutex_);
  const auto found = places_.find(id);
  return found != places_.end() && found->second.ending;
}

bool SessionPlaces::any_ending_locked() const {
  return std::any_of(places_.begin(), places_.end(), [](const auto& named) { return named.second.ending; });
}

bool SessionPlaces::any_ending() const {
  std::lock_guard lock(mutex_);
  return any_ending_locked();
}

void SessionPlaces::wait_for_ending(SteadyTime until) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, until, [this] { return !any_ending_locked(); });
}

void SessionPlaces::let_go(std::unique_ptr<LiveSession> session) {
  std::unique_lock lock(mutex_);
  if (closed_ || !session->started()) {
    lock.unlock();
    return destroy(std::move(session));
  }
  dropped_.push_back(std::move(session));
  changed_.notify_all();
}

void SessionPlaces::destroy(std::unique_ptr<LiveSession> session) {
  const std::string id = session->id();
  session.reset();  // waits for its threads
  std::function<void()> after;
  {
    std::lock_guard lock(mutex_);
    after = std::move(places_[id].after);
  }
  if (after) after();
  std::lock_guard lock(mutex_);
  places_.erase(id);
  changed_.notify_all();
}

void SessionPlaces::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return closed_ || !dropped_.empty(); });
    if (dropped_.empty()) return;
    auto session = std::move(dropped_.front());
    dropped_.pop_front();
    lock.unlock();
    destroy(std::move(session));
    lock.lock();
  }
}

void SessionPlaces::close() {
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  for (Thread& thread : threads_) thread.join();
}

}  // namespace braid::serve
