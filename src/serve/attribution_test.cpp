// Attribution can't be a remainder: each stage in turn is delayed, and exactly that stage of the answer
// grows, by as much, while the wall time is measured by the client.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <span>
#include <string>

#include "braid/base/virtual_clock.h"
#include "braid/deliver/finish.h"
#include "braid/engine/scripted_engine.h"
#include "braid/engine/scripted_media.h"
#include "braid/ingest/scripted_source.h"
#include "braid/serve/session.h"

namespace braid::serve {
namespace {

constexpr Nanoseconds kDelay = Milliseconds(50);
constexpr Nanoseconds kTolerance = Milliseconds(1);
constexpr std::array kMainKinds = {StreamKind::kVideo, StreamKind::kReading};
constexpr Nanoseconds kAsked = Milliseconds(2000);  // since the session's start

/// One live question at 2.0 s about what was captured at 2.0 s at the latest.
struct Setup {
  Nanoseconds first = Milliseconds(1900);        // when the packet before the last is captured
  bool first_reads = false, last_reads = false;  // they are readings; else frames
  std::optional<Nanoseconds> later;              // a frame that comes while the answer is made
  Nanoseconds capture_delay{}, ingest_delay{}, retrieve_delay{}, deliver_delay{};
  Nanoseconds other_bound_late{};  // the other source promises so late that nothing older comes
  std::function<Nanoseconds(const StepPlan&, Nanoseconds since_start)> extra_step;
  std::function<Nanoseconds(SessionTime captured)> extra_encode;
};

struct Outcome {
  Answer answer;
  Nanoseconds client_wall{};
};

/// A client who takes `delay` to read an answer, then looks at his own watch.
class Client final : public deliver::EventSink {
 public:
  Client(Clock& clock, Nanoseconds delay) : clock_(clock), delay_(delay) {}

  void on_event(const deliver::Event& event) override {
    const auto* answer = std::get_if<Answer>(&event);
    if (!answer) return;
    clock_.sleep_for(delay_);
    got.answer = *answer;
    received = clock_.now();
    deliver::finish_answer(got.answer, received);
  }

  Outcome got;
  SteadyTime received;

 private:
  Clock& clock_;
  Nanoseconds delay_;
};

class Attribution {
 public:
  explicit Attribution(const Setup& setup) : setup_(setup), client_(clock_, setup.deliver_delay) {}

  Outcome run() {
    auto made = engine::make_scripted_engine(clock_, engine_options());
    SessionOptions options;
    options.realtime = true;
    options.recall = [this](Question&) { clock_.sleep_for(setup_.retrieve_delay); };
    // Deterministic, so that a slow step doesn't change the plans after it.
    EngineHost host(made.engine, clock_, {.deterministic = true});
    auto session = Session::create(options, host, nullptr, clock_, client_).value();
    EXPECT_TRUE(session->add_source(main_source()));
    EXPECT_TRUE(session->add_source(other_source()));
    Question question;
    question.text = "What?";
    question.at = SessionTime(kAsked);
    EXPECT_TRUE(session->ask(question));
    session->start();
    session->wait();
    Outcome outcome = client_.got;
    outcome.client_wall = client_.received - (session->started_at() + kAsked);
    return outcome;
  }

 private:
  engine::ScriptedOptions engine_options() {
    engine::ScriptedOptions options;
    options.rules = {{"", "An answer of some forty tokens, to be decoded."}};
    options.extra_step_cost = [this](const StepPlan& plan) {
      return setup_.extra_step ? setup_.extra_step(plan, clock_.now().time_since_epoch()) : Nanoseconds{};
    };
    options.extra_encode_cost = [this](const engine::Medium& medium) {
      return setup_.extra_encode ? setup_.extra_encode(std::get<const Frame*>(medium)->captured)
                                 : Nanoseconds{};
    };
    return options;
  }

  Packet packet(Nanoseconds at, const std::string& label, bool reads) {
    if (!reads) return engine::make_labelled_frame(pool_, label, SessionTime(at), {}).value();
    Reading reading;
    reading.at = SessionTime(at);
    reading.values = {{"force", label}};
    return reading;
  }

