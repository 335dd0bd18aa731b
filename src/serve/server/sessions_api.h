#pragma once
// /v1/sessions.

#include "braid/net/router.h"
#include "durable/durability.h"
#include "server/live_sessions.h"
#include "server/standing_questions.h"
#include "server/workers.h"

namespace braid::serve {

/// What the routes use; outlives the router.
struct SessionsApiParts {
  LiveSessions& sessions;
  StandingQuestions& standing;
  Durability* durability;  ///< null: sessions end with the process
  Workers& workers;
  Workers& openers;       ///< of their own: a source that says nothing holds one until its time is up
  bool may_name_sources;  ///< else a session with sources is refused with 403, and one of before too
};

/// Adds GET and POST /v1/sessions, GET and DELETE /v1/sessions/{id}, GET /v1/sessions/{id}/clocks.
void add_session_routes(net::Router& router, const SessionsApiParts& parts);

/// As it is saved.
SavedSession saved_of(const LiveSession& live, const openai::SessionCreate& wanted, SessionKind kind);
/// Begins one again that was made of sources, and its standing questions.
Result<std::shared_ptr<LiveSession>> begin_again(LiveSessions& sessions, StandingQuestions& standing,
                                                 Resumed resumed);

}  // namespace braid::serve
