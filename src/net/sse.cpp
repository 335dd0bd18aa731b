#include "braid/net/sse.h"

namespace braid::net {

namespace {

constexpr const char* kLineEnds = "\r\n";

void add_field(std::string& event, std::string_view name, std::string_view value) {
  event.append(name).append(": ").append(value).append("\n");
}

Headers with_no_cache(Headers headers) {
  headers.add("Cache-Control", "no-cache");
  headers.add("X-Accel-Buffering", "no");  // a proxy in front passes each event on at once
  return headers;
}

}  // namespace

std::string sse_event(std::string_view data, std::string_view id, std::string_view name) {
  std::string event;
  event.reserve(data.size() + 16);
  if (!name.empty()) add_field(event, "event", name.substr(0, name.find_first_of(kLineEnds)));
  if (!id.empty()) add_field(event, "id", id.substr(0, id.find_first_of(kLineEnds)));
  for (bool more = true; more;) {
    const std::size_t end = data.find_first_of(kLineEnds);
    add_field(event, "data", data.substr(0, end));
    more = end != std::string_view::npos;
    if (more) data.remove_prefix(end + (data.substr(end, 2) == kLineEnds ? 2 : 1));
  }
  return event += '\n';
}

Sse::Sse(Exchange exchange, Milliseconds keep_alive, const Headers& headers)
    : stream_(exchange.stream(200, "text/event-stream; charset=utf-8", with_no_cache(headers))) {
  stream_.keep_alive(": keep-alive\n\n", keep_alive);
}

WriteResult Sse::event(std::string_view data, std::string_view id, std::string_view name) {
  return stream_.write(sse_event(data, id, name));
}

}  // namespace braid::net
