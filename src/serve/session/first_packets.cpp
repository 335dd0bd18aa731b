#include "session/first_packets.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

namespace braid::serve {

void FirstPackets::add_source(std::array<bool, kStreamKinds> streams) {
  sources_.push_back(streams[static_cast<std::size_t>(StreamKind::kVideo)] ? Source::kPictures
                                                                           : Source::kOther);
}

void FirstPackets::came(std::size_t source, const Packet& packet) {
  const bool seen = std::holds_alternative<Frame>(packet) || std::holds_alternative<TextLine>(packet) ||
                    std::holds_alternative<Reading>(packet);
  const bool heard = std::holds_alternative<AudioBlock>(packet);
  if (seen || (heard && sources_[source] == Source::kOther)) sources_[source] = Source::kShown;
}

bool FirstPackets::all_shown() const {
  return std::all_of(sources_.begin(), sources_.end(),
                     [](Source source) { return source == Source::kShown; });
}

SteadyTime FirstPackets::until(const Question& question) const {
  return question.asked + std::min(patience_, question.deadline.value_or(2 * patience_) / 2);
}

bool FirstPackets::hold(Question& question, SteadyTime now) {
  if (now >= until(question) || all_shown()) return false;
  held_.push_back(std::move(question));
  return true;
}

std::vector<Question> FirstPackets::due(SteadyTime now) {
  const bool all = all_shown();
  const auto over = std::stable_partition(
      held_.begin(), held_.end(), [&](const Question& question) { return !all && now < until(question); });
  std::vector<Question> questions(std::make_move_iterator(over), std::make_move_iterator(held_.end()));
  held_.erase(over, held_.end());
  return questions;
}

std::optional<SteadyTime> FirstPackets::until() const {
  std::optional<SteadyTime> first;
  for (const Question& question : held_) first = std::min(first.value_or(SteadyTime::max()), until(question));
  return first;
}

}  // namespace braid::serve
