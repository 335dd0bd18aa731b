#include "server/workers.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "server/api_errors.h"

namespace braid::serve {

Workers::Workers(Clock& clock, std::string_view name, int threads, std::size_t max_queued)
    : max_queued_(max_queued), changed_(clock) {
  for (int i = 0; i < threads; ++i)
    threads_.emplace_back(clock, fmt::format("{}-{}", name, i), [this] { run(); });
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

void run_on(Workers& workers, net::Request request, net::Exchange exchange,
            std::function<void(net::Request, net::Exchange)> handler) {
  // std::function wants what can be copied.
  auto call =
      std::make_shared<std::pair<net::Request, net::Exchange>>(std::move(request), std::move(exchange));
  const Status posted = workers.post(
      [call, handler = std::move(handler)] { handler(std::move(call->first), std::move(call->second)); });
  if (!posted) respond_error(call->second, openai::to_api_error(posted.error()));
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
