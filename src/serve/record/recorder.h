#pragma once
// Writes down what a session does, beside it.

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "braid/base/clock.h"
#include "braid/store/record_file.h"
#include "record/event_log.h"

namespace braid::serve {

/// "BRDREC", version 1: docs/time.md has the promise that goes with it.
inline constexpr store::RecordFileKind kRecordingKind{{'B', 'R', 'D', 'R', 'E', 'C', '0', '\n'}, 1};

struct RecorderOptions {
  std::size_t queue_bytes = 64U << 20;  ///< events that wait for the disk
  bool wait = false;  ///< full: whoever notes something waits; else it is lost, and the recording says so
};

/// Events are made into bytes by whoever notes them and written by a thread of its own.
class Recorder final : public EventLog {
 public:
  /// Errors of RecordFileWriter::create().
  static Result<std::shared_ptr<Recorder>> create(const std::string& path, Clock& clock,
                                                  RecorderOptions options = {});
  ~Recorder() override;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void note(const RecordedEvent& event) override;
  void arrived(SourceId source, const Packet& packet, std::optional<SessionTime> at) override;

  /// No more is noted. Blocks until all is on the disk. kResource: what the system said, and the recording
  /// ends before that; kFull: events were lost.
  Status finish();

 private:
  struct Waiting {
    std::uint32_t type;
    std::string bytes;
  };

  Recorder(store::RecordFileWriter file, Clock& clock, RecorderOptions options);
  void put(std::uint32_t type, std::string bytes);
  void run();
  void write(const Waiting& event);

  const RecorderOptions options_;
  store::RecordFileWriter file_;  // the thread's
  Status written_;                // the thread's until it has ended
  std::mutex mutex_;              // guards what follows
  Signal changed_;
  std::deque<Waiting> queue_;
  std::size_t bytes_ = 0;
  std::uint64_t lost_ = 0;
  bool over_ = false;
  bool failed_ = false;
  Thread thread_;
};

}  // namespace braid::serve
