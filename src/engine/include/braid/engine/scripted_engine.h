#pragma once
// An engine without a model, for tests and scenarios: what it sees and hears, what it answers and what
// everything costs is declared; time passes on the given clock. It keeps the real content of every cell, so
// that an answer depends on what its sequence really holds: a wrong fork gives a wrong answer.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "braid/base/clock.h"
#include "braid/engine/engine.h"

namespace braid::engine {

/// The answer to questions that hold `question_contains` ("" holds for all); the first rule that fits is
/// taken. In `answer`, these are replaced by what the sequence holds, in order, joined by ", ", or "nothing":
///   {seen}  labels of pictures        {heard} texts of utterances      {read} lines and readings
///   {last}  the newest of all these   {said}  earlier answers          {question} the question's text
/// A medium of which a part is missing is "part of <label>".
struct AnswerRule {
  std::string question_contains;
  std::string answer;
};

/// What is said in a stretch of sound.
struct HeardText {
  SessionTime start;
  SessionTime end;
  std::string text;
  SourceId source;  ///< none: any
};

struct ScriptedOptions {
  int dim = 8;  ///< at least 6
  int cells = 8192;
  int max_sequences = 16;
  int max_step_rows = 512;
  int trained_context = 8192;
  int max_frame_side = 0;          ///< pixels; 0: no cap
  std::vector<std::string> words;  ///< texts that are one token; everything else is one token a byte
  bool sees = true;
  bool hears = true;
  bool one_pass = true;
  bool can_hide_ranges = true;
  bool can_forget = true;
  bool indivisible_media = false;

  int rows_per_frame = 16;
  double rows_per_second = 12.5;  ///< of an utterance, rounded up

  Nanoseconds frame_encode_cost = Milliseconds(20);
  Nanoseconds utterance_encode_cost = Milliseconds(10);  ///< per second of sound
  Nanoseconds step_cost = Milliseconds(5);               ///< per forward pass
  Nanoseconds row_cost = Microseconds(100);
  std::function<Nanoseconds(const StepPlan&)> extra_step_cost;  ///< none: 0; called on the step's thread
  std::function<Nanoseconds(const Medium&)> extra_encode_cost;

  std::vector<HeardText> heard;                ///< utterances outside of it are "a tone of <n> Hz"
  std::vector<AnswerRule> rules;               ///< after them: "I see {seen}. I hear {heard}."
  std::vector<std::uint64_t> failing_steps;    ///< these fail with kInternal, counted from 1
  std::vector<std::uint64_t> failing_encodes;  ///< these calls fail with kBadInput, counted from 1
};

/// One step or encode call, as it ran.
struct ScriptedCall {
  enum class Kind : std::uint8_t { kStep, kEncode } kind = Kind::kStep;
  SteadyTime begin;
  SteadyTime end;
  std::array<int, kRowKinds> rows{};  ///< steps: by RowKind
};

/// A look inside, for tests. Any thread.
class ScriptedProbe {
 public:
  virtual ~ScriptedProbe() = default;
  virtual int used_cells() const = 0;  ///< held by any sequence: the union
  virtual int peak_cells() const = 0;
  virtual int sequences() const = 0;  ///< that hold cells
  /// A sequence's cells as text; a medium stands as "{label}".
  virtual std::string contents(SequenceId sequence) const = 0;
  virtual std::vector<ScriptedCall> calls() const = 0;  ///< the first 65,536
};

struct ScriptedEngine {
  Engine engine;
  std::shared_ptr<const ScriptedProbe> probe;
};

/// Never fails. `clock` outlives the engine; costs are slept on it, inside step() and encode().
ScriptedEngine make_scripted_engine(Clock& clock, ScriptedOptions options);

}  // namespace braid::engine
