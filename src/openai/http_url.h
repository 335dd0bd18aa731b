#pragma once
// Addresses that clients name.

#include <string_view>

namespace braid::openai {

/// http or https, a host, and no blanks or bytes beyond ASCII.
bool is_http_url(std::string_view url);

}  // namespace braid::openai
