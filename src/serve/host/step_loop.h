#pragma once
// The engine's thread.

#include <atomic>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "braid/engine/device_arbiter.h"
#include "braid/flow/lanes.h"
#include "braid/kv/ledger.h"
#include "braid/schedule/planner.h"
#include "braid/serve/engine_host.h"
#include "host/cell_promises.h"
#include "host/engine_input.h"
#include "host/prefix_cache.h"
#include "host/timeline_text.h"

namespace braid::serve {

class StepLoop {
 public:
  StepLoop(engine::Engine& engine, Clock& clock, HostOptions options);
  ~StepLoop();

  using Promise = CellPromises::Promise;

  // Any thread.
  /// As CellPromises::make(). What an idle client lost for it is free when the loop has gone round.
  Result<Promise> promise(int cells, int sequences) { return promises_.make(cells, sequences); }
  /// As CellPromises::make_spare().
  Result<Promise> spare_promise(int cells, int sequences) { return promises_.make_spare(cells, sequences); }
  flow::Sender<EngineInput> add_lane(flow::LaneOptions<EngineInput> options) {
    return in_.add_lane(std::move(options));
  }
  /// Nothing will be taken from them: their client is over, or was never added.
  void forget_lanes(std::initializer_list<std::size_t> lanes);
  /// Starts the thread if it doesn't run yet. Not before: a program sets its signals up after it has loaded a
  /// model.
  void start();
  /// Starts too.
  void add(std::unique_ptr<StepClient> client);
  /// Doesn't: whoever calls this goes round the loop, with take() and step(), in the thread's place.
  void adopt(std::unique_ptr<StepClient> client) { clients_.push_back(std::move(client)); }
  /// Clients look at what they have been told.
  void wake() { in_.wake(); }
  SteadyTime last_step() const { return last_step_; }
  /// When the thread last went round its loop; once the first client was added.
  SteadyTime last_look() const { return last_look_; }
  int promised_cells() const { return promises_.cells(); }
  /// As of the last look.
  int used_cells() const { return used_cells_; }
  const HostOptions& options() const { return options_; }
  engine::Engine& engine() { return engine_; }
  engine::DeviceArbiter& arbiter() { return arbiter_; }
  const TimelineText& timeline_text() const { return timeline_text_; }

  // The engine's thread.
  flow::Lanes<EngineInput>& in() { return in_; }
  kv::Ledger& ledger() { return ledger_; }
  /// Holds no more than what isn't promised to anybody.
  PrefixCache& prefixes() { return prefixes_; }
  /// One half of a round: clients take in what has come. True: something was.
  bool take();
  /// The other: the next step is planned and made. False: there was nothing to do.
  bool step();

 private:
  static constexpr std::size_t kNewClients = 0;  // lane

  void start_locked();
  void run();
  void make_room();
  bool plan();
  bool plan_idle();
  void sweep();

  engine::Engine& engine_;
  Clock& clock_;
  const HostOptions options_;
  const TimelineText timeline_text_;
  engine::DeviceArbiter arbiter_;
  flow::Lanes<EngineInput> in_;
  flow::Sender<EngineInput> new_clients_;
  kv::Ledger ledger_;
  CellPromises promises_;
  PrefixCache prefixes_;
  schedule::Planner planner_;
  schedule::Ready ready_;
  schedule::Planned planned_;
  std::vector<std::unique_ptr<StepClient>> clients_;
  std::vector<StepClient*> asked_;  // whose rows the plan may hold
  std::size_t first_ = 0;           // the client that is asked first: each in turn
  std::atomic<SteadyTime> last_step_{};
  std::atomic<SteadyTime> last_look_;
  std::atomic<int> used_cells_{0};

  std::mutex mutex_;  // guards what follows
  std::optional<Thread> thread_;
};

}  // namespace braid::serve
