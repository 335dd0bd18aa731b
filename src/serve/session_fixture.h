#pragma once
// For tests: a session over the scripted engine in virtual time, with as many labelled frames as wanted.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "braid/base/virtual_clock.h"
#include "braid/engine/scripted_engine.h"
#include "braid/engine/scripted_media.h"
#include "braid/serve/session.h"

namespace braid::serve {

inline SessionTime at_ms(std::int64_t ms) { return SessionTime(Milliseconds(ms)); }

/// Frames labelled f0, f1, ... at a fixed interval from session time 0; made one by one, so that there may be
/// any number of them.
struct FrameStream {
  int frames = 10;
  int labels = 1 << 30;  ///< after so many they begin again at f0
  Nanoseconds interval = Milliseconds(500);
  Nanoseconds bound_every = Milliseconds(10);  ///< when paced: promises between frames that none came
  bool paced = false;  ///< each comes when its time has come on the clock; else as fast as accepted
  bool live = false;
  std::string name = "camera";
};

std::unique_ptr<ingest::Source> make_frame_source(FrameStream stream, SlotPool& pool, Clock& clock);

/// Keeps what a client heard, and lets a test act while it is told (on the delivery thread).
class Heard final : public deliver::EventSink {
 public:
  void on_event(const deliver::Event& event) override;

  bool keep_perceived = true;
  std::function<void(const deliver::Event&)> meanwhile;

  std::vector<Answer> answers;  ///< as they ended
  std::vector<AnswerDelta> deltas;
  std::vector<deliver::Perceived> perceived;
  std::vector<deliver::Note> notes;
  std::vector<deliver::Fault> faults;
  std::optional<deliver::Summary> summary;

  const Answer& answer(QuestionId id) const;
};

/// Options are set, then start(); then a test asks, waits and looks.
class SessionTest : public testing::Test {
 protected:
  SessionTest();

  /// A host over a new scripted engine, in place of what was there.
  EngineHost& make_host();
  /// Makes engine and session with one frame source; not yet started.
  void create(FrameStream stream);
  void create_and_start(FrameStream stream) {
    create(std::move(stream));
    session->start();
  }
  void sleep_until(std::int64_t ms) { clock.sleep_until(session->started_at() + Milliseconds(ms)); }

  /// A question for session time `ms`; none: for the end.
  static Question question(std::string text, std::optional<std::int64_t> ms = std::nullopt);
  QuestionId ask(Question asked);
  deliver::Summary run_to_end() { return session->wait(); }

  /// Calls of the engine that began between an answer's question and its first token.
  std::vector<engine::ScriptedCall> calls_before_first_token(const Answer& answer) const;
  /// Those that began and ended within these times.
  std::vector<engine::ScriptedCall> calls_within(SteadyTime from, SteadyTime to) const;
  static int rows(const engine::ScriptedCall& call, RowKind kind) {
    return call.rows[static_cast<std::size_t>(kind)];
  }

  VirtualClock clock;
  SlotPool pool{3 * 64 * 48, 64};
  Heard heard;
  SessionOptions options;
  HostOptions host_options;
  engine::ScriptedOptions model;
  engine::ScriptedEngine made;
  std::unique_ptr<EngineHost> host;
  std::unique_ptr<Session> session;
};

/// "f3, f4, ..., f9".
std::string labels(int first, int last);

}  // namespace braid::serve
