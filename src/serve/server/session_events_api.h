#pragma once
// /v1/sessions/{id}/events: what happens in a session, as server-sent events.

#include "braid/net/router.h"
#include "server/live_sessions.h"

namespace braid::serve {

/// Adds GET /v1/sessions/{id}/events: each event's data is an object of docs/json.md, its id counts up. The
/// latest come first; with Last-Event-ID, those after it. A slow reader is ended. `sessions` outlives the
/// router.
void add_session_events_route(net::Router& router, LiveSessions& sessions);

}  // namespace braid::serve
