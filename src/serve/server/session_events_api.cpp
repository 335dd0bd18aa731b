#include "server/session_events_api.h"

#include <charconv>
#include <memory>
#include <utility>

#include "braid/net/sse.h"
#include "server/api_errors.h"

namespace braid::serve {

namespace {

std::uint64_t last_event_id(const net::Request& request) {
  const auto text = request.header("Last-Event-ID");
  std::uint64_t id = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), id);
  return id;
}

void watch(LiveSessions& sessions, const net::Request& request, net::Exchange exchange) {
  const std::string id(request.param("id"));
  const auto live = sessions.find(id, request.key_name);
  if (!live) return respond_error(exchange, no_such_session(id, "id"));
  const Status watched = live->events().watch(last_event_id(request), [&exchange] {
    auto sse = std::make_shared<net::Sse>(std::move(exchange));
    return Watcher{[sse](std::uint64_t number, const std::string& json) {
                     return sse->event(json, std::to_string(number)) == net::WriteResult::kTaken;
                   },
                   [sse] { sse->finish(); }, [sse] { return sse->gone(); }};
  });
  if (!watched) respond_error(exchange, openai::to_api_error(watched.error()));
}

}  // namespace

void add_session_events_route(net::Router& router, LiveSessions& sessions) {
  router.route("GET", "/v1/sessions/{id}/events",
               [&sessions](const net::Request& request, net::Exchange exchange) {
                 watch(sessions, request, std::move(exchange));
               });
}

}  // namespace braid::serve
