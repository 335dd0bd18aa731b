#pragma once
// Rows and full text, whatever database keeps them.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "braid/base/result.h"
#include "braid/retrieve/memory.h"
#include "fusion.h"

namespace braid::retrieve {

/// Asked now and then by what may take long; true: stop, with kLate.
using Stop = std::function<bool()>;

/// One thread at a time.
class RowStore {
 public:
  virtual ~RowStore() = default;

  /// All or none; gives them their ids.
  virtual Status append(std::vector<Record>& records) = 0;
  /// Records with any of the words, best first (BM25: Robertson, Walker 1994). Words that more than one
  /// record in a hundred has are left out where there are rarer ones.
  virtual Result<Ranking> by_words(const std::vector<std::string>& words, const Filter& filter, int limit,
                                   const Stop& stop) = 0;
  /// Newest end first.
  virtual Result<Ranking> newest(const Filter& filter, int limit, const Stop& stop) = 0;
  /// Those that are there, in the order of `ids`.
  virtual Result<std::vector<Record>> get(const std::vector<std::int64_t>& ids) = 0;
  virtual Result<MemoryStats> stats() = 0;
  virtual Result<std::int64_t> prune(UtcTime before) = 0;
};

}  // namespace braid::retrieve
