#include "server/workers.h"

#include <fmt/format.h>

#include <utility>

namespace braid::serve {

Workers::Workers(Clock& clock, int threads, std::size_t max_queued)
    : max_queued_(max_queued), changed_(clock) {
  for (int i = 0; i < threads; ++i)
    threads_.emplace_back(clock, fmt::format("worker-{}", i), [this] { run(); });
}

Workers::~Workers() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  for (Thread& thread : threads_) thread.join();
}

Status Workers::post(std::function<void()> work) {
  std::lock_guard lock(mutex_);
  if (queue_.size() >= max_queued_)
    return fail(ErrorCode::kFull, fmt::format("{} requests wait to be read: try again", queue_.size()), true);
  queue_.push_back(std::move(work));
  changed_.notify_all();
  return {};
}

void Workers::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    auto work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    work();
    work = nullptr;  // what it held goes without the lock
    lock.lock();
  }
}

}  // namespace braid::serve
