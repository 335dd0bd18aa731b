#pragma once
// llama.cpp's log lines: none on stderr, faults into ours.

#include <string>

namespace braid::engine::llama {

/// Routes the logs of ggml, libllama, libmtmd and llama-common; once is enough. Warnings and errors appear at
/// debug level: what concerns the user comes back as an Error.
void route_logs();

/// Forgets the last fault; then what was logged since, one line, for an Error's message ("no reason given" if
/// nothing was). Per thread.
void clear_fault();
std::string last_fault();

}  // namespace braid::engine::llama
