#pragma once
// A session's memory: what it perceives and answers goes in, and questions get what it has on them.

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "braid/deliver/events.h"
#include "braid/packet/question.h"
#include "braid/retrieve/memory.h"

namespace braid::serve {

/// The system's calendar time.
UtcTime system_now();

struct SessionMemoryOptions {
  std::string folder;
  std::string embedder;                      ///< as add_embedder() takes it
  std::optional<UtcTime> began;              ///< when session time 0 was; none: when the session starts
  int hits = 8;                              ///< records that a question gets at most
  Nanoseconds deadline = Milliseconds(200);  ///< for a question's search; less of one that has a deadline
};

/// Lines of text, readings, answers and the notes on what was seen and heard are kept. on_event() on the
/// delivery thread, recall() on the encode thread.
class SessionMemory {
 public:
  /// Errors of Memory::open.
  static Result<std::unique_ptr<SessionMemory>> open(SessionMemoryOptions options, Clock& clock);

  /// Session time 0 is now, unless it was said. Before the session starts.
  void begin();
  /// Doesn't block.
  void on_event(const deliver::Event& event);
  /// Adds to its evidence. Answers aren't looked for: a question would find itself. A search that is late
  /// adds "memory" to what was given up.
  void recall(Question& question);
  /// Once each time that the memory begins to fail: why. On the delivery thread.
  std::optional<Error> new_trouble();
  /// Commits what waits. Its error, or that records were refused.
  Status finish();

 private:
  SessionMemory(SessionMemoryOptions options, std::unique_ptr<retrieve::Memory> memory)
      : options_(std::move(options)), memory_(std::move(memory)) {}
  void keep(retrieve::RecordKind kind, const std::string& source, SessionTime start, SessionTime end,
            const std::string& text, std::vector<retrieve::RecordVector> vectors = {});
  Error explained(const Error& error) const;
  /// None: it wasn't written by this session.
  std::optional<SessionTime> perceived_at(const retrieve::Record& record) const;

  const SessionMemoryOptions options_;
  std::unique_ptr<retrieve::Memory> memory_;
  UtcTime began_{};
  bool in_trouble_ = false;
  std::atomic<std::uint64_t> lost_ = 0;  // records that couldn't be added
};

}  // namespace braid::serve
