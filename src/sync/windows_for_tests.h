#pragma once
// Windows as texts, for the tests of this module.

#include <fmt/format.h>

#include <string>

#include "braid/sync/window_policies.h"
#include "sound_for_tests.h"

namespace braid::sync::test {

inline constexpr StreamKey kCamera{SourceId{0}, StreamKind::kVideo};
inline constexpr StreamKey kPress{SourceId{1}, StreamKind::kReading};

/// "source/kind[items] coverage age ms ±error ms".
inline std::string describe(const StreamPart& part) {
  std::string items;
  for (const Member& member : part.members)
    items += fmt::format("{}{}", items.empty() ? "" : " ", member.item);
  std::string text = fmt::format("{}[{}] {}", part.stream.source.value, items, to_string(part.coverage));
  if (part.age) text += fmt::format(" {:.6g}ms", to_ms(*part.age));
  if (part.error_bound > Nanoseconds{}) text += fmt::format(" ±{:.6g}ms", to_ms(part.error_bound));
  return text;
}

/// "1.2-2.4: part, part".
inline std::string describe(const AlignedWindow& window) {
  std::string text = fmt::format("{:.6g}-{:.6g}:", to_seconds(window.from), to_seconds(window.at));
  for (const StreamPart& part : window.streams) text += (text.back() == ':' ? " " : ", ") + describe(part);
  return text;
}

inline std::string describe(const std::optional<AlignedWindow>& window) {
  return window ? describe(*window) : "waits";
}

}  // namespace braid::sync::test
