#pragma once
// Starts the processes that decode, each from a guard that was started once and has everything loaded.

#include <memory>
#include <mutex>
#include <string>

#include "isolate/channel.h"
#include "isolate/wire.h"

namespace braid::ingest::isolate {

/// One process that decodes one input. It ends with this.
struct Worker {
  Descriptor channel;
  Descriptor guard;  ///< says how it ended; closed: it is killed
};

/// Thread-safe. One for each program that may be the guard, for as long as this process lives; a guard that
/// died is started again by the next that needs it.
class Workers {
 public:
  /// Empty: braid-ingest-worker beside this program, or in ../lib/braid. kResource: there is none such.
  static Result<Workers*> of(const std::string& program);
  explicit Workers(std::string program) : program_(std::move(program)) {}
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();

  /// Starts the guard. kResource.
  Status prepare();
  /// `spool` may be none. kResource: no process or descriptor is left.
  Result<Worker> start(const Open& open, int input, int spool);

 private:
  Status start_guard();
  void end_guard();

  std::string program_;
  std::mutex mutex_;
  Descriptor guard_;
  int guard_pid_ = -1;
};

}  // namespace braid::ingest::isolate
