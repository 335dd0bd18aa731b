#include "server/stamps.h"

#include <chrono>
#include <random>

#include "braid/openai/chat_response.h"

namespace braid::serve {

std::uint64_t random_word() {
  thread_local std::random_device random;
  const auto high = static_cast<std::uint64_t>(random());
  return high << 32 | random();
}

std::string new_id(std::string_view prefix) {
  const std::uint64_t high = random_word();
  return openai::make_id(prefix, high, random_word());
}

std::int64_t unix_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::int64_t unix_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace braid::serve