  std::unique_ptr<ingest::Source> main_source() {
    std::vector<ingest::ScriptedPacket> packets;
    const auto promise = [&](Nanoseconds at, SessionTime until) {
      for (const StreamKind kind : kMainKinds) add_bound(packets, at, {kind, until});
    };
    packets.push_back({setup_.first, packet(setup_.first, "first", setup_.first_reads)});
    promise(setup_.first, SessionTime(setup_.first + Nanoseconds(1)));
    packets.push_back({kAsked, packet(kAsked, "last", setup_.last_reads)});
    promise(kAsked, SessionTime(kAsked + Nanoseconds(1)));
    if (setup_.later) {
      packets.push_back({*setup_.later, packet(*setup_.later, "later", false)});
      promise(*setup_.later, SessionTime(*setup_.later + Nanoseconds(1)));
    }
    promise(Milliseconds(5000), SessionTime::max());
    ingest::ScriptedOptions options;
    options.bounds = false;
    options.capture_delay = setup_.capture_delay;
    options.ingest_delay = setup_.ingest_delay;
    return ingest::make_scripted_source(info("main", kMainKinds), std::move(packets), std::move(options),
                                        clock_);
  }

  std::unique_ptr<ingest::Source> other_source() {
    std::vector<ingest::ScriptedPacket> packets;
    const auto promise = [&](Nanoseconds at, SessionTime until) {
      add_bound(packets, at, {StreamKind::kText, until});
    };
    promise(setup_.first, SessionTime(setup_.first + Nanoseconds(1)));
    promise(kAsked + setup_.other_bound_late, SessionTime::max());
    ingest::ScriptedOptions options;
    options.bounds = false;
    return ingest::make_scripted_source(info("other", std::array{StreamKind::kText}), std::move(packets),
                                        std::move(options), clock_);
  }

  static void add_bound(std::vector<ingest::ScriptedPacket>& packets, Nanoseconds at, Bound bound) {
    auto& added = packets.emplace_back();
    added.arrival = at;
    added.packet.emplace<Bound>(bound);
  }

  static ingest::SourceInfo info(std::string name, std::span<const StreamKind> kinds) {
    ingest::SourceInfo info;
    info.name = std::move(name);
    for (const StreamKind kind : kinds) info.streams[static_cast<std::size_t>(kind)] = true;
    return info;
  }

