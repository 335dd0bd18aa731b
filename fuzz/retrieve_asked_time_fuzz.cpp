// Any bytes as a question: the time found in it is a range, and nothing of the question is lost.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "braid/retrieve/asked_time.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view question(reinterpret_cast<const char*>(data), size);
  const braid::calendar::Asker asker{{}, braid::UtcTime(std::chrono::hours(500'000))};
  const auto found = braid::retrieve::find_asked_time(question, asker);
  if (!found) return 0;
  if (found->from >= found->to) std::abort();
  if (found->phrase.empty() || found->phrase.size() + found->rest.size() != size) std::abort();
  return 0;
}
