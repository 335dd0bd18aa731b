#pragma once
// /v1/sessions.

#include "braid/net/router.h"
#include "server/live_sessions.h"
#include "server/standing_questions.h"
#include "server/workers.h"

namespace braid::serve {

/// Adds GET and POST /v1/sessions, GET and DELETE /v1/sessions/{id}. All outlive the router. Without
/// `may_name_sources` a session with sources is refused with 403.
void add_session_routes(net::Router& router, LiveSessions& sessions, StandingQuestions& standing,
                        Workers& workers, bool may_name_sources);

}  // namespace braid::serve
