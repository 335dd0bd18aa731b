// Any bytes as a request's target, a query, a URL and a redirect; what comes out is clean, and reads the same
// again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "braid/net/url.h"

namespace net = braid::net;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto target = net::parse_target(text)) {
    if (!target->path.starts_with('/') || (target->path + '/').find("/../") != std::string::npos)
      std::abort();
    for (const char c : target->path)
      if (static_cast<unsigned char>(c) < 0x20) std::abort();
  }
  if (const auto query = net::parse_query(text); query && query->size() > 256) std::abort();
  if (const auto url = net::parse_url(text)) {
    const auto again = net::parse_url(url->origin() + url->target);
    if (!again || again->host != url->host || again->port != url->port || again->target != url->target)
      std::abort();
  }
  const net::Url base{true, "example.com", 443, "/a/b?c"};
  if (const auto url = net::resolve_url(base, text);
      url && (url->host.empty() || !url->target.starts_with('/')))
    std::abort();
  return 0;
}
