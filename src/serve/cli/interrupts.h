#pragma once
// Ctrl-C, SIGTERM and SIGHUP as calls on a thread, not in a signal handler.

#include <functional>
#include <string>
#include <thread>

namespace braid::serve {

/// While it lives, SIGINT, SIGTERM and SIGHUP call `on_signal` with how many came so far, 1 first. Made
/// before any other thread of ours, so that all of them leave these signals to it. At most one at a time.
class Interrupts {
 public:
  explicit Interrupts(std::function<void(int)> on_signal);
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// The signal that came last.
  static int last();

 private:
  void listen();

  std::function<void(int)> on_signal_;
  int wake_ = -1;  // eventfd
  std::thread thread_;
};

/// Calls `on_line` for each line that comes on `descriptor` until its end (then `on_end`) or destruction. The
/// descriptor outlives it.
class TypedLines {
 public:
  TypedLines(int descriptor, std::function<void(std::string)> on_line, std::function<void()> on_end);
  ~TypedLines();
  TypedLines(const TypedLines&) = delete;
  TypedLines& operator=(const TypedLines&) = delete;

 private:
  void listen();

  const int descriptor_;
  std::function<void(std::string)> on_line_;
  std::function<void()> on_end_;
  int wake_ = -1;  // eventfd
  std::thread thread_;
};

}  // namespace braid::serve
