#include "http_url.h"

#include <algorithm>

#include "ascii.h"

namespace braid::openai {

bool is_http_url(std::string_view url) {
  const std::size_t colon = std::min(url.find("://"), url.size());
  const std::string_view scheme = url.substr(0, colon);
  if (!equal_ignoring_case(scheme, "http") && !equal_ignoring_case(scheme, "https")) return false;
  const std::string_view rest = url.substr(std::min(colon + 3, url.size()));
  return !rest.empty() && rest[0] != '/' && rest[0] != '?' && rest[0] != '#' &&
         std::all_of(rest.begin(), rest.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

}  // namespace braid::openai
