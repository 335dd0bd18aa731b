// All records one after the other, and records of another memory with how far they came.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sqlite/rows.h"

namespace braid::retrieve {

namespace {

/// How far imports came; and of one that isn't done, which numbers its records got.
constexpr const char* kImports =
    "CREATE TABLE IF NOT EXISTS imports(key TEXT PRIMARY KEY, done INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS import_ids(key TEXT NOT NULL, old INTEGER NOT NULL, new INTEGER NOT NULL,"
    " PRIMARY KEY(key, old)) WITHOUT ROWID";

}  // namespace

Result<std::vector<Record>> SqliteRows::page(std::int64_t after, int limit, bool with_vectors) {
  auto rows =
      database_.prepare(fmt::format("SELECT {} FROM records WHERE id > ? ORDER BY id LIMIT ?", columns()));
  if (!rows) return tl::unexpected(rows.error());
  rows->bind(after, static_cast<std::int64_t>(limit));
  std::vector<Record> records;
  Result<bool> row = false;
  for (row = rows->step(); row && *row; row = rows->step()) records.push_back(record_of(*rows));
  if (!row) return tl::unexpected(row.error());
  Status filled = fill_links(records);
  if (filled && with_vectors) filled = fill_vectors(records);
  if (!filled) return tl::unexpected(filled.error());
  return records;
}

Status SqliteRows::fill_vectors(std::vector<Record>& records) {
  if (!has_spaces_ || records.empty()) return {};
  auto spaces = database_.prepare("SELECT name FROM spaces ORDER BY id");
  if (!spaces) return tl::unexpected(spaces.error());
  Result<bool> row = false;
  for (row = spaces->step(); row && *row; row = spaces->step()) {
    const std::string name = spaces->text(0);
    const auto block = vectors(name, records.front().id, records.back().id);
    if (!block) return tl::unexpected(block.error());
    for (std::size_t i = 0; i < block->ids.size(); ++i) {
      const auto record = std::lower_bound(records.begin(), records.end(), block->ids[i],
                                           [](const Record& one, std::int64_t id) { return one.id < id; });
      const auto values = block->row(i);
      if (record != records.end() && record->id == block->ids[i])
        record->vectors.push_back({name, {values.begin(), values.end()}});
    }
  }
  if (!row) return tl::unexpected(row.error());
  return {};
}

Result<std::int64_t> SqliteRows::imported(const std::string& key) {
  const auto there = database_.number("SELECT count(*) FROM sqlite_schema WHERE name = 'imports'");
  if (!there) return tl::unexpected(there.error());
  if (*there == 0) return 0;
  auto row = database_.prepare("SELECT done FROM imports WHERE key = ?");
  if (!row) return tl::unexpected(row.error());
  const auto known = row->bind(std::string_view(key)).step();
  if (!known) return tl::unexpected(known.error());
  return *known ? row->integer(0) : 0;
}

Status SqliteRows::import_records(const std::string& key, std::vector<Record>& records) {
  if (records.empty()) return {};
  return transaction([&] { return import_all(key, records); });
}

Status SqliteRows::import_all(const std::string& key, std::vector<Record>& records) {
  if (Status made = database_.run(kImports); !made) return made;
  const std::string_view name = key;
  std::vector<std::vector<RecordLink>> links;
  std::vector<std::int64_t> old;
  for (Record& record : records) {
    old.push_back(record.id);
    links.push_back(std::exchange(record.links, {}));
  }
  if (Status appended = append_all(records); !appended) return appended;
  auto id = database_.prepare("INSERT INTO import_ids(key, old, new) VALUES(?, ?, ?)");
  auto known = database_.prepare("SELECT new FROM import_ids WHERE key = ? AND old = ?");
  auto done = database_.prepare("INSERT OR REPLACE INTO imports(key, done) VALUES(?, ?)");
  for (const auto* statement : {&id, &known, &done})
    if (!*statement) return tl::unexpected(statement->error());
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (Status kept = id->bind(name, old[i], records[i].id).run(); !kept) return kept;
    for (const RecordLink& link : links[i]) {
      const auto there = known->bind(name, link.to).step();
      if (!there) return tl::unexpected(there.error());
      if (*there) records[i].links.push_back({link.kind, known->integer(0)});
    }
    known->restart();
    if (Status linked = append_links(records[i]); !linked) return linked;
  }
  return done->bind(name, old.back()).run();
}

}  // namespace braid::retrieve
