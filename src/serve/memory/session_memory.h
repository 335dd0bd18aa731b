#pragma once
// A session's memory: what it perceives and answers goes in, and questions get what it has on them.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "braid/deliver/events.h"
#include "braid/packet/question.h"
#include "braid/retrieve/compress.h"
#include "braid/retrieve/memory.h"

namespace braid::serve {

/// The system's calendar time.
UtcTime system_now();

/// Of a prompt, for evidence; see SessionOptions::evidence_tokens.
inline constexpr int kEvidenceTokens = 2048;

struct SessionMemoryOptions {
  std::string session;  ///< its id
  /// One that came back: where its time went on. What is kept of before isn't in this one's window by its
  /// time alone.
  SessionTime resumed_at = kSessionStart;
  retrieve::CompressOptions evidence = {};   ///< what of the records that are found a question gets
  Nanoseconds deadline = Milliseconds(200);  ///< for a question's search; less of one that has a deadline
};

/// Lines of text, readings, answers and the notes on what was seen and heard are kept. on_event() on the
/// delivery thread, recall() on the encode thread.
class SessionMemory {
 public:
  SessionMemory(std::shared_ptr<retrieve::Memory> memory, SessionMemoryOptions options)
      : options_(std::move(options)), memory_(std::move(memory)) {}

  /// When session time 0 is. Before all that follows.
  void begin(UtcTime zero) { began_ = zero; }
  /// Doesn't block.
  void on_event(const deliver::Event& event);
  /// Adds to its evidence, unless it has some. Answers aren't looked for: a question would find itself. A
  /// search that is late adds "memory" to what was given up.
  void recall(Question& question);
  /// Records that couldn't be added.
  std::uint64_t lost() const { return lost_; }

 private:
  void keep(retrieve::RecordKind kind, const std::string& source, SessionTime start, SessionTime end,
            const std::string& text, std::vector<retrieve::RecordVector> vectors = {});
  /// None: it wasn't written by this session.
  std::optional<SessionTime> perceived_at(const retrieve::Record& record) const;

  const SessionMemoryOptions options_;
  const std::shared_ptr<retrieve::Memory> memory_;
  UtcTime began_{};
  std::atomic<std::uint64_t> lost_ = 0;
};

}  // namespace braid::serve
