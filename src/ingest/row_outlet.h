#pragma once
// Rows that may be somewhat out of order, put in order and sent.

#include <cstddef>
#include <cstdint>
#include <queue>
#include <string>
#include <variant>
#include <vector>

#include "outlet.h"

namespace braid::ingest {

/// Holds up to `window` rows and lets the earliest out first; a row that comes after later ones are out is
/// damage. One source's, one thread.
class RowOutlet {
 public:
  static constexpr std::size_t kWindow = 256;

  RowOutlet(Outlet& outlet, StreamKind stream, std::string source, std::size_t window)
      : outlet_(outlet), stream_(stream), source_(std::move(source)), window_(window) {}

  /// `line`: where the row stands, for messages. False: stop reading.
  bool push(std::variant<TextLine, Reading> row, std::int64_t line, const Handling& handling);
  /// The end: all rows go out.
  bool finish();
  SessionTime last() const { return last_; }
  std::uint64_t sent() const { return sent_; }

 private:
  struct Held {
    SessionTime at;
    std::uint64_t order;
    std::variant<TextLine, Reading> row;
    Handling handling;
    bool operator>(const Held& other) const { return at != other.at ? at > other.at : order > other.order; }
  };
  bool send_earliest();

  Outlet& outlet_;
  StreamKind stream_;
  std::string source_;
  std::size_t window_;
  std::priority_queue<Held, std::vector<Held>, std::greater<>> held_;
  SessionTime last_{};
  std::uint64_t pushed_ = 0;
  std::uint64_t sent_ = 0;
};

}  // namespace braid::ingest
