#pragma once
// Who may come in: checks on a request's headers, before anything else is done for it. Pure functions.

#include <string>
#include <string_view>

#include "braid/net/options.h"

namespace braid::net::detail {

/// Why a page of another origin, or a name that isn't ours, may not ask; status 0: it may. `cors_origin` is
/// set if the options list the origin.
HttpError origin_fault(const Request& request, const ServerOptions& options, std::string& cors_origin);

/// Sets token and subprotocols from the headers. `key_prefix`: see WebSocketRouteOptions::key_subprotocol.
void read_credentials(Request& request, std::string_view key_prefix);

/// The request asks for a WebSocket.
bool wants_web_socket(const Request& request);

/// 401.
HttpError no_key(const Request& request);

}  // namespace braid::net::detail
