#pragma once
// Asio as this module uses it: one io_context a thread, coroutines, errors as values.

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "braid/base/clock.h"

// Asio allocates coroutine frames in one way and frees them in the same; GCC 12 pairs the wrong two when it
// inlines less.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

namespace braid::net::detail {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using TimePoint = std::chrono::steady_clock::time_point;

template <class T = void>
using Task = asio::awaitable<T>;
/// co_await f(…, kAwait) gives (error_code, …).
inline constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);

/// Whatever other threads wake when they changed something that its io thread must look at.
class Wakeable {
 public:
  virtual ~Wakeable() = default;
  /// On the io thread.
  virtual void on_wake() = 0;
};

/// One io_context and the thread that runs it.
class IoThread {
 public:
  explicit IoThread(std::string name);
  /// Joins.
  ~IoThread();

  asio::io_context& context() { return context_; }
  /// From any thread: `work` runs on the io thread; false, and it is dropped, if that has ended.
  bool post(std::function<void()> work);
  void wake(std::weak_ptr<Wakeable> sleeper);
  /// Lets the thread end when nothing is left to do.
  void release();
  /// Blocks until the thread has ended.
  void join();

 private:
  RealClock clock_;
  asio::io_context context_{1};
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work_;
  std::mutex mutex_;  // guards ended_
  bool ended_ = false;
  Thread thread_;
};

/// Runs `call`, an outsider's callback: what it throws is logged and dropped.
void guarded(const char* what, const std::function<void()>& call);

/// For what is done as well as it goes: an error changes nothing.
inline void best_effort(const error_code& /*unused*/) {}

/// A flag that one coroutine waits for, on one io thread.
class Event {
 public:
  explicit Event(const asio::any_io_executor& executor) : timer_(executor) {}

  void set() {
    is_set_ = true;
    timer_.cancel();
  }
  /// Until set or `until`, whichever is first; the flag is down afterwards. Returns whether it was set.
  Task<bool> wait(TimePoint until);

 private:
  asio::steady_timer timer_;
  bool is_set_ = false;
};

}  // namespace braid::net::detail
