#pragma once
// Braid's own: what sessions left in the server's memory, over HTTP (/v1/memory/search).

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/base/time.h"
#include "braid/openai/api_error.h"

namespace braid::openai {

struct MemorySearchLimits {
  std::size_t body_bytes = 64U << 10;
  std::size_t query_bytes = 4096;
  std::size_t time_bytes = 200;
  std::size_t sources = 16;
  std::size_t source_bytes = 512;
  std::size_t kinds = 16;
  int hits = 100;
};

/// POST /v1/memory/search {"query"?, "during"?, "from"?, "to"?, "zone"?, "source"?, "kind"?, "limit"?,
/// "deadline_ms"?}: as the arguments of `braid memory search`; "source" and "kind" are a text or an array of
/// texts. Times and kinds are read by the server.
struct MemorySearch {
  std::string query;
  std::string during, from, to;
  std::string zone;  ///< empty: UTC
  std::vector<std::string> sources, kinds;
  int limit = 10;
  std::optional<Nanoseconds> deadline;  ///< for each part of the search
};
Parsed<MemorySearch> parse_memory_search(std::string_view body, const MemorySearchLimits& limits = {});

}  // namespace braid::openai
