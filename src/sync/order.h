#pragma once
// Packets and questions held until nothing earlier can come.

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "braid/sync/synchronizer.h"

namespace braid::sync {

/// Who comes first at equal times.
enum class Rank : std::uint8_t { kDamage, kFrame, kLine, kReading, kUtterance, kQuestion };
Rank rank_of(StreamKind kind);

/// Where something stands in the output. Total but for things of one stream at one time, which keep their
/// order.
struct Place {
  SessionTime time;
  Rank rank = Rank::kDamage;
  SourceId source;

  auto operator<=>(const Place&) const = default;
};
Place place_of(const Timed& timed);

/// A heap by place, then by arrival.
class Order {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t packets() const { return packets_; }  ///< held, questions left out
  void push(Place place, Timed timed);
  const Place& first() const { return heap_.front().place; }
  Timed pop();
  /// Out of turn; none: it isn't here.
  std::optional<Question> take(QuestionId id);

 private:
  struct Held {
    Place place;
    std::uint64_t arrival;
    Timed timed;
  };
  static bool later(const Held& a, const Held& b);

  std::vector<Held> heap_;
  std::uint64_t arrivals_ = 0;
  std::size_t packets_ = 0;
};

}  // namespace braid::sync
