#include "server/sessions_api.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "clocks/clock_report.h"
#include "server/api_errors.h"
#include "watch/source_specs.h"

namespace braid::serve {

namespace {

void respond_json(net::Exchange& exchange, int status, std::string body) {
  exchange.respond(status, "application/json", std::move(body));
}

openai::ApiError no_sources_of_clients() {
  return {403,
          "this server opens no sources that clients name: list them as [[source]], or set client_sources = "
          "\"all\" in [server]",
          "invalid_request_error", "sources", "sources_not_allowed"};
}

template <class Predicate>
bool any_source(const std::vector<std::string>& sources, Predicate predicate) {
  const auto specs = parse_sources(sources);
  return specs && std::any_of(specs->begin(), specs->end(), predicate);
}

/// The server's own standard input is nobody else's.
bool reads_stdin(const std::vector<std::string>& sources) {
  return any_source(sources, [](const auto& spec) { return spec.transport == ingest::Transport::kPipe; });
}

/// What is to be trusted is the server's to say.
bool says_how_to_decode(const std::vector<std::string>& sources) {
  return any_source(sources, [](const auto& spec) { return spec.isolate.has_value(); });
}

openai::ApiError no_word_on_isolation() {
  return {400,
          "isolate= isn't a client's to say: leave it out, or set isolate in [ingest] of the server's "
          "configuration",
          "invalid_request_error", "sources", "invalid_value"};
}

openai::ApiError no_stdin() {
  return {400, "'-' is the server's own standard input; name a file, a named pipe or an address",
          "invalid_request_error", "sources", "invalid_value"};
}

void resume(const SessionsApiParts& parts, const openai::SessionResume& wanted, const net::Request& request,
            net::Exchange exchange) {
  if (parts.durability == nullptr)
    return respond_error(exchange, {404, "this server keeps no sessions: it was started without --state-dir",
                                    "invalid_request_error", "resume", "session_not_found"});
  if (!parts.may_name_sources) return respond_error(exchange, no_sources_of_clients());
  const auto live = parts.durability->resume(
      wanted, request.key_name, SessionKind::kSources,
      [&](Resumed resumed) { return begin_again(parts.sessions, parts.standing, std::move(resumed)); });
  if (!live) return respond_error(exchange, openai::to_api_error(live.error(), "resume"));
  respond_json(exchange, 200, openai::print_session((*live)->info()));
}

void create(const SessionsApiParts& parts, const net::Request& request, net::Exchange exchange) {
  auto wanted = openai::parse_session_create(request.body);
  if (!wanted) return respond_error(exchange, wanted.error());
  if (wanted->resume) return resume(parts, *wanted->resume, request, std::move(exchange));
  if (!wanted->sources.empty() && !parts.may_name_sources)
    return respond_error(exchange, no_sources_of_clients());
  if (reads_stdin(wanted->sources)) return respond_error(exchange, no_stdin());
  if (says_how_to_decode(wanted->sources)) return respond_error(exchange, no_word_on_isolation());
  if (auto known = parts.standing.check(wanted->questions); !known)
    return respond_error(exchange, openai::to_api_error(known.error(), "questions"));
  auto live = parts.sessions.create(*wanted, request.key_name);
  if (!live) return respond_error(exchange, openai::to_api_error(live.error(), "sources"));
  openai::SessionInfo info = (*live)->info();
  if (parts.durability != nullptr)
    info.resume_token = parts.durability->keep(*live, saved_of(**live, *wanted, SessionKind::kSources));
  parts.standing.add(*live, std::move(wanted->questions), false);
  respond_json(exchange, 201, openai::print_session(info));
}

void end(const SessionsApiParts& parts, const net::Request& request, net::Exchange exchange) {
  const std::string id(request.param("id"));
  if (const auto live = parts.sessions.find(id, request.key_name); live && live->owner() != request.key_name)
    return respond_error(exchange,
                         {403, "this session is the configuration's and lives as long as the server",
                          "invalid_request_error", "id", "session_not_yours"});
  // In this order: one that is just being begun again either is found among those that live, or hears that it
  // isn't wanted any more.
  const bool was_kept = parts.durability != nullptr && parts.durability->forget(id, request.key_name);
  const bool lived = parts.sessions.end(id, request.key_name);
  if (!lived && !was_kept) return respond_error(exchange, no_such_session(id, "id"));
  respond_json(exchange, 200, openai::print_session_deleted(id));
}

std::vector<openai::SessionInfo> all(const SessionsApiParts& parts, const net::Request& request) {
  // Asked first: one that is just being begun again may be in both, and is never in neither.
  std::vector<openai::SessionInfo> kept, infos;
  if (parts.durability != nullptr) kept = parts.durability->resumable(request.key_name);
  for (const auto& live : parts.sessions.list(request.key_name)) infos.push_back(live->info());
  for (openai::SessionInfo& info : kept)
    if (std::none_of(infos.begin(), infos.end(), [&](const auto& live) { return live.id == info.id; }))
      infos.push_back(std::move(info));
  return infos;
}

void list(const SessionsApiParts& parts, const net::Request& request, net::Exchange exchange) {
  respond_json(exchange, 200, openai::print_sessions(all(parts, request)));
}

void show(const SessionsApiParts& parts, const net::Request& request, net::Exchange exchange) {
  const std::string_view id = request.param("id");
  for (const openai::SessionInfo& info : all(parts, request))
    if (info.id == id) return respond_json(exchange, 200, openai::print_session(info));
  respond_error(exchange, no_such_session(id, "id"));
}

void show_clocks(const SessionsApiParts& parts, const net::Request& request, net::Exchange exchange) {
  const std::string id(request.param("id"));
  const auto live = parts.sessions.find(id, request.key_name);
  if (!live) return respond_error(exchange, no_such_session(id, "id"));
  respond_json(exchange, 200, print_clocks(live->clocks().report()));
}

}  // namespace

SavedSession saved_of(const LiveSession& live, const openai::SessionCreate& wanted, SessionKind kind) {
  SavedSession saved;
  saved.id = live.id();
  saved.owner = live.owner();
  saved.kind = kind;
  saved.sources = wanted.sources;
  saved.standing = wanted.questions;
  saved.window = wanted.window;
  saved.created = live.info().created;
  return saved;
}

Result<std::shared_ptr<LiveSession>> begin_again(LiveSessions& sessions, StandingQuestions& standing,
                                                 Resumed resumed) {
  SavedSession& saved = resumed.saved;
  openai::SessionCreate wanted;
  wanted.sources = std::move(saved.sources);
  wanted.window = saved.window;
  auto live = sessions.create(wanted, saved.owner,
                              SessionRebirth{saved.id, saved.created, std::move(resumed.image),
                                             std::move(saved.unanswered), saved.perceived, saved.kept});
  if (!live) return live;
  if (!resumed.is_wanted()) {
    sessions.end(saved.id, saved.owner);
    return fail(ErrorCode::kNotFound, "it was deleted as it began");
  }
  standing.add(*live, std::move(saved.standing), false);
  return live;
}

void add_session_routes(net::Router& router, const SessionsApiParts& parts) {
  router.route("GET", "/v1/sessions", on_workers(parts, parts.workers, list));
  router.route("POST", "/v1/sessions", on_workers(parts, parts.openers, create));
  router.route("GET", "/v1/sessions/{id}", on_workers(parts, parts.workers, show));
  router.route("GET", "/v1/sessions/{id}/clocks", on_workers(parts, parts.workers, show_clocks));
  router.route("DELETE", "/v1/sessions/{id}", on_workers(parts, parts.workers, end));
}

}  // namespace braid::serve
