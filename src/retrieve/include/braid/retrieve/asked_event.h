#pragma once
// When a question asks about, told by another event: "just before the weld alarm".

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "braid/calendar/time_range.h"

namespace braid::retrieve {

/// Where what is asked for lies, seen from the event. Wire names: before, after, during.
enum class Relation : std::uint8_t { kBefore, kAfter, kDuring };
const char* to_string(Relation relation);

struct AskedEvent {
  Relation relation = Relation::kBefore;
  Nanoseconds reach{};            ///< how far from the event, at most; max(): as far as there is something
  std::string phrase;             ///< the words that said so: "just before the weld alarm at 10:02"
  std::string event;              ///< what to look for to find it: "the weld alarm"
  UtcTime from = UtcTime::min();  ///< and when: [from, to)
  UtcTime to = UtcTime::max();
};

struct EventQuestion {
  AskedEvent event;
  std::string rest;  ///< what is left to look for
};

/// Reads the first that it finds of: "just", "right", "immediately", "shortly" or "directly" "before" or
/// "after" X (60 s); "30 seconds before X", "within 5 minutes after X"; "before X", "after X", "what preceded
/// X", "what led to X", "what followed X" (10 minutes); "since X", "until X"; "during X", "while X". X ends
/// at a comma, a semicolon or a question word; a time in it, or else in the rest of the question, says when X
/// was. None: there is no X that has words of its own, as in "before 10:02". Pure.
std::optional<EventQuestion> find_asked_event(std::string_view question, const calendar::Asker& asker);

}  // namespace braid::retrieve
