#pragma once
// What is looked for in a memory, in the words of who asks.

#include <string>
#include <vector>

#include "braid/calendar/time_range.h"
#include "braid/retrieve/search.h"

namespace braid::serve {

struct SearchWords {
  std::string query;             ///< may name a time, where none of the next three is given
  std::string during, from, to;  ///< as calendar reads them
  std::vector<std::string> sources, kinds;
  int limit = 10;
  Nanoseconds deadline = Milliseconds(500);
};

/// What doesn't fit, and the name of what it was given as: "from".
struct MisfitWord {
  std::string name;
  Error error;
};

/// Who asks, with the system's time. Errors of Zone::parse.
Result<calendar::Asker> asker_in(const std::string& zone);
/// `prefix`: of the names in messages, "--" for flags.
tl::expected<retrieve::SearchQuery, MisfitWord> search_query(const SearchWords& words,
                                                             const calendar::Asker& asker,
                                                             std::string_view prefix);
/// As parse_record_kind(), with the name it was given as.
Result<retrieve::RecordKind> kind_of(const std::string& given_as, const std::string& name);
/// As parse_time_range(), with the name it was given as.
Result<calendar::UtcRange> time_of(const std::string& given_as, const std::string& text,
                                   const calendar::Asker& asker);

}  // namespace braid::serve
