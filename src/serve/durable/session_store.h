#pragma once
// One session's files.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "braid/engine/engine.h"
#include "braid/serve/session_image.h"
#include "braid/store/budget.h"
#include "braid/store/record_log.h"
#include "braid/store/snapshot_file.h"
#include "durable/saved_session.h"

namespace braid::serve {

/// Which model made the embeddings: others can't use them.
std::string fingerprint_of(const engine::EngineInfo& model);

/// What was found of a session.
struct LoadedSession {
  SavedSession saved;
  SessionImage image;
  std::int64_t written_us = 0;       ///< Unix time
  std::vector<std::string> refused;  ///< damage that was got over
};

/// Each embedding is written once, when it is first part of an image. One thread at a time.
class SessionStore {
 public:
  /// Errors of store::RecordLog::open(). `charge`: what it holds on the disk, which stays with its files.
  static Result<std::unique_ptr<SessionStore>> open(std::string folder,
                                                    std::shared_ptr<store::Charge> charge);
  SessionStore(const SessionStore&) = delete;
  SessionStore& operator=(const SessionStore&) = delete;

  /// The snapshot without its image. Errors of store::read_snapshot() and parse_saved_session().
  static Result<LoadedSession> peek(const std::string& folder);
  /// All of it. kMismatch: another model's; chunks whose embeddings are damaged are left out.
  Result<LoadedSession> load(const engine::EngineInfo& model);

  /// Writes the image as what `saved` says of it. Returns how many chunks were left out, because there was no
  /// room for their embeddings. Errors: kLimit: the budget; else store::SnapshotFile::write()'s. The last
  /// snapshot stays then. Blocks until it is on the disk.
  Result<std::size_t> write(SavedSession saved, const SessionImage& image, SteadyTime now,
                            std::int64_t wall_us);

  /// Its files are as it left them. Else what it wrote before may be lost: another one of the same folder
  /// begins anew with what is written to it.
  bool intact() const { return log_.intact() && snapshot_.intact(); }
  std::uint64_t bytes() const { return log_.bytes() + snapshot_.bytes(); }
  /// Something can come back from it.
  bool has_snapshot() const { return snapshot_.bytes() > 0; }

 private:
  struct Known {
    std::shared_ptr<const Matrix> rows;  // held: another one can't come to lie where it was
    SavedRun place;
  };

  SessionStore(std::string folder, std::shared_ptr<store::Charge> charge, store::RecordLog log);
  Status write_snapshot(const SavedSession& saved, SteadyTime now, std::int64_t wall_us);
  Result<SavedRun> keep(const EmbeddingRun& run);
  Result<SavedEntry> save(const kv::Kept& kept, std::map<const Matrix*, Known>& used);
  Result<kv::Kept> load(const SavedEntry& entry, const engine::EngineInfo& model);

  const std::string folder_;
  const std::shared_ptr<store::Charge> charge_;
  store::RecordLog log_;
  store::SnapshotFile snapshot_;
  std::map<const Matrix*, Known> known_;  // what the last image held
  std::uint64_t next_run_ = 0;
};

}  // namespace braid::serve
