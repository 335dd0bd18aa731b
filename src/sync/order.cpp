#include "order.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace braid::sync {

namespace {

struct PlaceOf {
  Place operator()(const Damage& d) const { return {d.at, Rank::kDamage, d.source}; }
  Place operator()(const Frame& f) const { return {f.captured, Rank::kFrame, f.source}; }
  Place operator()(const TextLine& l) const { return {l.end, Rank::kLine, l.source}; }
  Place operator()(const Reading& r) const { return {r.at, Rank::kReading, r.source}; }
  Place operator()(const Utterance& u) const { return {u.end, Rank::kUtterance, u.source}; }
  Place operator()(const StreamsEnd& end) const { return {end.at, Rank::kQuestion, {}}; }
  Place operator()(const Question& q) const {
    return {q.at.value_or(SessionTime::max()), Rank::kQuestion, {}};
  }
};

}  // namespace

Rank rank_of(StreamKind kind) {
  static constexpr std::array<Rank, kStreamKinds> kRanks = {Rank::kFrame, Rank::kUtterance, Rank::kLine,
                                                            Rank::kReading};
  return kRanks[static_cast<std::size_t>(kind)];
}

Place place_of(const Timed& timed) { return std::visit(PlaceOf{}, timed); }

void Order::push(Place place, Timed timed) {
  if (place.rank != Rank::kQuestion) ++packets_;
  heap_.push_back({place, arrivals_++, std::move(timed)});
  std::push_heap(heap_.begin(), heap_.end(), later);
}

Timed Order::pop() {
  std::pop_heap(heap_.begin(), heap_.end(), later);
  Held held = std::move(heap_.back());
  heap_.pop_back();
  if (held.place.rank != Rank::kQuestion) --packets_;
  return std::move(held.timed);
}

bool Order::later(const Held& a, const Held& b) {
  return std::tie(a.place, a.arrival) > std::tie(b.place, b.arrival);
}

std::optional<Question> Order::take(QuestionId id) {
  const auto found = std::find_if(heap_.begin(), heap_.end(), [&](const Held& held) {
    const auto* question = std::get_if<Question>(&held.timed);
    return question && question->id == id;
  });
  if (found == heap_.end()) return std::nullopt;
  Question question = std::get<Question>(std::move(found->timed));
  heap_.erase(found);
  std::make_heap(heap_.begin(), heap_.end(), later);
  return question;
}

}  // namespace braid::sync
