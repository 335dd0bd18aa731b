#pragma once
// The memories of a server: one for each key, in one folder.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "braid/retrieve/memory.h"
#include "memory/memory_counts.h"

namespace braid::serve {

/// A key finds nothing but what its own sessions wrote: each has a folder of its own. What belongs to no key
/// (the server's own sources, or all where no keys are needed) is in the folder itself, so that `braid
/// memory` finds it there; the others are below `keys/`. Thread-safe.
class Memories {
 public:
  /// One that is open.
  class One {
   public:
    One(std::shared_ptr<retrieve::Memory> memory, std::string folder)
        : memory_(std::move(memory)), folder_(std::move(folder)) {}
    const std::shared_ptr<retrieve::Memory>& memory() const { return memory_; }
    /// Logs once each time that it begins to fail, and when it goes on. Any thread; doesn't block.
    void tell_trouble();
    /// Commits what waits; what is lost is logged.
    void finish();

   private:
    const std::shared_ptr<retrieve::Memory> memory_;
    const std::string folder_;
    std::atomic<bool> in_trouble_ = false;
  };

  /// Opens the folder's own. `options`: of each. Errors of Memory::open.
  static Result<std::unique_ptr<Memories>> open(const std::string& folder, retrieve::MemoryOptions options,
                                                Clock& clock);
  /// Commits what waits.
  ~Memories();

  /// The key's, which is made if it is to be written to. Blocks for a disk. kUnsupported: the key's
  /// name is too long; those of Memory::open.
  Result<std::shared_ptr<One>> of(const std::string& owner);
  MemoryCounts counts() const;

 private:
  Memories(std::string folder, retrieve::MemoryOptions options, Clock& clock)
      : folder_(std::move(folder)), options_(std::move(options)), clock_(clock) {}
  Result<std::shared_ptr<One>> open_one(const std::string& owner);
  void close_unused();

  const std::string folder_;
  const retrieve::MemoryOptions options_;
  Clock& clock_;
  mutable std::mutex mutex_;                          // guards what follows
  std::map<std::string, std::shared_ptr<One>> open_;  // by owner
  std::set<std::string> refused_;                     // owners whose memory couldn't be opened
  MemoryCounts closed_;                               // of those that are open no more
};

/// Where a key's memory lies, below the server's folder. kUnsupported: its name is too long.
Result<std::string> memory_place(const std::string& owner);

}  // namespace braid::serve
