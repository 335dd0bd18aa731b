#include "grammar/program.h"

#include <map>
#include <utility>

namespace braid::engine::grammar {

void sort_bytes_into_classes(Program& program) {
  // Refined set by set: bytes stay together as long as no set tells them apart.
  std::array<std::uint32_t, 256> group{};
  for (const ByteSet& set : program.sets) {
    std::map<std::pair<std::uint32_t, bool>, std::uint32_t> refined;
    for (std::size_t byte = 0; byte < group.size(); ++byte) {
      const auto key = std::make_pair(group[byte], set.test(byte));
      group[byte] = refined.emplace(key, static_cast<std::uint32_t>(refined.size())).first->second;
    }
  }
  std::map<std::uint32_t, std::uint8_t> classes;
  for (std::size_t byte = 0; byte < group.size(); ++byte) {
    const auto [at, added] = classes.emplace(group[byte], static_cast<std::uint8_t>(classes.size()));
    if (added) program.representatives.push_back(static_cast<std::uint8_t>(byte));
    program.class_of[byte] = at->second;
  }
}

}  // namespace braid::engine::grammar
