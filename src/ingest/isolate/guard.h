#pragma once
// The worker program: a guard, which has all libraries loaded, and from which one process is forked for each
// input.

#include <functional>
#include <memory>

#include "braid/ingest/open.h"

namespace braid::ingest::isolate {

inline constexpr int kGuardSocket = 3;    // the guard's descriptors
inline constexpr int kChannelSocket = 3;  // a worker's, whose memory is new
inline constexpr int kInputFile = 4;
inline constexpr int kSpoolFile = 5;
inline constexpr int kNoMemory = 71;  // exit codes of a worker
inline constexpr int kUncaught = 70;
inline constexpr int kUnconfined = 72;

using OpenSource =
    std::function<Result<std::unique_ptr<Source>>(const SourceSpec&, const IngestOptions&, Clock&)>;

/// main() of the program. Ends when the process that started it has closed its end, and all workers with it.
int guard_main(const OpenSource& open);

}  // namespace braid::ingest::isolate
