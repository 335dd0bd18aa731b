#pragma once
// What marks an object for clients: an id that nobody guesses, and when it was made.

#include <cstdint>
#include <string>
#include <string_view>

namespace braid::serve {

/// From the system's source. Any thread.
std::uint64_t random_word();

/// `prefix` and 128 random bits as 32 hex digits. Any thread.
std::string new_id(std::string_view prefix);

/// Unix time.
std::int64_t unix_seconds();
std::int64_t unix_us();

}  // namespace braid::serve
