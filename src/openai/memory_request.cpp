#include <algorithm>
#include <array>

#include "braid/openai/memory_api.h"
#include "field_reader.h"
#include "text_list.h"

namespace braid::openai {

namespace {

constexpr JsonIndex kRoot = 0;
constexpr JsonBounds kBounds{256, 4};
constexpr double kMaxDeadlineMs = 2000;
constexpr std::array<std::string_view, 9> kKeys = {"query",  "during", "from",  "to",         "zone",
                                                   "source", "kind",   "limit", "deadline_ms"};

}  // namespace

Parsed<MemorySearch> parse_memory_search(std::string_view body, const MemorySearchLimits& limits) {
  const auto doc = parse_object(body, limits.body_bytes, kBounds);
  if (!doc) return tl::unexpected(doc.error());
  FieldReader reader(*doc);
  reader.only(kRoot, kKeys);
  MemorySearch search;
  const auto text = [&](std::string_view name, std::string& to, std::size_t max_bytes) {
    if (const auto value = reader.string(kRoot, name, max_bytes)) to = *value;
  };
  text("query", search.query, limits.query_bytes);
  text("during", search.during, limits.time_bytes);
  text("from", search.from, limits.time_bytes);
  text("to", search.to, limits.time_bytes);
  text("zone", search.zone, limits.time_bytes);
  search.sources = read_texts(reader, kRoot, "source", {limits.sources, limits.source_bytes});
  search.kinds = read_texts(reader, kRoot, "kind", {limits.kinds, limits.source_bytes});
  const auto limit = reader.integer(kRoot, "limit", 1, limits.hits);
  search.limit = std::min(limit ? static_cast<int>(*limit) : search.limit, limits.hits);
  if (const auto ms = reader.decimal(kRoot, "deadline_ms", 1, kMaxDeadlineMs))
    search.deadline = from_seconds(*ms / 1000);
  if (reader.failed()) return tl::unexpected(reader.take_error());
  return search;
}

}  // namespace braid::openai
