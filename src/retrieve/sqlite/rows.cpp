#include "sqlite/rows.h"

#include <fmt/format.h>

#include <algorithm>

namespace braid::retrieve {

namespace {

constexpr std::int64_t kFormat = 4;
constexpr const char* kSchema =
    "CREATE TABLE records(id INTEGER PRIMARY KEY AUTOINCREMENT, segment INTEGER NOT NULL,"
    " start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, source TEXT NOT NULL, kind INTEGER NOT NULL,"
    " text TEXT NOT NULL, count INTEGER NOT NULL, page INTEGER NOT NULL, place INTEGER NOT NULL);"
    "CREATE INDEX records_end ON records(end_ns);"
    "CREATE INDEX records_segment ON records(segment);"
    "CREATE TABLE segments(id INTEGER PRIMARY KEY AUTOINCREMENT, records INTEGER NOT NULL,"
    " first_ns INTEGER NOT NULL, last_ns INTEGER NOT NULL);";
/// What format 2 adds.
constexpr const char* kSpaces =
    "CREATE TABLE spaces(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dim INTEGER NOT NULL);";
/// What format 3 adds.
constexpr const char* kSessions =
    "ALTER TABLE records ADD COLUMN session TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE records ADD COLUMN began_ns INTEGER NOT NULL DEFAULT 0;";
/// What format 4 adds.
constexpr const char* kLinks =
    "CREATE TABLE links(of INTEGER NOT NULL, kind INTEGER NOT NULL, target INTEGER NOT NULL,"
    " PRIMARY KEY(of, kind, target)) WITHOUT ROWID;"
    "CREATE INDEX links_target ON links(target);";
/// A word that more records of a segment have than one in so many is common.
constexpr std::int64_t kCommonShare = 100;
constexpr std::int64_t kCommonAtLeast = 100;

std::int64_t ns(UtcTime time) { return time.time_since_epoch().count(); }
UtcTime utc(std::int64_t ns) { return UtcTime(Nanoseconds(ns)); }

std::string index_of(std::int64_t segment) { return fmt::format("words_{}", segment); }

/// As a phrase of FTS5: nothing in it is an operator.
std::string quoted(const std::string& word) { return fmt::format("\"{}\"", word); }

bool is_open(const Filter& filter) {
  return filter.from == UtcTime::min() && filter.to == UtcTime::max() && filter.sources.empty() &&
         filter.kinds.empty();
}

/// Conditions on `r`, whose values bind_filter() puts in the same order.
std::string conditions(const Filter& filter) {
  std::string sql = "r.start_ns < ? AND r.end_ns >= ? AND (r.end_ns > ? OR r.start_ns >= ?)";
  const auto one_of = [&](const char* column, std::size_t count) {
    if (count == 0) return;
    sql += fmt::format(" AND r.{} IN (?", column);
    for (std::size_t i = 1; i < count; ++i) sql += ",?";
    sql += ")";
  };
  one_of("source", filter.sources.size());
  one_of("kind", filter.kinds.size());
  return sql;
}

void bind_filter(Statement& statement, const Filter& filter) {
  statement.put(ns(filter.to));
  for (int i = 0; i < 3; ++i) statement.put(ns(filter.from));
  for (const std::string& source : filter.sources) statement.put(source);
  for (const RecordKind kind : filter.kinds) statement.put(static_cast<std::int64_t>(kind));
}

std::string overlapping(const Filter& filter) {
  return fmt::format("WHERE first_ns < {} AND last_ns >= {} ORDER BY id DESC", ns(filter.to),
                     ns(filter.from));
}

}  // namespace

Result<std::unique_ptr<SqliteRows>> SqliteRows::open(const std::string& path, const MemoryOptions& options) {
  auto database = Database::open(path, options.read_only ? Database::Mode::kRead : Database::Mode::kWrite);
  if (!database) return tl::unexpected(database.error());
  std::unique_ptr<SqliteRows> rows(new SqliteRows(std::move(*database), options.segment_records));
  if (Status ready = rows->prepare_format(options.read_only); !ready) return tl::unexpected(ready.error());
  return rows;
}

Record SqliteRows::record_of(const Statement& row) {
  Record record;
  record.id = row.integer(0);
  record.start = utc(row.integer(1));
  record.end = utc(row.integer(2));
  record.source = row.text(3);
  record.kind = static_cast<RecordKind>(std::clamp<std::int64_t>(row.integer(4), 0, kRecordKinds - 1));
  record.text = row.text(5);
  record.count = static_cast<int>(row.integer(6));
  record.page = static_cast<int>(row.integer(7));
  record.offset = row.integer(8);
  record.session = row.text(9);
  record.session_began = utc(row.integer(10));
  return record;
}

Status SqliteRows::prepare_format(bool read_only) {
  const auto format = database_.number("PRAGMA user_version");
  if (!format) return tl::unexpected(format.error());
  if (*format == kFormat) return {};
  const bool is_older = *format > 0 && *format < kFormat;
  if (is_older && read_only) {
    has_spaces_ = *format > 1;
    has_sessions_ = *format > 2;
    has_links_ = false;
    return {};
  }
  if (is_older)
    return transaction([&] {
      return database_.run(fmt::format("{}{}{} PRAGMA user_version={}", *format < 2 ? kSpaces : "",
                                       *format < 3 ? kSessions : "", kLinks, kFormat));
    });
  if (*format != 0)
    return fail(ErrorCode::kUnsupported,
                fmt::format("the memory is of format {}; this version reads {}", *format, kFormat));
  if (read_only) return fail(ErrorCode::kBadInput, "the memory's database is empty: nothing was written yet");
  return transaction([&] {
    return database_.run(
        fmt::format("{}{}{}{} PRAGMA user_version={}", kSchema, kSpaces, kSessions, kLinks, kFormat));
  });
}

/// As record_of() reads them.
std::string SqliteRows::columns() const {
  return std::string("id, start_ns, end_ns, source, kind, text, count, page, place, ") +
         (has_sessions_ ? "session, began_ns" : "'', 0");
}

Status SqliteRows::transaction(const std::function<Status()>& body) {
  Status done = database_.run("BEGIN IMMEDIATE");
  if (!done) return done;
  done = body();
  if (done) done = database_.run("COMMIT");
  // After some errors SQLite has rolled back by itself; then this one says so and nothing more.
  if (!done) static_cast<void>(database_.run("ROLLBACK"));
  return done;
}

Status SqliteRows::append(std::vector<Record>& records) {
  if (records.empty()) return {};
  return transaction([&] { return append_all(records); });
}

Status SqliteRows::append_all(std::vector<Record>& records) {
  auto last = segments("ORDER BY id DESC LIMIT 1");
  if (!last) return tl::unexpected(last.error());
  Segment segment = last->empty() ? Segment{} : last->front();
  for (Record& record : records) {
    if (segment.id == 0 || segment.records >= segment_records_) {
      if (Status saved = segment.id ? save(segment) : Status(); !saved) return saved;
      if (Status begun = begin_segment(segment); !begun) return begun;
    }
    if (Status appended = append_one(record, segment); !appended) return appended;
  }
  return save(segment);
}

Status SqliteRows::begin_segment(Segment& segment) {
  segment = {};
  if (Status made = database_.run("INSERT INTO segments(records, first_ns, last_ns) VALUES(0, 0, 0)"); !made)
    return made;
  segment.id = database_.last_id();
  return database_.run(
      fmt::format("CREATE VIRTUAL TABLE {} USING fts5(text, content='records', content_rowid='id',"
                  " tokenize='porter unicode61 remove_diacritics 2')",
                  index_of(segment.id)));
}

Status SqliteRows::append_one(Record& record, Segment& segment) {
  auto row = database_.prepare(
      "INSERT INTO records(segment, start_ns, end_ns, source, kind, text, count, page, place, session, "
      "began_ns)"
      " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  if (!row) return tl::unexpected(row.error());
  const std::int64_t start = ns(record.start);
  const std::int64_t end = ns(record.end);
  row->bind(segment.id, start, end, std::string_view(record.source), static_cast<std::int64_t>(record.kind),
            std::string_view(record.text), static_cast<std::int64_t>(record.count),
            static_cast<std::int64_t>(record.page), record.offset, std::string_view(record.session),
            ns(record.session_began));
  if (Status run = row->run(); !run) return run;
  record.id = database_.last_id();
  auto words =
      database_.prepare(fmt::format("INSERT INTO {}(rowid, text) VALUES(?, ?)", index_of(segment.id)));
  if (!words) return tl::unexpected(words.error());
  words->bind(record.id, std::string_view(record.text));
  segment.first_ns = segment.records == 0 ? start : std::min(segment.first_ns, start);
  segment.last_ns = segment.records == 0 ? end : std::max(segment.last_ns, end);
  ++segment.records;
  if (Status run = words->run(); !run) return run;
  if (Status linked = append_links(record); !linked) return linked;
  for (const RecordVector& vector : record.vectors)
    if (Status kept = append_vector(record.id, vector.space, vector.values); !kept) return kept;
  return {};
}

Status SqliteRows::save(const Segment& segment) {
  auto row = database_.prepare("UPDATE segments SET records = ?2, first_ns = ?3, last_ns = ?4 WHERE id = ?1");
  if (!row) return tl::unexpected(row.error());
  return row->bind(segment.id, segment.records, segment.first_ns, segment.last_ns).run();
}

Result<std::vector<SqliteRows::Segment>> SqliteRows::segments(const std::string& where) {
  auto rows = database_.prepare("SELECT id, records, first_ns, last_ns FROM segments " + where);
  if (!rows) return tl::unexpected(rows.error());
  std::vector<Segment> found;
  for (;;) {
    const auto row = rows->step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return found;
    found.push_back({rows->integer(0), rows->integer(1), rows->integer(2), rows->integer(3)});
  }
}

/// What to ask a segment's index for: any of the words that aren't common there, or all of them if all are.
Result<std::string> SqliteRows::matching(const Segment& segment, const std::vector<std::string>& words) {
  const std::int64_t common = std::max(kCommonAtLeast, segment.records / kCommonShare);
  std::vector<std::string> rare;
  std::vector<std::string> known;
  auto count = database_.prepare(fmt::format(
      "SELECT count(*) FROM (SELECT 1 FROM {0} WHERE {0} MATCH ? LIMIT ?)", index_of(segment.id)));
  if (!count) return tl::unexpected(count.error());
  for (const std::string& word : words) {
    count->bind(std::string_view(quoted(word)), common + 1);
    const auto row = count->step();
    if (!row) return tl::unexpected(row.error());
    const std::int64_t records = count->integer(0);
    if (records > 0) known.push_back(quoted(word));
    if (records > 0 && records <= common) rare.push_back(quoted(word));
  }
  return rare.empty() ? fmt::format("{}", fmt::join(known, " AND "))
                      : fmt::format("{}", fmt::join(rare, " OR "));
}

Status SqliteRows::search_segment(const Segment& segment, const std::string& match, const Filter& filter,
                                  int limit, std::vector<Scored>& found) {
  const std::string index = index_of(segment.id);
  auto rows = database_.prepare(
      is_open(filter)
          ? fmt::format("SELECT rowid, rank FROM {0} WHERE {0} MATCH ? ORDER BY rank LIMIT ?", index)
          : fmt::format("SELECT r.id, bm25({0}) AS score FROM {0} JOIN records r ON r.id = {0}.rowid"
                        " WHERE {0} MATCH ? AND {1} ORDER BY score LIMIT ?",
                        index, conditions(filter)));
  if (!rows) return tl::unexpected(rows.error());
  rows->bind(std::string_view(match));
  if (!is_open(filter)) bind_filter(*rows, filter);
  rows->put(limit);
  for (;;) {
    const auto row = rows->step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return {};
    found.push_back({rows->integer(0), rows->real(1)});
  }
}

Status SqliteRows::search_segments(const std::vector<std::string>& words, const Filter& filter, int limit,
                                   const Stop& stop, std::vector<Scored>& found) {
  const auto in_range = segments(overlapping(filter));
  if (!in_range) return tl::unexpected(in_range.error());
  for (const Segment& segment : *in_range) {
    if (stop && stop()) return fail(ErrorCode::kLate, "the search took too long", true);
    const auto match = matching(segment, words);
    if (!match) return tl::unexpected(match.error());
    if (match->empty()) continue;
    if (Status searched = search_segment(segment, *match, filter, limit, found); !searched) return searched;
  }
  return {};
}

Result<Ranking> SqliteRows::by_words(const std::vector<std::string>& words, const Filter& filter, int limit,
                                     const Stop& stop) {
  // One snapshot: a segment that is pruned meanwhile is still there.
  if (Status begun = database_.run("BEGIN"); !begun) return tl::unexpected(begun.error());
  std::vector<Scored> found;
  database_.set_stop(stop);
  const Status searched = search_segments(words, filter, limit, stop, found);
  database_.set_stop({});
  static_cast<void>(database_.run("COMMIT"));
  if (!searched) return tl::unexpected(searched.error());
  // SQLite's scores are lower for what fits better.
  std::sort(found.begin(), found.end(), [](const Scored& a, const Scored& b) {
    return a.score != b.score ? a.score < b.score : a.id > b.id;
  });
  if (found.size() > static_cast<std::size_t>(limit)) found.resize(static_cast<std::size_t>(limit));
  Ranking ranking;
  for (const Scored& one : found) {
    ranking.ids.push_back(one.id);
    ranking.scores.push_back(-one.score);
  }
  return ranking;
}

Result<Ranking> SqliteRows::newest(const Filter& filter, int limit, const Stop& stop) {
  return in_order(filter, "r.end_ns DESC, r.id DESC", limit, stop);
}

Result<Ranking> SqliteRows::earliest(const Filter& filter, int limit, const Stop& stop) {
  return in_order(filter, "r.end_ns, r.id", limit, stop);
}

Result<Ranking> SqliteRows::in_order(const Filter& filter, const char* order, int limit, const Stop& stop) {
  auto rows = database_.prepare(
      fmt::format("SELECT r.id FROM records r WHERE {} ORDER BY {} LIMIT ?", conditions(filter), order));
  if (!rows) return tl::unexpected(rows.error());
  database_.set_stop(stop);
  rows->restart();
  bind_filter(*rows, filter);
  rows->put(limit);
  Ranking ranking;
  Result<bool> row = false;
  for (row = rows->step(); row && *row; row = rows->step()) ranking.ids.push_back(rows->integer(0));
  database_.set_stop({});
  if (!row) return tl::unexpected(row.error());
  return ranking;
}

Result<std::vector<Record>> SqliteRows::get(const std::vector<std::int64_t>& ids) {
  auto rows = database_.prepare(fmt::format("SELECT {} FROM records WHERE id = ?", columns()));
  if (!rows) return tl::unexpected(rows.error());
  std::vector<Record> records;
  for (const std::int64_t id : ids) {
    rows->bind(id);
    const auto row = rows->step();
    if (!row) return tl::unexpected(row.error());
    if (*row) records.push_back(record_of(*rows));
  }
  if (Status linked = fill_links(records); !linked) return tl::unexpected(linked.error());
  return records;
}

Result<std::vector<SegmentSpan>> SqliteRows::spans(const Filter& filter) {
  const auto in_range = segments(overlapping(filter));
  if (!in_range) return tl::unexpected(in_range.error());
  const auto last = database_.number("SELECT coalesce(max(id), 0) FROM segments");
  if (!last) return tl::unexpected(last.error());
  auto ends = database_.prepare(
      "SELECT (SELECT id FROM records WHERE segment = ?1 ORDER BY id LIMIT 1),"
      " (SELECT id FROM records WHERE segment = ?1 ORDER BY id DESC LIMIT 1)");
  if (!ends) return tl::unexpected(ends.error());
  const bool all = filter.sources.empty() && filter.kinds.empty();
  std::vector<SegmentSpan> spans;
  for (const Segment& segment : *in_range) {
    const auto row = ends->bind(segment.id).step();
    if (!row) return tl::unexpected(row.error());
    if (segment.records == 0) continue;
    spans.push_back({segment.id, ends->integer(0), ends->integer(1), segment.id != *last,
                     all && segment.first_ns >= ns(filter.from) && segment.last_ns < ns(filter.to)});
  }
  return spans;
}

Result<std::vector<std::int64_t>> SqliteRows::ids(const SegmentSpan& span, const Filter& filter) {
  auto rows = database_.prepare(fmt::format(
      "SELECT r.id FROM records r WHERE r.id BETWEEN ? AND ? AND {} ORDER BY r.id", conditions(filter)));
  if (!rows) return tl::unexpected(rows.error());
  rows->bind(span.first_id, span.last_id);
  bind_filter(*rows, filter);
  std::vector<std::int64_t> ids;
  Result<bool> row = false;
  for (row = rows->step(); row && *row; row = rows->step()) ids.push_back(rows->integer(0));
  if (!row) return tl::unexpected(row.error());
  return ids;
}

Result<std::vector<Record>> SqliteRows::unembedded(std::int64_t after, int limit) {
  auto rows = database_.prepare(
      fmt::format("SELECT {} FROM records WHERE id > ? AND kind <> ? ORDER BY id LIMIT ?", columns()));
  if (!rows) return tl::unexpected(rows.error());
  rows->bind(after, static_cast<std::int64_t>(RecordKind::kReading), static_cast<std::int64_t>(limit));
  std::vector<Record> found;
  Result<bool> row = false;
  for (row = rows->step(); row && *row; row = rows->step()) found.push_back(record_of(*rows));
  if (!row) return tl::unexpected(row.error());
  return found;
}

Result<MemoryStats> SqliteRows::stats() {
  auto rows = database_.prepare(
      "SELECT count(*), coalesce(sum(records), 0), coalesce(min(first_ns), 0), coalesce(max(last_ns), 0)"
      " FROM segments WHERE records > 0");
  if (!rows) return tl::unexpected(rows.error());
  const auto row = rows->step();
  if (!row) return tl::unexpected(row.error());
  MemoryStats stats;
  stats.segments = rows->integer(0);
  stats.records = rows->integer(1);
  stats.first = utc(rows->integer(2));
  stats.last = utc(rows->integer(3));
  return stats;
}

}  // namespace braid::retrieve
