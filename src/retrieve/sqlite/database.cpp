#include "sqlite/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstring>

namespace braid::retrieve {

namespace {

constexpr int kBusyMs = 5000;
constexpr int kInstructionsPerLook = 4000;

Error error_of(sqlite3* database) {
  const std::string message = fmt::format("the memory's database: {}", sqlite3_errmsg(database));
  switch (sqlite3_errcode(database)) {
    case SQLITE_FULL:
      return {ErrorCode::kResource, message, true};
    case SQLITE_IOERR:
    case SQLITE_NOMEM:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {ErrorCode::kResource, message};
    case SQLITE_CANTOPEN:
      return {ErrorCode::kNotFound, message};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {ErrorCode::kBadInput, message};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::kFull, message, true};
    case SQLITE_INTERRUPT:
      return {ErrorCode::kLate, message, true};
    default:
      return {ErrorCode::kInternal, message};
  }
}

}  // namespace

void Statement::Close::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void Statement::restart() {
  sqlite3_reset(handle_.get());
  bound_ = 0;
}

void Statement::put(std::int64_t value) { sqlite3_bind_int64(handle_.get(), ++bound_, value); }

void Statement::put(std::string_view value) {
  sqlite3_bind_text64(handle_.get(), ++bound_, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void Statement::put(std::span<const std::byte> value) {
  sqlite3_bind_blob64(handle_.get(), ++bound_, value.data(), value.size(), SQLITE_TRANSIENT);
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    sqlite3_reset(handle_.get());
    return false;
  }
  const Error error = error_of(sqlite3_db_handle(handle_.get()));
  sqlite3_reset(handle_.get());
  return tl::unexpected(error);
}

Status Statement::run() {
  for (;;) {
    const auto row = step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return {};
  }
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }

double Statement::real(int column) const { return sqlite3_column_double(handle_.get(), column); }

std::string Statement::text(int column) const {
  const auto* bytes = sqlite3_column_text(handle_.get(), column);
  if (!bytes) return {};
  return {reinterpret_cast<const char*>(bytes),
          static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

void Statement::append_floats(int column, std::vector<float>& values) const {
  const void* bytes = sqlite3_column_blob(handle_.get(), column);
  const auto count = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column)) / sizeof(float);
  if (!bytes) return;
  const std::size_t before = values.size();
  values.resize(before + count);
  std::memcpy(values.data() + before, bytes, count * sizeof(float));
}

void Database::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Result<Database> Database::open(const std::string& path, Mode mode) {
  Database database;
  sqlite3* handle = nullptr;
  const int flags = mode == Mode::kWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE;
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  database.handle_.reset(handle);
  if (!handle) return fail(ErrorCode::kResource, "no memory left for the database");
  if (code != SQLITE_OK) {
    Error error = error_of(handle);
    error.message += fmt::format(" ({})", path);
    return tl::unexpected(error);
  }
  sqlite3_busy_timeout(handle, kBusyMs);
  // A killed process loses nothing that was committed; a machine that loses power may lose the last commits,
  // never the rest.
  for (const char* setting :
       {"PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL", "PRAGMA cache_size=-16384"})
    if (Status set = database.run(setting); !set) return tl::unexpected(set.error());
  if (mode == Mode::kRead)
    if (Status set = database.run("PRAGMA query_only=1"); !set) return tl::unexpected(set.error());
  return database;
}

Status Database::run(const std::string& sql) {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return tl::unexpected(error_of(handle_.get()));
}

Result<Statement> Database::prepare(const std::string& sql) {
  sqlite3_stmt* handle = nullptr;
  const int code =
      sqlite3_prepare_v2(handle_.get(), sql.c_str(), static_cast<int>(sql.size()), &handle, nullptr);
  if (code != SQLITE_OK) return tl::unexpected(error_of(handle_.get()));
  Statement statement;
  statement.handle_.reset(handle);
  return statement;
}

Result<std::int64_t> Database::number(const std::string& sql) {
  auto statement = prepare(sql);
  if (!statement) return tl::unexpected(statement.error());
  const auto row = statement->step();
  if (!row) return tl::unexpected(row.error());
  return *row ? statement->integer(0) : 0;
}

std::int64_t Database::last_id() const { return sqlite3_last_insert_rowid(handle_.get()); }
std::int64_t Database::changes() const { return sqlite3_changes64(handle_.get()); }

void Database::set_stop(std::function<bool()> stop) {
  stop_ = stop ? std::make_unique<std::function<bool()>>(std::move(stop)) : nullptr;
  if (!stop_) return sqlite3_progress_handler(handle_.get(), 0, nullptr, nullptr);
  sqlite3_progress_handler(
      handle_.get(), kInstructionsPerLook,
      [](void* asked) { return (*static_cast<std::function<bool()>*>(asked))() ? 1 : 0; }, stop_.get());
}

}  // namespace braid::retrieve
