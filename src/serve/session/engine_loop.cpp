#include "session/engine_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace braid::serve {

namespace {

// About a frame of the default model: on two quiet cores such a step stays under the target.
constexpr int kMinStepRows = 16;

schedule::PlanOptions plan_options(const SessionOptions& options, const engine::EngineInfo& info) {
  schedule::PlanOptions plan;
  plan.max_rows = info.max_step_rows;
  plan.step_target = options.step_target;
  plan.min_rows = kMinStepRows;
  plan.perceive_beside_question = info.on_gpu;
  plan.deterministic = options.deterministic;
  return plan;
}

AnswerOptions answer_options(const SessionOptions& options, const engine::EngineInfo& info,
                             const Pace& pace) {
  AnswerOptions answers;
  answers.max_sequences = info.max_sequences;
  answers.join_turns = options.join_turns;
  answers.age = [&pace](const Question& question, SessionTime seen, SteadyTime at) {
    return pace.age(question, seen, at);
  };
  return answers;
}

// First guesses; the planner learns the engine's own.
constexpr Nanoseconds kStepBase = Milliseconds(10);
constexpr Nanoseconds kStepRow = Milliseconds(2);

}  // namespace

int cells_needed(const SessionOptions& options, int max_answer_tokens) {
  const double window =
      options.window.max_rows * (1.0 + options.window.keep + (1.0 - options.window.turn_over_at));
  return static_cast<int>(std::ceil(window)) +
         options.max_open_answers * (kMaxQuestionTokens + max_answer_tokens) + 64;
}

int sequences_needed(const SessionOptions& options) {
  return options.max_open_answers + 2;  // the timeline and its successor
}

EngineLoop::EngineLoop(const SessionOptions& options, engine::Engine& engine, engine::DeviceArbiter& arbiter,
                       Clock& clock, Pace& pace, Tally& tally, const SourceBook& sources,
                       flow::Lanes<EngineInput> in, flow::Sender<deliver::Event> out)
    : options_(options),
      engine_(engine),
      arbiter_(arbiter),
      clock_(clock),
      pace_(pace),
      tally_(tally),
      sources_(sources),
      in_(std::move(in)),
      out_(std::move(out)),
      ledger_(engine.info.cells, engine.info.max_sequences),
      perception_(options.window, engine, ledger_, clock, tally,
                  [this](encode::Encoded& encoded) { seen(encoded); }),
      answers_(answer_options(options, engine.info, pace), *engine.decoder, *engine.tokenizer, ledger_,
               perception_, clock, [this](deliver::Event event) { emit(std::move(event)); }),
      planner_(plan_options(options, engine.info), schedule::StepCost(kStepBase, kStepRow)) {}

void EngineLoop::emit(deliver::Event event) {
  if (const auto* answer = std::get_if<Answer>(&event)) tally_.answered(*answer);
  out_.push(std::move(event));
}

void EngineLoop::seen(encode::Encoded& encoded) {
  deliver::Perceived perceived;
  perceived.modality = encoded.modality;
  perceived.source = sources_.names[static_cast<std::size_t>(encoded.source.value)];
  perceived.start = encoded.start;
  perceived.end = encoded.end;
  perceived.kept = encoded.chunk != nullptr;
  perceived.reason = encoded.reason;
  perceived.tokens = encoded.tokens;
  perceived.width = encoded.width;
  perceived.height = encoded.height;
  perceived.text = encoded.text;
  perceived.stages = encoded.trace.times();
  tally_.perceived(encoded, perceived.stages);
  if (encoded.error) report(Damage{encoded.source, encoded.start, *encoded.error});
  emit(std::move(perceived));
}

void EngineLoop::report(const Damage& damage) {
  tally_.fault();
  emit(
      deliver::Fault{sources_.names[static_cast<std::size_t>(damage.source.value)], damage.at, damage.error});
}

void EngineLoop::take_control() {
  while (auto input = in_.try_pop(kControl)) {
    if (const auto* one = std::get_if<CancelAnswer>(&*input)) {
      answers_.cancel(one->id, one->reason);
      cancelled_.push_back(one->id);
      if (cancelled_.size() > static_cast<std::size_t>(options_.max_waiting_questions))
        cancelled_.pop_front();
    }
    if (const auto* all = std::get_if<CancelEverything>(&*input)) {
      answers_.cancel_all(all->reason);
      cancel_all_ = true;
    }
  }
}

