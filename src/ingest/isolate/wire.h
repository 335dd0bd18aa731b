#pragma once
// What a process that decodes and the one that asked it to say to each other: one message a datagram. What
// comes from the worker is taken for hostile; `Promises` (promises.h) judges what these types don't.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "braid/ingest/open.h"
#include "braid/packet/packet.h"

namespace braid::ingest::isolate {

inline constexpr std::size_t kMaxMessage = 128 << 10;  // bytes
inline constexpr std::size_t kMaxWords = 8 << 10;      // bytes of an error or a description
inline constexpr std::size_t kMaxSamples = 16 << 10;   // of a block: about a second

/// Whether what confines a worker is in force; missing: the kernel or its container doesn't allow it.
struct Confinement {
  bool filter = false;      ///< of system calls
  bool limits = false;      ///< of memory, processor time, files
  bool landlock = false;    ///< no file can be reached by name
  bool namespaces = false;  ///< no network to reach
};

// From the worker.

struct Opened {
  std::array<bool, kStreamKinds> streams{};
  bool may_stall = false;
  Nanoseconds duration{};
  std::string description;
  Confinement confinement;
};
struct Refused {
  Error error;
};
/// When it was read, and when decoding it began.
struct Handled {
  SteadyTime captured{}, decoding{};
};
struct SentFrame {
  std::uint32_t pool = 0, slot = 0;
  SessionTime captured;
  Nanoseconds error_bound{};
  std::int32_t width = 0, height = 0, stride = 0;
  bool scene_change = false;
  Handled handled;
};
struct SentSound {
  SessionTime start;
  Nanoseconds error_bound{};
  std::int32_t sample_rate = 0;
  std::vector<float> samples;
  Handled handled;
};
struct SentLine {
  SessionTime start, end;
  Nanoseconds error_bound{};
  std::string text;
  Handled handled;
};
struct SentBound {
  StreamKind stream{};
  SessionTime nothing_before;
};
struct SentDamage {
  SessionTime at;
  Error error;
  bool notice = false;
};
/// run() is over.
struct Ended {
  std::optional<Error> error;
};
/// Its pictures need slots of so many bytes. Answered by PoolGiven.
struct WantPool {
  std::uint64_t slot_bytes = 0;
};
/// Of a live source's packet. Answered by StampClock::Captured.
struct Observed {
  std::int64_t stamp = 0;
  SessionTime arrival;
};

using FromWorker = std::variant<Opened, Refused, SentFrame, SentSound, SentLine, SentBound, SentDamage, Ended,
                                WantPool, Observed>;

// To the worker.

/// Comes with descriptors: the channel, the guard's, the input, and a spool if there is one.
struct Open {
  SourceSpec spec;
  IngestOptions options;  // less what is a function
  bool has_clock = false;
  bool verbose = false;
  std::int64_t memory_bytes = 0;  ///< more than the program itself needs
  Nanoseconds computing{};        ///< processor time in all; 0: any
  Nanoseconds patience{};         ///< processor time without a message
};
struct Run {
  SteadyTime session_start{};
};
/// Comes with the descriptor of its memory.
struct PoolGiven {
  std::uint32_t number = 0, slots = 0;  // none: there is no memory
  std::uint64_t slot_bytes = 0;
};

/// What the guard of the workers says of one: first that it was started, or why not; then how it ended.
struct Word {
  enum class Of : std::uint8_t { kStart, kFailure, kEnd };
  Of of = Of::kStart;
  std::int32_t value = 0;  ///< its process's number; an errno; as wait() gives it
};

using ToWorker = std::variant<Open, Run, PoolGiven, StampClock::Captured>;

std::string encode(const FromWorker& message);
std::string encode(const ToWorker& message);
/// None: it isn't one.
std::optional<FromWorker> decode_from_worker(std::string_view bytes);
std::optional<ToWorker> decode_to_worker(std::string_view bytes);

}  // namespace braid::ingest::isolate
