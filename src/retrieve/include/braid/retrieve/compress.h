#pragma once
// What of the records that were found a prompt needs.

#include <string_view>
#include <vector>

#include "braid/retrieve/record.h"

namespace braid::retrieve {

struct CompressOptions {
  std::size_t records = 8;    ///< at most
  std::size_t sentences = 3;  ///< of a record, at most
};

/// `found` is best first, and so is what comes back, its texts shortened.
///
/// Of records of one source and kind that say the same (nine tenths of their words, and all their numbers)
/// the earliest and the latest stay: between them it was so. Of a record of more sentences those stay, in
/// their order, that fit the query best and say the least of what was taken already: maximal marginal
/// relevance (Carbonell, Goldstein 1998) over TF-IDF of the sentences found (Spaerck Jones 1972), in which a
/// record's earlier sentences count for more. Where the query has no words of its own what is typical of its
/// record counts. Pure.
std::vector<Record> compress(std::vector<Record> found, std::string_view query,
                             const CompressOptions& options = {});

}  // namespace braid::retrieve
