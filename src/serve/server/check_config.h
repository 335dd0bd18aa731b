#pragma once
// What can be wrong with a configuration and is found in milliseconds: said before a model is loaded for
// seconds.

#include "braid/net/options.h"
#include "braid/serve/server.h"

namespace braid::serve {

/// What of it the network's side is started with; `authorise` is left to the caller.
net::ServerOptions net_options(const ServerConfig& config);

/// The first fault: an address that isn't one, can't be had or needs keys; files of keys, certificates,
/// secrets, models or sources that aren't there or hold something else; hosts, origins and URLs that are
/// none; a state folder that can't be used. Errors as of what uses them. Nothing is kept open.
Status check_config(const ServerConfig& config, Clock& clock);

}  // namespace braid::serve
