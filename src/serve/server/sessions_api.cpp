#include "server/sessions_api.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "server/api_errors.h"

namespace braid::serve {

namespace {

void respond_json(net::Exchange& exchange, int status, std::string body) {
  exchange.respond(status, "application/json", std::move(body));
}

void respond_unknown(net::Exchange& exchange, std::string_view id) {
  respond_error(exchange, {404, fmt::format("there is no session {}", id), "invalid_request_error", "id",
                           "session_not_found"});
}

openai::ApiError no_sources_of_clients() {
  return {403,
          "this server opens no sources that clients name: list them as [[source]], or set client_sources = "
          "\"all\" in [server]",
          "invalid_request_error", "sources", "sources_not_allowed"};
}

void create(LiveSessions& sessions, StandingQuestions& standing, bool may_name_sources,
            const net::Request& request, net::Exchange exchange) {
  auto wanted = openai::parse_session_create(request.body);
  if (!wanted) return respond_error(exchange, wanted.error());
  if (!wanted->sources.empty() && !may_name_sources) return respond_error(exchange, no_sources_of_clients());
  if (auto known = StandingQuestions::check(wanted->questions); !known)
    return respond_error(exchange, openai::to_api_error(known.error(), "questions"));
  auto live = sessions.create(*wanted, request.key_name);
  if (!live) return respond_error(exchange, openai::to_api_error(live.error(), "sources"));
  standing.add(*live, std::move(wanted->questions), false);
  respond_json(exchange, 201, openai::print_session((*live)->info()));
}

void end(LiveSessions& sessions, const net::Request& request, net::Exchange exchange) {
  const std::string id(request.param("id"));
  if (!sessions.end(id, request.key_name)) return respond_unknown(exchange, id);
  respond_json(exchange, 200, openai::print_session_deleted(id));
}

void list(LiveSessions& sessions, const net::Request& request, net::Exchange exchange) {
  std::vector<openai::SessionInfo> infos;
  for (const auto& live : sessions.list(request.key_name)) infos.push_back(live->info());
  respond_json(exchange, 200, openai::print_sessions(infos));
}

void show(LiveSessions& sessions, const net::Request& request, net::Exchange exchange) {
  const std::string id(request.param("id"));
  const auto live = sessions.find(id, request.key_name);
  if (!live) return respond_unknown(exchange, id);
  respond_json(exchange, 200, openai::print_session(live->info()));
}

/// A handler whose work blocks, on the workers' threads.
template <class Work>
net::Handler on_workers(Workers& workers, Work work) {
  return [&workers, work](net::Request request, net::Exchange exchange) {
    run_on(workers, std::move(request), std::move(exchange), work);
  };
}

}  // namespace

void add_session_routes(net::Router& router, LiveSessions& sessions, StandingQuestions& standing,
                        Workers& workers, bool may_name_sources) {
  router.route("GET", "/v1/sessions", [&sessions](const net::Request& request, net::Exchange exchange) {
    list(sessions, request, std::move(exchange));
  });
  router.route("POST", "/v1/sessions",
               on_workers(workers, [&sessions, &standing, may_name_sources](const net::Request& request,
                                                                            net::Exchange exchange) {
                 create(sessions, standing, may_name_sources, request, std::move(exchange));
               }));
  router.route("GET", "/v1/sessions/{id}", [&sessions](const net::Request& request, net::Exchange exchange) {
    show(sessions, request, std::move(exchange));
  });
  router.route("DELETE", "/v1/sessions/{id}",
               on_workers(workers, [&sessions](const net::Request& request, net::Exchange exchange) {
                 end(sessions, request, std::move(exchange));
               }));
}

}  // namespace braid::serve
