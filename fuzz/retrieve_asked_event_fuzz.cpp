// Any bytes as a question: the event found in it has words of its own, and its range is one.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "braid/retrieve/asked_event.h"
#include "query_words.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view question(reinterpret_cast<const char*>(data), size);
  const braid::calendar::Asker asker{{}, braid::UtcTime(std::chrono::hours(500'000))};
  const auto found = braid::retrieve::find_asked_event(question, asker);
  if (!found) return 0;
  const auto& event = found->event;
  if (event.from >= event.to || event.reach < braid::Nanoseconds(0)) std::abort();
  if (braid::retrieve::all_words(event.event).empty()) std::abort();
  if (question.find(event.phrase) == std::string_view::npos || found->rest.size() >= size) std::abort();
  return 0;
}
