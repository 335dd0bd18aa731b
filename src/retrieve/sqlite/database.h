#pragma once
// SQLite's handles as objects and its codes as errors.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "braid/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace braid::retrieve {

/// A prepared statement; one run after the other. Must not outlive its database.
class Statement {
 public:
  /// Values for ?1, ?2, ... in order; begins a new run.
  template <class... Values>
  Statement& bind(const Values&... values) {
    restart();
    (put(values), ...);
    return *this;
  }
  /// One more value.
  void put(std::int64_t value);
  void put(std::string_view value);
  void put(std::span<const std::byte> value);
  void restart();

  /// True: a row is there. After an error or the last row the run is over.
  Result<bool> step();
  /// Runs to the end.
  Status run();

  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  /// Appends the blob's f32.
  void append_floats(int column, std::vector<float>& values) const;

 private:
  friend class Database;
  struct Close {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Close> handle_;
  int bound_ = 0;
};

/// One thread at a time.
class Database {
 public:
  enum class Mode { kWrite, kRead };
  /// kNotFound, kBadInput (no database, or damaged), kResource. kWrite makes a missing one.
  static Result<Database> open(const std::string& path, Mode mode);

  Status run(const std::string& sql);
  Result<Statement> prepare(const std::string& sql);
  /// The one number that a query gives.
  Result<std::int64_t> number(const std::string& sql);
  std::int64_t last_id() const;
  std::int64_t changes() const;
  /// Asked every few thousand instructions while a statement runs; true ends it with kLate.
  void set_stop(std::function<bool()> stop);

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<std::function<bool()>> stop_;
  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace braid::retrieve
