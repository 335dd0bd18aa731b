// Which records hang on which.

#include <algorithm>

#include "sqlite/rows.h"

namespace braid::retrieve {

namespace {

LinkKind kind_of(std::int64_t number) {
  return static_cast<LinkKind>(std::clamp<std::int64_t>(number, 0, kLinkKinds - 1));
}

}  // namespace

Status SqliteRows::append_links(const Record& record) {
  if (record.links.empty()) return {};
  auto row = database_.prepare("INSERT OR IGNORE INTO links(of, kind, target) VALUES(?, ?, ?)");
  if (!row) return tl::unexpected(row.error());
  for (const RecordLink& link : record.links)
    if (Status kept = row->bind(record.id, static_cast<std::int64_t>(link.kind), link.to).run(); !kept)
      return kept;
  return {};
}

Status SqliteRows::fill_links(std::vector<Record>& records) {
  if (!has_links_) return {};
  auto rows = database_.prepare("SELECT kind, target FROM links WHERE of = ? ORDER BY kind, target");
  if (!rows) return tl::unexpected(rows.error());
  for (Record& record : records) {
    rows->bind(record.id);
    Result<bool> row = false;
    for (row = rows->step(); row && *row; row = rows->step())
      record.links.push_back({kind_of(rows->integer(0)), rows->integer(1)});
    if (!row) return tl::unexpected(row.error());
  }
  return {};
}

Status SqliteRows::prune_links(const std::string& chosen) {
  return database_.run("DELETE FROM links WHERE of IN (SELECT id FROM records WHERE " + chosen + ")");
}

Result<std::vector<KeptLink>> SqliteRows::links(std::int64_t id) {
  std::vector<KeptLink> links;
  if (!has_links_) return links;
  auto rows = database_.prepare(
      "SELECT of, kind, target FROM links WHERE (of = ?1 OR target = ?1)"
      " AND EXISTS(SELECT 1 FROM records WHERE id = CASE of WHEN ?1 THEN target ELSE of END)"
      " ORDER BY of, kind, target");
  if (!rows) return tl::unexpected(rows.error());
  rows->bind(id);
  Result<bool> row = false;
  for (row = rows->step(); row && *row; row = rows->step())
    links.push_back({rows->integer(0), {kind_of(rows->integer(1)), rows->integer(2)}});
  if (!row) return tl::unexpected(row.error());
  return links;
}

}  // namespace braid::retrieve
