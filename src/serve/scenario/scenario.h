#pragma once
// A scenario: timed inputs, a scripted model, and what has to come out. docs/scenarios.md is the format.

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "braid/engine/scripted_engine.h"
#include "braid/ingest/source.h"
#include "braid/serve/session.h"
#include "scenario/expectation.h"
#include "scenario/sender_clock.h"

namespace braid::serve {

/// What a source sends.
struct ScriptedInput {
  enum class Kind { kFrame, kBlank, kSpeech, kSilence, kText, kReading, kDamage };
  Kind kind = Kind::kFrame;
  SessionTime start;
  SessionTime end;            // equal to start for instants
  std::string text;           // label, words, line, channel=value, message
  Nanoseconds late{};         // reaches us so much after `end`
  Nanoseconds stamped{};      // its stamp alone is off by so much
  Nanoseconds arrival{};      // set when all is read
  Nanoseconds error_bound{};  // of a source with a clock
};

struct ScriptedStream {
  ingest::SourceInfo info;
  Nanoseconds capture_delay{};
  Nanoseconds ingest_delay{};
  std::vector<ScriptedInput> inputs;     // in order of arrival
  std::optional<SenderClockSpec> clock;  // none: its times are session times
  std::vector<SenderClockChange> clock_changes;
  std::uint64_t resets = 0;
  std::vector<std::pair<std::string, std::uint64_t>> clock_events;
};

/// What a client does at a time on the clock, counted from the session's start.
struct ClientAction {
  enum class Kind { kAsk, kCancel, kStop, kQuit };
  Kind kind = Kind::kAsk;
  Nanoseconds at{};
  Question question;  // kAsk
  QuestionId id;      // kCancel
};

struct Scenario {
  SessionOptions session;
  HostOptions host;
  engine::ScriptedOptions engine;
  Nanoseconds deliver_delay{};  // that the client takes for each answer
  std::vector<ScriptedStream> streams;
  std::vector<Question> questions;
  std::vector<ClientAction> actions;  // in order of time
  std::vector<Expectation> expectations;
  std::string pipeline;  // TOML; empty: none
};

/// kBadInput with the line's number; kLimit: too much of something. Any bytes may come.
Result<Scenario> parse_scenario(std::string_view text);

/// Runs it in virtual time. What didn't hold, one message each; empty: all is well. Deterministic. A scenario
/// without an expectation fails.
std::vector<std::string> run_scenario(const Scenario& scenario);

}  // namespace braid::serve
