#pragma once
// Whoever listens to what sources send, beside the model.

#include <string>
#include <vector>

#include "braid/ingest/source.h"
#include "braid/packet/packet.h"
#include "braid/sync/lateness.h"
#include "braid/sync/synchronizer.h"

namespace braid::serve {

/// Called on the session's sync thread, in this order for each packet; add_source() before it runs. Must not
/// block.
class SyncTap {
 public:
  virtual ~SyncTap() = default;

  virtual void add_source(SourceId source, const ingest::SourceInfo& info) = 0;
  /// As it came: in order within each stream alone.
  virtual void arrived(SourceId source, const Packet& packet) = 0;
  /// Streams that are silent are waited for no longer.
  virtual void assumed(const std::vector<sync::Advance>& advances) = 0;
  virtual void ended(SourceId source) = 0;
  /// In order of time, all streams together. False: the model doesn't get it.
  virtual bool let_out(const sync::Timed& item) = 0;
  /// All that was before `frontier` has been let out.
  virtual void passed(SessionTime frontier) = 0;
};

}  // namespace braid::serve
