#pragma once
// A queue in one block of memory.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace braid::flow {

/// First in, first out. The block grows to the most it ever held and stays: a pipe in use allocates nothing,
/// where a std::deque takes a new block for every large item. One thread, as any container.
template <class T>
class Ring {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// The i-th oldest; i < size().
  T& operator[](std::size_t i) { return *slot(i); }

  void push_back(T item) {
    if (size_ == slots_.size()) grow();
    slot(size_).emplace(std::move(item));
    ++size_;
  }

  /// Not from an empty one.
  T pop_front() {
    T item = std::move(*slot(0));
    slot(0).reset();
    first_ = (first_ + 1) % slots_.size();
    --size_;
    return item;
  }

  /// Takes the i-th out; younger ones move up.
  T take(std::size_t i) {
    T item = std::move(*slot(i));
    for (; i + 1 < size_; ++i) *slot(i) = std::move(*slot(i + 1));
    slot(i).reset();
    --size_;
    return item;
  }

 private:
  std::optional<T>& slot(std::size_t i) { return slots_[(first_ + i) % slots_.size()]; }

  void grow() {
    std::vector<std::optional<T>> larger(std::max<std::size_t>(4, 2 * size_));
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move(slot(i));
    slots_ = std::move(larger);
    first_ = 0;
  }

  std::vector<std::optional<T>> slots_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace braid::flow
