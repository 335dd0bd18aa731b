// Forgetting: whole segments where it can be, rows of those at the border.

#include <fmt/format.h>

#include "sqlite/rows.h"

namespace braid::retrieve {

Result<std::int64_t> SqliteRows::prune(UtcTime before) {
  std::int64_t pruned = 0;
  const Status done = transaction([&]() -> Status {
    auto count = prune_all(before);
    if (!count) return tl::unexpected(count.error());
    pruned = *count;
    return {};
  });
  if (!done) return tl::unexpected(done.error());
  return pruned;
}

Result<std::uint64_t> SqliteRows::bytes() {
  const auto bytes = database_.number(
      "SELECT (p.page_count - f.freelist_count) * s.page_size"
      " FROM pragma_page_count p, pragma_freelist_count f, pragma_page_size s");
  if (!bytes) return tl::unexpected(bytes.error());
  return static_cast<std::uint64_t>(*bytes);
}

Result<UtcTime> SqliteRows::oldest(std::int64_t one_in) {
  const auto end =
      database_.number(fmt::format("SELECT coalesce((SELECT end_ns + 1 FROM records ORDER BY end_ns"
                                   " LIMIT 1 OFFSET (SELECT sum(records) / {} FROM segments)), {})",
                                   one_in, UtcTime::max().time_since_epoch().count()));
  if (!end) return tl::unexpected(end.error());
  return UtcTime(Nanoseconds(*end));
}

Result<std::int64_t> SqliteRows::prune_all(UtcTime before) {
  const std::int64_t before_ns = before.time_since_epoch().count();
  const auto old = segments(fmt::format("WHERE first_ns < {} ORDER BY id", before_ns));
  if (!old) return tl::unexpected(old.error());
  std::int64_t pruned = 0;
  for (const Segment& segment : *old) {
    if (segment.last_ns >= before_ns) {
      const auto within = prune_within(segment, before_ns);
      if (!within) return within;
      pruned += *within;
      continue;
    }
    if (Status gone = prune_vectors(fmt::format("segment = {}", segment.id)); !gone)
      return tl::unexpected(gone.error());
    if (Status gone = prune_links(fmt::format("segment = {}", segment.id)); !gone)
      return tl::unexpected(gone.error());
    const Status dropped = database_.run(fmt::format(
        "DROP TABLE words_{0}; DELETE FROM records WHERE segment = {0}; DELETE FROM segments WHERE id = {0}",
        segment.id));
    if (!dropped) return tl::unexpected(dropped.error());
    pruned += segment.records;
  }
  return pruned;
}

Result<std::int64_t> SqliteRows::prune_within(const Segment& segment, std::int64_t before_ns) {
  const std::string chosen = fmt::format("segment = {} AND end_ns < {}", segment.id, before_ns);
  Status done = database_.run(fmt::format(
      "INSERT INTO words_{0}(words_{0}, rowid, text) SELECT 'delete', id, text FROM records WHERE {1}",
      segment.id, chosen));
  if (done) done = prune_vectors(chosen);
  if (done) done = prune_links(chosen);
  if (done) done = database_.run("DELETE FROM records WHERE " + chosen);
  if (!done) return tl::unexpected(done.error());
  const std::int64_t pruned = database_.changes();
  if (pruned == 0) return 0;
  done = database_.run(
      fmt::format("UPDATE segments SET records = records - {1}, first_ns = (SELECT min(start_ns) FROM records"
                  " WHERE segment = {0}) WHERE id = {0}",
                  segment.id, pruned));
  if (!done) return tl::unexpected(done.error());
  return pruned;
}

}  // namespace braid::retrieve
