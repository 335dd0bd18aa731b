#include "io.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <exception>

#include "braid/base/log.h"

namespace braid::net::detail {

IoThread::IoThread(std::string name) : work_(asio::make_work_guard(context_)) {
  thread_ = Thread(clock_, std::move(name), [this] {
    while (true) {
      try {
        context_.run();
        break;
      } catch (const std::exception& error) {
        log(LogLevel::kError, "an io handler threw: {}; going on", error.what());
      }
    }
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  });
}

IoThread::~IoThread() {
  guarded("an io thread's end", [this] {
    release();
    join();
  });
}

bool IoThread::post(std::function<void()> work) {
  const std::scoped_lock lock(mutex_);
  if (ended_) return false;
  asio::post(context_, std::move(work));
  return true;
}

void IoThread::wake(std::weak_ptr<Wakeable> sleeper) {
  post([sleeper = std::move(sleeper)] {
    if (const auto found = sleeper.lock()) found->on_wake();
  });
}

void IoThread::release() {
  post([this] { work_.reset(); });
}

void IoThread::join() { thread_.join(); }

void guarded(const char* what, const std::function<void()>& call) {
  if (!call) return;
  try {
    call();
  } catch (const std::exception& error) {
    log(LogLevel::kError, "{} threw: {}", what, error.what());
  } catch (...) {
    log(LogLevel::kError, "{} threw", what);
  }
}

Task<bool> Event::wait(TimePoint until) {
  if (!is_set_ && until > std::chrono::steady_clock::now()) {
    timer_.expires_at(until);
    co_await timer_.async_wait(kAwait);
  }
  co_return std::exchange(is_set_, false);
}

}  // namespace braid::net::detail