  const Setup& setup_;
  VirtualClock clock_;
  SlotPool pool_{3 * 64 * 48, 4};
  Client client_;
};

bool has(const StepPlan& plan, RowKind kind) { return plan.count(kind) > 0; }

struct Case {
  std::string name;
  Stage stage;
  std::function<void(Setup&, Nanoseconds delay)> delay_stage;
};

// A reading just before the last packet, and its step takes longer.
void slow_step_before(Setup& setup, Nanoseconds delay) {
  setup.first_reads = true;
  setup.first = kAsked - Milliseconds(2);
  setup.extra_step = [delay, first = setup.first](const StepPlan&, Nanoseconds now) {
    return now >= first && now < kAsked ? delay : Nanoseconds{};
  };
}

std::vector<Case> cases() {
  return {
      {"Capture", Stage::kCapture, [](Setup& setup, Nanoseconds delay) { setup.capture_delay = delay; }},
      {"Ingest", Stage::kIngest, [](Setup& setup, Nanoseconds delay) { setup.ingest_delay = delay; }},
      {"Sync", Stage::kSync, [](Setup& setup, Nanoseconds delay) { setup.other_bound_late = delay; }},
      {"EncodeQueueBehindAnotherFrame", Stage::kEncodeQueue,
       [](Setup& setup, Nanoseconds delay) {
         setup.first = kAsked - Milliseconds(10);
         setup.extra_encode = [delay](SessionTime captured) {
           return captured < SessionTime(kAsked) ? delay : Nanoseconds{};
         };
       }},
      {"Encode", Stage::kEncode,
       [](Setup& setup, Nanoseconds delay) {
         setup.extra_encode = [delay](SessionTime captured) {
           return captured == SessionTime(kAsked) ? delay : Nanoseconds{};
         };
       }},
      {"EncodeQueueBehindAStep", Stage::kEncodeQueue, slow_step_before},
      {"PrefillQueue", Stage::kPrefillQueue,
       [](Setup& setup, Nanoseconds delay) {
         slow_step_before(setup, delay);
         setup.last_reads = true;
       }},
      {"Prefill", Stage::kPrefill,
       [](Setup& setup, Nanoseconds delay) {
         setup.extra_step = [delay](const StepPlan& plan, Nanoseconds now) {
           return now >= kAsked && has(plan, RowKind::kPerception) ? delay : Nanoseconds{};
         };
       }},
      {"RetrieveBesideThePrefill", Stage::kRetrieve,
       [](Setup& setup, Nanoseconds delay) {
         // The last frame, which takes less, is prefilled meanwhile.
         setup.retrieve_delay = Milliseconds(20) + delay;
       }},
      {"Schedule", Stage::kSchedule,
       [](Setup& setup, Nanoseconds delay) {
         setup.later = kAsked + Milliseconds(100);
         setup.extra_encode = [delay](SessionTime captured) {
           return captured > SessionTime(kAsked) ? delay : Nanoseconds{};
         };
       }},
      {"DecodeFirst", Stage::kDecodeFirst,
       [](Setup& setup, Nanoseconds delay) {
         setup.extra_step = [delay](const StepPlan& plan, Nanoseconds) {
           return has(plan, RowKind::kQuestion) ? delay : Nanoseconds{};
         };
       }},
      {"Decode", Stage::kDecode,
       [](Setup& setup, Nanoseconds delay) {
         setup.extra_step = [delay, steps = std::make_shared<int>(0)](const StepPlan& plan, Nanoseconds) {
           return has(plan, RowKind::kDecode) && ++*steps == 5 ? delay : Nanoseconds{};
         };
       }},
      {"Deliver", Stage::kDeliver, [](Setup& setup, Nanoseconds delay) { setup.deliver_delay = delay; }},
  };
}

Outcome run_with(const Case& one, Nanoseconds delay) {
  Setup setup;
  one.delay_stage(setup, delay);
  return Attribution(setup).run();
}

class AttributionTest : public testing::TestWithParam<Case> {};

TEST_P(AttributionTest, DelayShowsInItsOwnStageAlone) {
  const Outcome before = run_with(GetParam(), {});
  const Outcome after = run_with(GetParam(), kDelay);
  ASSERT_EQ(before.answer.finish, FinishReason::kStop);
  ASSERT_EQ(before.answer.text, after.answer.text);
  EXPECT_NEAR(to_ms(after.client_wall - before.client_wall), to_ms(kDelay), to_ms(kTolerance));
  for (std::size_t i = 0; i < kStageCount; ++i) {
    const auto stage = static_cast<Stage>(i);
    const Nanoseconds expected = stage == GetParam().stage ? kDelay : Nanoseconds{};
    EXPECT_NEAR(to_ms(after.answer.stages[stage] - before.answer.stages[stage]), to_ms(expected),
                to_ms(kTolerance))
        << to_string(stage) << ", " << to_ms(before.answer.stages[stage]) << " ms before";
  }
}

TEST_P(AttributionTest, StagesMakeUpTheClientsWallTime) {
  const Outcome outcome = run_with(GetParam(), kDelay);
  EXPECT_EQ(outcome.answer.stages.sum(), outcome.client_wall);
  EXPECT_LT(std::abs(to_ms(outcome.answer.stages[Stage::kUnattributed])), 0.01 * to_ms(outcome.client_wall));
  for (std::size_t i = 0; i < kStageCount; ++i) EXPECT_GE(outcome.answer.stages.by_stage[i], Nanoseconds{});
}

INSTANTIATE_TEST_SUITE_P(Stages, AttributionTest, testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace braid::serve
