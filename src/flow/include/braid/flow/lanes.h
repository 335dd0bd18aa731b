#pragma once
// The bounded pipe between two stages, with one lane for each sender, so that a stage that merges by time can
// hold back the sender that is ahead and wait for the one behind.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "braid/base/clock.h"
#include "braid/flow/ring.h"

namespace braid::flow {

/// What a full lane does with one more item.
enum class WhenFull {
  kBlock,       ///< the sender waits: nothing is lost (files, --fast)
  kDropOldest,  ///< the oldest droppable item goes, counted; with none droppable the sender waits (live)
};

/// What became of a push; says what the sender does next.
enum class Pushed {
  kTaken,   ///< go on
  kClosed,  ///< the receiver is gone: stop
};

template <class T>
class Sender;

/// Options of a Lanes.
template <class T>
struct LaneOptions {
  std::size_t capacity = 16;  ///< items a lane holds; at least 1
  WhenFull when_full = WhenFull::kBlock;
  std::function<bool(const T&)> droppable = {};  ///< none: everything is
  std::function<void(T&&)> on_drop =
      {};  ///< called without the lock, on the sender's thread; counts by reason
};

/// The receiving end, owned by one thread. Destroying it or close() frees the senders that wait.
template <class T>
class Lanes {
 public:
  explicit Lanes(Clock& clock) : state_(std::make_shared<State>(clock)) {}
  ~Lanes() { close(); }
  Lanes(Lanes&&) noexcept = default;
  Lanes& operator=(Lanes&& other) noexcept {
    if (this != &other) {
      close();
      state_ = std::move(other.state_);
    }
    return *this;
  }

  /// Adds a lane. Any thread. Lanes number up from 0; a number that was closed and whose sender has ended is
  /// given again.
  Sender<T> add_lane(LaneOptions<T> options = {});

  std::size_t lanes() const;
  /// The next item of `lane` if there is one. Never blocks.
  std::optional<T> try_pop(std::size_t lane);
  /// Shows `visit` what waits in `lane`, the oldest first, until it returns false. Under the lock: brief.
  template <class Visit>
  void look(std::size_t lane, Visit visit) const;
  /// True when the lane's sender is gone and its items are all taken.
  bool ended(std::size_t lane) const;
  /// Blocks until any lane gets an item, ends or is added after this receiver's last look at it, `wake()` was
  /// called, or `until` passed.
  void wait(std::optional<SteadyTime> until = std::nullopt);
  /// Makes the current or next wait() return. Any thread.
  void wake() const;
  /// A function that does what wake() does and may outlive this object.
  std::function<void()> waker() const;
  void close();
  /// The receiver is done with one lane: what it holds is dropped, its sender's next push says kClosed.
  void close(std::size_t lane);

 private:
  friend class Sender<T>;
  struct Lane {
    LaneOptions<T> options;
    Ring<T> items;
    bool ended = false;
    bool closed = false;
  };
  struct State {
    explicit State(Clock& clock) : readable(clock), writable(clock) {}
    std::mutex mutex;
    Signal readable;
    Signal writable;
    std::vector<Lane> lanes;
    bool closed = false;
    std::uint64_t changes = 0;  // counts what wait() waits for
    std::uint64_t seen = 0;

    void changed() {
      ++changes;
      readable.notify_all();
    }
  };
  std::shared_ptr<State> state_;
};

/// The sending end of one lane; movable, used by one thread at a time. Destroying it ends the lane.
template <class T>
class Sender {
 public:
  Sender() = default;
  Sender(Sender&&) noexcept = default;
  Sender& operator=(Sender&& other) noexcept {
    if (this != &other) {
      end();
      state_ = std::move(other.state_);
      lane_ = other.lane_;
    }
    return *this;
  }
  ~Sender() { end(); }

  /// Blocks as WhenFull says.
  Pushed push(T item);
  /// No more items will come. Idempotent.
  void end();
  /// The lane's number at the receiver.
  std::size_t lane() const { return lane_; }

 private:
  friend class Lanes<T>;
  using State = typename Lanes<T>::State;
  Sender(std::shared_ptr<State> state, std::size_t lane) : state_(std::move(state)), lane_(lane) {}
  std::optional<T> make_room(typename Lanes<T>::Lane& lane);

