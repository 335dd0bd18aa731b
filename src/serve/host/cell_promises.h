#pragma once
// Whose KV cells are whose before they hold anything.

#include <list>
#include <mutex>
#include <optional>

#include "braid/base/clock.h"
#include "braid/base/result.h"

namespace braid::serve {

/// Cells and sequences are promised before a client begins, so that none can be starved of what it was given.
/// A client that has nothing under way says so, and may lose its promise to one that has. Thread-safe.
class CellPromises {
 public:
  /// Who has been idle for `idle_after` gives way.
  CellPromises(int cells, int sequences, Clock& clock, Nanoseconds idle_after);

  /// Given back when destroyed. One thread at a time.
  class Promise {
   public:
    Promise() = default;
    Promise(Promise&& other) noexcept { *this = std::move(other); }
    Promise& operator=(Promise&& other) noexcept;
    ~Promise() { give_back(); }

    bool valid() const { return table_ != nullptr; }
    /// Nothing has been under way since then: others may take it, until hold().
    void idle(SteadyTime since);
    /// False: others took it, or there never was one.
    bool hold();
    bool taken() const;

   private:
    friend class CellPromises;
    struct Held {
      int cells = 0, sequences = 0;
      std::optional<SteadyTime> idle_since;
      bool taken = false;
    };
    Promise(CellPromises* table, std::list<Held>::iterator held) : table_(table), held_(held) {}
    void give_back();

    CellPromises* table_ = nullptr;
    std::list<Held>::iterator held_;
  };

  /// Takes from idle ones, the longest idle first, if that is enough. What it took is free for use once the
  /// losers have been asked to give way (StepClient::give_way()). kFull (retryable): others hold too much.
  Result<Promise> make(int cells, int sequences);
  /// Takes nothing from anybody, idle or not. kFull (retryable).
  Result<Promise> make_spare(int cells, int sequences);

  int cells() const;      ///< promised
  int sequences() const;  ///< promised

 private:
  using Held = Promise::Held;
  Result<Promise> make(int cells, int sequences, bool from_idle);
  bool take_from_idle(int cells, int sequences);
  void take(Held& held);

  const int all_cells_, all_sequences_;
  Clock& clock_;
  const Nanoseconds idle_after_;
  mutable std::mutex mutex_;  // guards what follows
  int cells_ = 0, sequences_ = 0;
  std::list<Held> held_;
};

}  // namespace braid::serve
