// What records are like: a table of f32 vectors for each space.

#include <fmt/format.h>

#include "sqlite/rows.h"

namespace braid::retrieve {

Result<SqliteRows::Space> SqliteRows::space(const std::string& name, std::int64_t dim) {
  if (!has_spaces_) return Space{};
  auto row = database_.prepare("SELECT id, dim FROM spaces WHERE name = ?");
  if (!row) return tl::unexpected(row.error());
  const auto there = row->bind(std::string_view(name)).step();
  if (!there) return tl::unexpected(there.error());
  if (*there) return Space{row->integer(0), row->integer(1)};
  if (dim == 0) return Space{};
  auto made = database_.prepare("INSERT INTO spaces(name, dim) VALUES(?, ?)");
  if (!made) return tl::unexpected(made.error());
  if (Status run = made->bind(std::string_view(name), dim).run(); !run) return tl::unexpected(run.error());
  const Space space{database_.last_id(), dim};
  const Status table = database_.run(
      fmt::format("CREATE TABLE vectors_{}(id INTEGER PRIMARY KEY, vector BLOB NOT NULL)", space.id));
  if (!table) return tl::unexpected(table.error());
  return space;
}

Status SqliteRows::append_vector(std::int64_t id, const std::string& in, std::span<const float> vector) {
  const auto there = space(in, static_cast<std::int64_t>(vector.size()));
  if (!there) return tl::unexpected(there.error());
  // Another model of the same name: its vectors can't be compared with those that are there.
  if (there->dim != static_cast<std::int64_t>(vector.size())) return {};
  auto row =
      database_.prepare(fmt::format("INSERT OR IGNORE INTO vectors_{}(id, vector) VALUES(?, ?)", there->id));
  if (!row) return tl::unexpected(row.error());
  return row->bind(id, std::as_bytes(vector)).run();
}

Status SqliteRows::append_vectors(const std::string& space, const VectorBlock& block,
                                  const std::vector<Merge>& merges) {
  return transaction([&]() -> Status {
    for (std::size_t i = 0; i < block.ids.size(); ++i)
      if (Status kept = append_vector(block.ids[i], space, block.row(i)); !kept) return kept;
    for (const Merge& one : merges)
      if (Status merged = merge(one); !merged) return merged;
    return {};
  });
}

Status SqliteRows::merge(const Merge& merge) {
  auto ends = database_.prepare("SELECT segment, end_ns, count FROM records WHERE id = ?");
  if (!ends) return tl::unexpected(ends.error());
  const auto there = ends->bind(merge.of).step();
  if (!there) return tl::unexpected(there.error());
  if (!*there) return {};
  const std::int64_t segment = ends->integer(0), end = ends->integer(1), count = ends->integer(2);
  Status done = prune_vectors(fmt::format("id = {}", merge.of));
  if (done)
    done = database_.run(fmt::format(
        "INSERT INTO words_{0}(words_{0}, rowid, text) SELECT 'delete', id, text FROM records WHERE id = {1};"
        "DELETE FROM records WHERE id = {1};"
        "UPDATE segments SET records = records - 1 WHERE id = {0};"
        "UPDATE records SET end_ns = max(end_ns, {2}), count = count + {3} WHERE id = {4};"
        "UPDATE segments SET last_ns = max(last_ns, {2}) WHERE id = (SELECT segment FROM records WHERE id = "
        "{4});"
        "UPDATE OR REPLACE links SET of = {4} WHERE of = {1};"
        "UPDATE OR REPLACE links SET target = {4} WHERE target = {1}",
        segment, merge.of, end, count, merge.into));
  return done;
}

Status SqliteRows::read_vectors(Statement& rows, VectorBlock& block) {
  for (;;) {
    const auto row = rows.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return {};
    rows.append_floats(1, block.values);
    // A blob of another length is damage; what it lacks counts as zeros.
    block.values.resize(block.dim * (block.ids.size() + 1));
    block.ids.push_back(rows.integer(0));
  }
}

Result<VectorBlock> SqliteRows::vectors(const std::string& space, std::int64_t first_id,
                                        std::int64_t last_id) {
  VectorBlock block;
  const auto in = this->space(space, 0);
  if (!in) return tl::unexpected(in.error());
  if (in->id == 0) return block;
  block.dim = static_cast<std::size_t>(in->dim);
  auto rows = database_.prepare(
      fmt::format("SELECT id, vector FROM vectors_{} WHERE id BETWEEN ? AND ? ORDER BY id", in->id));
  if (!rows) return tl::unexpected(rows.error());
  rows->bind(first_id, last_id);
  if (Status read = read_vectors(*rows, block); !read) return tl::unexpected(read.error());
  return block;
}

Result<VectorBlock> SqliteRows::vectors(const std::string& space, const std::vector<std::int64_t>& ids) {
  VectorBlock block;
  const auto in = this->space(space, 0);
  if (!in) return tl::unexpected(in.error());
  if (in->id == 0) return block;
  block.dim = static_cast<std::size_t>(in->dim);
  auto rows = database_.prepare(fmt::format("SELECT id, vector FROM vectors_{} WHERE id = ?", in->id));
  if (!rows) return tl::unexpected(rows.error());
  for (const std::int64_t id : ids) {
    rows->bind(id);
    if (Status read = read_vectors(*rows, block); !read) return tl::unexpected(read.error());
  }
  return block;
}

Result<std::int64_t> SqliteRows::newest_vector(const std::string& space) {
  const auto in = this->space(space, 0);
  if (!in) return tl::unexpected(in.error());
  if (in->id == 0) return 0;
  return database_.number(fmt::format("SELECT coalesce(max(id), 0) FROM vectors_{}", in->id));
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
