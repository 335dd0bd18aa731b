#pragma once
// The stages of a replay, each driven by what is recorded of it. Errors of kMismatch are differences.

#include <deque>
#include <memory>
#include <optional>

#include "braid/encode/chunk_maker.h"
#include "braid/sync/synchronizer.h"
#include "host/engine_input.h"
#include "record/event_log.h"
#include "record/recorded_engine.h"
#include "record/replay.h"
#include "session/encode_loop.h"
#include "session/session_work.h"
#include "session/sync_loop.h"

namespace braid::serve {

/// "windows: recorded …, now …".
tl::unexpected<Error> differs(const char* what, const std::string& recorded, const std::string& now);

/// Sync's inputs in, its items out.
class ReplayedSync {
 public:
  ReplayedSync(const Opened& opened, Clock& clock, sync::SpeechDetectorFactory* speech, ReplayReport& report);

  void take(Arrived&& arrived);
  void take(const AskedOf& asked) { synchronizer_.ask(asked.question); }
  void take(const Withdrawn& withdrawn) { synchronizer_.withdraw(withdrawn.id); }
  void take(const SourceEnded& ended) { synchronizer_.end_source(ended.source); }
  void take(const BoundsMoved& moved);
  void take(const SyncFinished&) { synchronizer_.finish(); }

  void told(const LetOut& recorded) { told_.push_back(recorded); }
  /// Passes on what was made and is recorded alike.
  Status compare();
  /// Nothing is made that wasn't recorded, nor the other way round.
  Status finished() const;
  std::deque<sync::Timed>& out() { return out_; }

 private:
  ReplayReport& report_;
  sync::Synchronizer synchronizer_;
  std::deque<sync::Timed> made_, out_;
  std::deque<LetOut> told_;
};

/// Items in, chunks out.
class ReplayedEncode {
 public:
  ReplayedEncode(const Opened& opened, engine::Engine& engine, engine::DeviceArbiter& arbiter, Clock& clock,
                 ReplayReport& report);

  void told(const Handled& recorded) { told_.push_back(recorded); }
  /// Handles what was recorded, as far as it is there.
  Status handle(std::deque<sync::Timed>& in);
  Status finished() const;
  std::deque<EngineInput>& out() { return out_; }

 private:
  Result<EngineInput> handle(sync::Timed item, const Handled& recorded);
  Status compare(const encode::Encoded& made, const Handled& recorded);

  ReplayReport& report_;
  encode::ChunkMaker maker_;
  std::deque<Handled> told_;
  std::deque<EngineInput> out_;
};

/// The engine's thread, round by round.
class ReplayedWork final : public EventLog {
 public:
  ReplayedWork(const Opened& opened, StepLoop& loop, StepLoop::Promise promise, ReplayClock& clock,
               ReplayedStep& step, const ReplayOptions& options, ReplayReport& report);

  void told(Took recorded) { told_.emplace_back(std::move(recorded)); }
  void told(Stepped recorded) { told_.emplace_back(std::move(recorded)); }
  void told(Answered recorded) { told_answers_.push_back(std::move(recorded)); }
  /// Does what was recorded, as far as its inputs are there.
  Status go_on(std::deque<EngineInput>& in);
  Status finished() const;

  // What the work says of itself.
  void note(const RecordedEvent& event) override;
  void arrived(SourceId, const Packet&, std::optional<SessionTime>) override {}

 private:
  Status take(const Took& recorded, std::deque<EngineInput>& in);
  Status step(const Stepped& recorded);
  Status idle_rounds(std::uint32_t rounds);
  Status close_round();
  Status compare(const Stepped& made, const Stepped& recorded);
  Status compare_answers();
  void drain();

  StepLoop& loop_;
  ReplayClock& clock_;
  ReplayedStep& step_;
  const ReplayOptions& replay_options_;
  ReplayReport& report_;
  SessionOptions options_;
  Pace pace_;
  Tally tally_;
  SourceBook book_;
  DueQuestions due_;
  flow::Lanes<deliver::Event> to_client_;
  flow::Sender<EngineInput> chunks_, control_;
  std::deque<std::variant<Took, Stepped>> told_;
  std::deque<Answered> told_answers_, made_answers_;
  std::optional<Stepped> made_;
  bool open_ = false;  // a round has taken and not yet stepped
};

}  // namespace braid::serve