  std::shared_ptr<State> state_;
  std::size_t lane_ = 0;
};

template <class T>
Sender<T> Lanes<T>::add_lane(LaneOptions<T> options) {
  std::lock_guard lock(state_->mutex);
  if (options.capacity == 0) options.capacity = 1;
  auto& lanes = state_->lanes;
  auto lane =
      std::find_if(lanes.begin(), lanes.end(), [](const Lane& one) { return one.closed && one.ended; });
  if (lane == lanes.end()) lane = lanes.insert(lane, Lane{});
  *lane = Lane{std::move(options), {}, false, false};
  state_->changed();
  return Sender<T>(state_, static_cast<std::size_t>(lane - lanes.begin()));
}

template <class T>
std::size_t Lanes<T>::lanes() const {
  std::lock_guard lock(state_->mutex);
  return state_->lanes.size();
}

template <class T>
std::optional<T> Lanes<T>::try_pop(std::size_t lane) {
  std::lock_guard lock(state_->mutex);
  auto& items = state_->lanes[lane].items;
  if (items.empty()) return std::nullopt;
  std::optional<T> item(items.pop_front());
  state_->writable.notify_all();
  return item;
}

template <class T>
template <class Visit>
void Lanes<T>::look(std::size_t lane, Visit visit) const {
  std::lock_guard lock(state_->mutex);
  auto& items = state_->lanes[lane].items;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (!visit(std::as_const(items[i]))) return;
}

template <class T>
bool Lanes<T>::ended(std::size_t lane) const {
  std::lock_guard lock(state_->mutex);
  return state_->lanes[lane].ended && state_->lanes[lane].items.empty();
}

template <class T>
void Lanes<T>::wait(std::optional<SteadyTime> until) {
  std::unique_lock lock(state_->mutex);
  const auto ready = [this] { return state_->changes != state_->seen || state_->closed; };
  if (until)
    state_->readable.wait_until(lock, *until, ready);
  else
    state_->readable.wait(lock, ready);
  state_->seen = state_->changes;
}

template <class T>
void Lanes<T>::wake() const {
  std::lock_guard lock(state_->mutex);
  state_->changed();
}

template <class T>
std::function<void()> Lanes<T>::waker() const {
  return [state = state_] {
    std::lock_guard lock(state->mutex);
    state->changed();
  };
}

template <class T>
void Lanes<T>::close() {
  if (!state_) return;
  std::vector<Ring<T>> left;  // destroyed without the lock
  std::lock_guard lock(state_->mutex);
  state_->closed = true;
  for (auto& lane : state_->lanes) left.push_back(std::exchange(lane.items, {}));
  state_->writable.notify_all();
  state_->changed();
}

template <class T>
void Lanes<T>::close(std::size_t lane) {
  Ring<T> left;  // destroyed without the lock
  std::lock_guard lock(state_->mutex);
  state_->lanes[lane].closed = true;
  left = std::exchange(state_->lanes[lane].items, {});
  state_->writable.notify_all();
}

template <class T>
std::optional<T> Sender<T>::make_room(typename Lanes<T>::Lane& lane) {
  if (lane.options.when_full != WhenFull::kDropOldest) return std::nullopt;
  for (std::size_t i = 0; i < lane.items.size(); ++i) {
    if (lane.options.droppable && !lane.options.droppable(lane.items[i])) continue;
    return lane.items.take(i);
  }
  return std::nullopt;
}

template <class T>
Pushed Sender<T>::push(T item) {
  if (!state_) return Pushed::kClosed;
  std::optional<T> dropped;
  std::function<void(T &&)> on_drop;
  {
    std::unique_lock lock(state_->mutex);
    const auto full = [&] {
      return state_->lanes[lane_].items.size() >= state_->lanes[lane_].options.capacity;
    };
    const auto closed = [&] { return state_->closed || state_->lanes[lane_].closed; };
    if (full() && !closed()) dropped = make_room(state_->lanes[lane_]);
    state_->writable.wait(lock, [&] { return !full() || closed(); });
    if (closed()) return Pushed::kClosed;
    auto& lane = state_->lanes[lane_];
    lane.items.push_back(std::move(item));
    if (dropped) on_drop = lane.options.on_drop;
    state_->changed();
  }
  if (dropped && on_drop) on_drop(std::move(*dropped));
  return Pushed::kTaken;
}

template <class T>
void Sender<T>::end() {
  if (!state_) return;
  {
    std::lock_guard lock(state_->mutex);
    state_->lanes[lane_].ended = true;
    state_->changed();
  }
  state_.reset();
}

}  // namespace braid::flow