std::optional<Error> EngineLoop::why_not(const Question& question) {
  const bool cancelled = cancel_all_ || question.max_tokens == 0 ||
                         std::find(cancelled_.begin(), cancelled_.end(), question.id) != cancelled_.end();
  if (cancelled) return Error{ErrorCode::kCancelled, "cancelled before it was answered"};
  if (broken_) return Error{ErrorCode::kInternal, "the engine has failed; see the errors"};
  const int rows = answers_.question_rows(question);
  if (rows > kMaxQuestionTokens)
    return Error{ErrorCode::kLimit, fmt::format("the question has {} tokens; it may have {}: shorten it",
                                                rows, kMaxQuestionTokens)};
  const int trained = engine_.info.trained_context;
  const int longest = options_.window.max_rows + rows + question.max_tokens;
  if (trained > 0 && longest > trained)
    return Error{ErrorCode::kLimit,
                 fmt::format("window, question and answer may take {} tokens, the model was trained "
                             "on {}: lower --max-tokens or --window-tokens",
                             longest, trained)};
  return std::nullopt;
}

bool EngineLoop::take_question(Question& question) {
  // Once it waits for nothing but its turn, it goes on waiting for that, whatever is prefilled meanwhile.
  if (question.trace.holder() != Stage::kSchedule)
    question.trace.enter(perception_.caught_up() ? Stage::kSchedule : Stage::kPrefillQueue, clock_.now());
  if (auto error = why_not(question)) {
    const auto finish =
        error->code == ErrorCode::kCancelled ? FinishReason::kCancelled : FinishReason::kError;
    answers_.refuse(question, finish, std::move(*error));
    return true;
  }
  if (!perception_.caught_up()) return false;
  const bool fits = answers_.fits(question);
  if (answers_.open() >= static_cast<std::size_t>(options_.max_open_answers) ||
      (!fits && answers_.open() > 0))
    return false;
  if (!fits) {
    answers_.refuse(question, FinishReason::kError,
                    {ErrorCode::kLimit, "question and answer don't fit the KV cache: lower --max-tokens"});
    return true;
  }
  answers_.begin(std::move(question));
  return true;
}

bool EngineLoop::take(EngineInput& input) {
  if (auto* question = std::get_if<Question>(&input)) {
    // Repetitions were admitted once, with their first.
    const bool admitted = !question->every || question->id == question->standing;
    if (!take_question(*question)) return false;
    if (admitted) tally_.question_taken();
    return true;
  }
  if (const auto* damage = std::get_if<Damage>(&input)) {
    report(*damage);
    return true;
  }
  auto& encoded = std::get<encode::Encoded>(input);
  const SessionTime end = encoded.end;
  if (broken_) {
    encoded.chunk = nullptr;
    seen(encoded);
  } else if (!perception_.offer(encoded)) {
    return false;
  }
  emit(tally_.progress(end, sources_.duration));
  return true;
}

bool EngineLoop::take_chunks() {
  bool any = false;
  // Where a turn joins must not depend on how fast its answer came.
  if (options_.deterministic && options_.join_turns && answers_.open() > 0) return false;
  // A few chunks ahead of the steps are enough; the rest stays in the lane, which bounds it.
  while (perception_.waiting() < options_.queue) {
    if (!head_) head_ = in_.try_pop(kChunks);
    if (!head_ || !take(*head_)) break;
    head_.reset();
    any = true;
  }
  return any;
}

void EngineLoop::failed(const Error& error) {
  answers_.step_failed(planned_, error);
  const bool lost_perception =
      planned_.plan.count(RowKind::kPerception) + planned_.plan.count(RowKind::kRebuild) > 0;
  if (!lost_perception) return;
  tally_.fault();
  emit(deliver::Fault{"engine", {}, error});
  broken_ = true;
  perception_.give_up();
}

bool EngineLoop::step() {
  ready_.decodes.clear();
  ready_.questions.clear();
  ready_.perception.clear();
  ready_.rebuilds.clear();
  ready_.question_waits = head_ && std::holds_alternative<Question>(*head_);
  answers_.ready(ready_);
  if (!broken_) perception_.ready(ready_);
  planner_.plan(ready_, planned_);
  if (planned_.plan.rows.empty()) return false;
  auto turn = arbiter_.take(engine::DeviceArbiter::Work::kStep);
  const SteadyTime begin = clock_.now();
  answers_.step_begins(planned_, begin);
  perception_.step_begins(planned_, begin);
  auto result = engine_.decoder->step(planned_.plan);
  const SteadyTime end = clock_.now();
  if (!result) {
    failed(result.error());
    return true;
  }
  planner_.cost().observe(static_cast<int>(planned_.plan.rows.size()), end - begin);
  perception_.step_done(planned_, end);
  answers_.step_done(planned_, *result);
  return true;
}

bool EngineLoop::idle() const { return !head_ && answers_.open() == 0 && in_.ended(kChunks); }

void EngineLoop::run() {
  if (auto opened = perception_.open(); !opened) {
    emit(deliver::Fault{"engine", {}, opened.error()});
    broken_ = true;
  }
  while (true) {
    take_control();
    const bool took = take_chunks();
    if (!broken_ && perception_.turn_over_if_due()) tally_.turn_over();
    if (step() || took) continue;
    if (idle()) break;
    in_.wait();
  }
  in_.close();
  out_.end();
}

}  // namespace braid::serve
