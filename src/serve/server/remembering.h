#pragma once
// Live sessions and the memory of their key.

#include "braid/serve/session.h"
#include "memory/memories.h"
#include "server/live_session.h"

namespace braid::serve {

/// Before it starts: what it perceives and answers goes to its key's memory, and its questions are looked up
/// there. `resumed_at`: its time as it begins. Where that memory can't be opened the session goes without,
/// which is logged. Blocks for a disk. `memories` outlives it.
void remember(Memories& memories, LiveSession& live, SessionOptions& options, SessionTime resumed_at);

}  // namespace braid::serve
