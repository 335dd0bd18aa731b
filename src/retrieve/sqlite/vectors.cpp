// What records are like: a table of f32 vectors for each space.

#include <fmt/format.h>

#include "sqlite/rows.h"

namespace braid::retrieve {

Result<SqliteRows::Space> SqliteRows::space(const RecordVector& vector) {
  const auto dim = static_cast<std::int64_t>(vector.values.size());
  auto row = database_.prepare("SELECT id, dim FROM spaces WHERE name = ?");
  if (!row) return tl::unexpected(row.error());
  const auto there = row->bind(std::string_view(vector.space)).step();
  if (!there) return tl::unexpected(there.error());
  if (*there) return Space{row->integer(0), row->integer(1)};
  auto made = database_.prepare("INSERT INTO spaces(name, dim) VALUES(?, ?)");
  if (!made) return tl::unexpected(made.error());
  if (Status run = made->bind(std::string_view(vector.space), dim).run(); !run)
    return tl::unexpected(run.error());
  const Space space{database_.last_id(), dim};
  const Status table = database_.run(
      fmt::format("CREATE TABLE vectors_{}(id INTEGER PRIMARY KEY, vector BLOB NOT NULL)", space.id));
  if (!table) return tl::unexpected(table.error());
  return space;
}

Status SqliteRows::append_vector(std::int64_t id, const RecordVector& vector) {
  const auto in = space(vector);
  if (!in) return tl::unexpected(in.error());
  // Another model of the same name: its vectors can't be compared with those that are there.
  if (in->dim != static_cast<std::int64_t>(vector.values.size())) return {};
  auto row = database_.prepare(fmt::format("INSERT INTO vectors_{}(id, vector) VALUES(?, ?)", in->id));
  if (!row) return tl::unexpected(row.error());
  return row->bind(id, std::as_bytes(std::span(vector.values))).run();
}

Status SqliteRows::prune_vectors(const std::string& chosen) {
  auto spaces = database_.prepare("SELECT id FROM spaces");
  if (!spaces) return tl::unexpected(spaces.error());
  for (;;) {
    const auto row = spaces->step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return {};
    const Status gone = database_.run(fmt::format(
        "DELETE FROM vectors_{} WHERE id IN (SELECT id FROM records WHERE {})", spaces->integer(0), chosen));
    if (!gone) return gone;
  }
}

}  // namespace braid::retrieve
