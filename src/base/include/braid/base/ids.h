#pragma once
// Ids that don't mix.

#include <compare>
#include <cstdint>
#include <functional>

namespace braid {

template <class Tag>
struct Id {
  std::int64_t value = -1;  ///< -1: none

  bool valid() const { return value >= 0; }
  bool operator==(const Id&) const = default;
  std::strong_ordering operator<=>(const Id& other) const { return value <=> other.value; }
};

using SourceId = Id<struct SourceIdTag>;      ///< counts up from 0 in the order sources were added
using ChunkId = Id<struct ChunkIdTag>;        ///< a perceived frame, utterance, line or reading of a session
using QuestionId = Id<struct QuestionIdTag>;  ///< a question of a session
using SequenceId = Id<struct SequenceIdTag>;  ///< a sequence in an engine's KV cache

}  // namespace braid

template <class Tag>
struct std::hash<braid::Id<Tag>> {
  std::size_t operator()(braid::Id<Tag> id) const noexcept { return std::hash<std::int64_t>{}(id.value); }
};
