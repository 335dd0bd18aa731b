#pragma once
// What a service manager wants to hear.

#include <string_view>

namespace braid::serve {

/// Sends `state` ("READY=1") to $NOTIFY_SOCKET as systemd's sd_notify(3) describes it; does nothing where
/// there is none. Never blocks.
void notify_manager(std::string_view state);

}  // namespace braid::serve
