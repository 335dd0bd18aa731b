#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "braid/base/virtual_clock.h"
#include "braid/deliver/json_writer.h"
#include "braid/engine/scripted_media.h"
#include "braid/ingest/scripted_source.h"
#include "pipeline/pipeline_run.h"
#include "scenario/engine_account.h"
#include "scenario/scenario.h"

namespace braid::serve {

namespace {

constexpr int kWidth = 64;  // pixels of scripted pictures
constexpr int kHeight = 48;

/// Writes events down as JSON, as slowly as the scenario says.
class Recorder final : public deliver::EventSink {
 public:
  Recorder(Clock& clock, Nanoseconds delay)
      : clock_(clock),
        delay_(delay),
        writer_(deliver::make_json_writer([this](const std::string& line) { lines.push_back(line); }, clock,
                                          {.deltas = true, .progress_every = {}})) {}

  void on_event(const deliver::Event& event) override {
    if (const auto* answer = std::get_if<Answer>(&event)) {
      clock_.sleep_for(delay_);
      answers.push_back(*answer);
    }
    writer_->on_event(event);
    if (pipeline) pipeline->on_event(event);
  }

  PipelineRun* pipeline = nullptr;

  std::vector<std::string> lines;
  std::vector<Answer> answers;

 private:
  Clock& clock_;
  Nanoseconds delay_;
  std::unique_ptr<deliver::Writer> writer_;
};

Reading reading_of(const ScriptedInput& input) {
  Reading reading;
  reading.at = input.start;
  const std::size_t equals = input.text.find('=');
  reading.values.emplace_back(input.text.substr(0, equals), input.text.substr(equals + 1));
  return reading;
}

/// Times of a source with a clock may be off by so much.
Packet bounded(Packet packet, Nanoseconds error_bound) {
  std::visit(
      [error_bound](auto& one) {
        if constexpr (requires { one.error_bound; }) one.error_bound = error_bound;
      },
      packet);
  return packet;
}

Packet packet_of(const ScriptedInput& input, SlotPool& pool) {
  using Kind = ScriptedInput::Kind;
  switch (input.kind) {
    case Kind::kFrame:
      return engine::make_labelled_frame(pool, input.text, input.start, {}, kWidth, kHeight).value();
    case Kind::kBlank:
      return engine::make_blank_frame(pool, input.start, {}, kWidth, kHeight).value();
    case Kind::kSpeech:
      return engine::make_tone(input.start, input.end - input.start, {});
    case Kind::kSilence:
      return engine::make_tone(input.start, input.end - input.start, {}, 440.0, 0.0F);
    case Kind::kText:
      return TextLine{{}, input.start, input.end, input.text, {}};
    case Kind::kReading:
      return reading_of(input);
    case Kind::kDamage:
      break;
  }
  return Damage{{}, input.start, {ErrorCode::kBadInput, input.text, false}};
}

class Run {
 public:
  explicit Run(const Scenario& scenario)
      : scenario_(scenario),
        made_(engine::make_scripted_engine(clock_, scenario.engine)),
        speech_(sync::make_energy_detector()),
        pool_(3 * kWidth * kHeight, inputs(scenario) + 1),
        recorder_(clock_, scenario.deliver_delay) {}

  std::vector<std::string> failures() {
    if (const Status ran = play(); !ran) return {"the session refused: " + ran.error().message};
    std::vector<std::string> events = std::move(recorder_.lines);
    for (const Answer& answer : recorder_.answers) events.push_back(work_of(answer, made_.probe->calls()));
    events.push_back(totals_of(made_));
    for (const ScriptedStream& stream : scenario_.streams)
      if (stream.clock) events.push_back(clock_event(stream));
    std::vector<std::string> failed;
    if (scenario_.expectations.empty())
      failed.emplace_back("nothing is expected: write at least one expect line");
    for (const Expectation& expectation : scenario_.expectations)
      if (std::string why = check(expectation, events); !why.empty()) failed.push_back(std::move(why));
    return failed;
  }

 private:
  static std::size_t inputs(const Scenario& scenario) {
    std::size_t n = 0;
    for (const ScriptedStream& stream : scenario.streams) n += stream.inputs.size();
    return n;
  }

  Status play() {
    EngineHost host(made_.engine, clock_, scenario_.host);
    SessionOptions options = scenario_.session;
    Session* running = nullptr;
    if (const Status made = make_pipeline(options, running); !made) return made;
    auto session = Session::create(options, host, speech_.get(), clock_, recorder_);
    if (!session) return tl::unexpected(session.error());
    for (const ScriptedStream& stream : scenario_.streams)
      if (auto added = (*session)->add_source(source_of(stream)); !added)
        return tl::unexpected(added.error());
    for (const Question& question : scenario_.questions)
      if (auto asked = (*session)->ask(question); !asked) return tl::unexpected(asked.error());
    running = session->get();
    (*session)->start();
    Thread client(clock_, "client", [&] { act(**session); });
    client.join();
    (*session)->wait();
    recorder_.pipeline = nullptr;
    pipeline_.reset();
    return {};
  }

  /// Its session is `running`, once it runs; it ends when the pipeline has nothing left to do.
  Status make_pipeline(SessionOptions& options, Session*& running) {
    if (scenario_.pipeline.empty()) return {};
    auto plan = parse_pipeline(scenario_.pipeline, "pipeline");
    if (!plan) return tl::unexpected(plan.error());
    PipelineTools tools = tools_of([&running]() -> Session& { return *running; });
    tools.done = [&running] { running->stop(true); };
    auto made = PipelineRun::create(std::move(*plan), std::move(tools), clock_);
    if (!made) return tl::unexpected(made.error());
    pipeline_ = std::move(*made);
    recorder_.pipeline = pipeline_.get();
    options.tap = pipeline_.get();
    options.stay_open = true;
    if (pipeline_->needs_notes()) options.note_bytes = 1U << 20;
    return {};
  }

  std::unique_ptr<ingest::Source> source_of(const ScriptedStream& stream) {
    std::vector<ingest::ScriptedPacket> packets;
    for (const ScriptedInput& input : stream.inputs) {
      const Nanoseconds arrival = scenario_.session.realtime ? input.arrival : Nanoseconds{};
      packets.push_back({arrival, bounded(packet_of(input, pool_), input.error_bound)});
    }
    ingest::ScriptedOptions options;
    options.capture_delay = stream.capture_delay;
    options.ingest_delay = stream.ingest_delay;
    return ingest::make_scripted_source(stream.info, std::move(packets), std::move(options), clock_);
  }

  void act(Session& session) {
    for (const ClientAction& action : scenario_.actions) {
      clock_.sleep_until(session.started_at() + action.at);
      switch (action.kind) {
        case ClientAction::Kind::kAsk:
          // A session that has ended refuses; the scenario then misses the answer it expects.
          (void)session.ask(action.question);
          break;
        case ClientAction::Kind::kCancel:
          session.cancel(action.id);
          break;
        case ClientAction::Kind::kStop:
          session.stop(true);
          break;
        case ClientAction::Kind::kQuit:
          session.stop(false);
          break;
      }
    }
  }

  VirtualClock clock_;
  const Scenario& scenario_;
  engine::ScriptedEngine made_;
  std::unique_ptr<sync::SpeechDetectorFactory> speech_;
  SlotPool pool_;
  Recorder recorder_;
  std::unique_ptr<PipelineRun> pipeline_;  // null: none
};

}  // namespace

std::vector<std::string> run_scenario(const Scenario& scenario) { return Run(scenario).failures(); }

}  // namespace braid::serve
