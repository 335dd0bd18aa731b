#include "braid/base/clock.h"

#include <pthread.h>

#include <utility>

namespace braid {

namespace {

class RealWaiter final : public detail::Waiter {
 public:
  void wait(std::unique_lock<std::mutex>& lock, std::optional<SteadyTime> until) override {
    if (!until) return condition_.wait(lock);
    condition_.wait_until(lock, std::chrono::steady_clock::time_point(until->time_since_epoch()));
  }
  void notify_all() override { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace

void Clock::sleep_until(SteadyTime until) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  Signal(*this).wait_until(lock, until, [] { return false; });
}

SteadyTime RealClock::now() const {
  return SteadyTime(
      std::chrono::duration_cast<Nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()));
}

std::unique_ptr<detail::Waiter> RealClock::make_waiter() { return std::make_unique<RealWaiter>(); }

std::thread RealClock::start_thread(std::string name, std::function<void()> body) {
  return std::thread([name = std::move(name), body = std::move(body)] {
    pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
    body();
  });
}

struct Thread::Done {
  explicit Done(Clock& clock) : signal(clock) {}
  std::mutex mutex;
  Signal signal;
  bool done = false;
};

Thread::Thread(Clock& clock, std::string name, std::function<void()> body)
    : done_(std::make_shared<Done>(clock)),
      thread_(clock.start_thread(std::move(name), [done = done_, body = std::move(body)] {
        body();
        std::lock_guard lock(done->mutex);
        done->done = true;
        done->signal.notify_all();
      })) {}

Thread& Thread::operator=(Thread&& other) noexcept {
  if (this != &other) {
    join();
    done_ = std::move(other.done_);
    thread_ = std::move(other.thread_);
  }
  return *this;
}

void Thread::join() {
  if (!thread_.joinable()) return;
  {
    std::unique_lock lock(done_->mutex);
    done_->signal.wait(lock, [this] { return done_->done; });
  }
  thread_.join();
}

}  // namespace braid
