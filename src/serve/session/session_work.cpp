#include "session/session_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace braid::serve {

namespace {

// Chunks of a live session that the steps have before them. What waits further back can still be passed over
// for a question; with two a step never lacks the next.
constexpr std::size_t kLiveAhead = 2;

AnswerOptions answer_options(const SessionOptions& options, const engine::EngineInfo& info, const Pace& pace,
                             const SourceBook& sources, WorkLog& log) {
  AnswerOptions answers;
  if (log.on()) answers.sampled = [&log](SequenceId sequence, Token token) { log.sampled(sequence, token); };
  answers.max_sequences = info.max_sequences;
  answers.evidence_tokens = question_room(options) - kMaxQuestionTokens;
  answers.join_turns = options.join_turns;
  answers.asks_blind = options.asks_blind;
  answers.source_names = &sources.names;
  answers.age = [&pace](const Question& question, SessionTime seen, SteadyTime at) {
    return pace.age(question, seen, at);
  };
  return answers;
}

}  // namespace

int question_room(const SessionOptions& options) {
  return kMaxQuestionTokens + std::min(options.evidence_tokens, options.window.max_rows);
}

int cells_needed(const SessionOptions& options) {
  const double window =
      options.window.max_rows * (1.0 + options.window.keep + (1.0 - options.window.turn_over_at));
  return static_cast<int>(std::ceil(window)) + question_room(options) + options.max_answer_tokens + 64;
}

int cells_at_most(const SessionOptions& options) {
  return cells_needed(options) +
         (options.max_open_answers - 1) * (question_room(options) + options.max_answer_tokens) +
         (options.note_bytes > 0 ? Notes::kCells : 0);
}

int sequences_at_most(const SessionOptions& options) {
  return kSequencesNeeded + options.max_open_answers - 1 + (options.note_bytes > 0 ? Notes::kSequences : 0);
}

SessionWork::SessionWork(SessionParts parts, StepLoop& loop, StepLoop::Promise promise, std::size_t chunks,
                         std::size_t control, flow::Sender<deliver::Event> out)
    : out_(std::move(out)),
      options_(parts.options),
      model_(loop.engine().info),
      clock_(parts.clock),
      pace_(parts.pace),
      tally_(parts.tally),
      sources_(parts.sources),
      due_(parts.due),
      loop_(loop),
      chunks_(chunks),
      control_(control),
      ahead_(options_.realtime ? kLiveAhead : options_.queue),
      log_(options_.log),
      perception_(options_.window, loop, clock_, tally_, [this](encode::Encoded& encoded) { seen(encoded); }),
      answers_(answer_options(options_, model_, pace_, sources_, log_), *loop.engine().decoder,
               *loop.engine().tokenizer, loop.ledger(), perception_, clock_,
               [this](deliver::Event event) { emit(std::move(event)); }),
      promise_(std::move(promise)) {
  if (options_.note_bytes > 0)
    notes_.emplace(loop, clock_, tally_, options_.note_bytes, options_.realtime,
                   [this](deliver::Note note) { emit(std::move(note)); });
}

SessionWork::~SessionWork() {
  perception_.sleep();
  loop_.forget_lanes({chunks_, control_});
}

void SessionWork::emit(deliver::Event event) {
  if (const auto* answer = std::get_if<Answer>(&event)) {
    tally_.answered(*answer);
    log_.answered(*answer);
  }
  out_.push(std::move(event));
}

void SessionWork::seen(encode::Encoded& encoded) {
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
  if (notes_) notes_->offer(encoded, perceived.source);
  emit(std::move(perceived));
}

void SessionWork::report(const Damage& damage) {
  const std::string& source = sources_.names[static_cast<std::size_t>(damage.source.value)];
  if (damage.notice) return emit(deliver::Notice{source, damage.at, damage.error.message});
  tally_.fault();
  emit(deliver::Fault{source, damage.at, damage.error});
}

void SessionWork::streams_ended(SessionTime at) {
  tally_.ended(at);
  deliver::Progress progress = tally_.progress(at, at.time_since_epoch());
  progress.ended = true;
  emit(progress);
}

void SessionWork::tell_if_early(const Question& question) {
  if (!question.at || *question.at <= question.asked_at) return;
  emit(deliver::Notice{
      "", question.asked_at,
      fmt::format("a question for {:.1f} s is asked now: the sources have ended", to_seconds(*question.at))});
}

void SessionWork::take_control() {
  while (auto input = loop_.in().try_pop(control_)) {
    log_.took_control(*input);
    if (const auto* one = std::get_if<CancelAnswer>(&*input)) {
      answers_.cancel(one->id, one->reason, one->delivered);
      cancelled_.push_back(one->id);
      if (cancelled_.size() > static_cast<std::size_t>(options_.max_waiting_questions))
        cancelled_.pop_front();
    }
    if (const auto* all = std::get_if<CancelEverything>(&*input)) {
      answers_.cancel_all(all->reason);
      cancel_all_ = true;
      if (notes_) notes_->drop_all();
    }
    if (std::holds_alternative<EndNotes>(*input) && notes_) notes_->end();
    if (const auto* wanted = std::get_if<TakeImage>(&*input)) wanted->taken(image());
  }
}

std::optional<Error> SessionWork::why_not(const Question& question) {
  const bool cancelled = cancel_all_ || question.max_tokens == 0 ||
                         std::find(cancelled_.begin(), cancelled_.end(), question.id) != cancelled_.end();
  if (cancelled) return Error{ErrorCode::kCancelled, "cancelled before it was answered"};
  if (broken_) return Error{ErrorCode::kInternal, "the engine has failed; see the errors"};
  const int rows = answers_.question_rows(question);
  if (const int most = question_room(options_); rows > most)
    return Error{ErrorCode::kLimit,
                 fmt::format("the question has {} tokens; it may have {}: shorten it", rows, most)};
  const int trained = model_.trained_context;
  const int longest = options_.window.max_rows + rows + question.max_tokens;
  if (trained > 0 && longest > trained)
    return Error{ErrorCode::kLimit,
                 fmt::format("window, question and answer may take {} tokens, the model was trained "
                             "on {}: lower --max-tokens or --window-tokens",
                             longest, trained)};
  return std::nullopt;
}

bool SessionWork::take_question(Question& question) {
  // Once it waits for nothing but its turn, it goes on waiting for that, whatever is prefilled meanwhile.
  if (question.trace.holder() != Stage::kSchedule)
    question.trace.enter(perception_.caught_up() ? Stage::kSchedule : Stage::kPrefillQueue, clock_.now());
  if (auto error = why_not(question)) {
    for_head_ = {};
    const auto finish =
        error->code == ErrorCode::kCancelled ? FinishReason::kCancelled : FinishReason::kError;
    answers_.refuse(question, finish, std::move(*error));
    return true;
  }
  const Cells there = cells();
  if (there == Cells::kNone) {
    answers_.refuse(question, FinishReason::kShed,
                    {ErrorCode::kFull,
                     "other sessions hold all KV cells, and this one sleeps: ask again later, or serve with "
                     "more --kv-cells",
                     true});
    return true;
  }
  if (there == Cells::kNextRound || !perception_.caught_up()) return false;
  if (!has_room(question)) {
    if (answers_.open() > 0) return false;
    answers_.refuse(question, FinishReason::kError,
                    {ErrorCode::kLimit, "question and answer don't fit the KV cache: lower --max-tokens"});
    return true;
  }
  tell_if_early(question);
  answers_.begin(std::move(question), std::move(for_head_));
  return true;
}

// What was promised to kept prefixes or to an idle session is free one round after it was promised here.
bool SessionWork::has_room(const Question& question) {
  if (answers_.open() >= static_cast<std::size_t>(options_.max_open_answers)) return false;
  if (answers_.on_own_cells() && !for_head_.hold()) {
    auto promise = loop_.promise(answers_.question_rows(question) + question.max_tokens, 1);
    if (!promise) return false;
    for_head_ = std::move(*promise);
  }
  return answers_.fits(question);
}

bool SessionWork::take(EngineInput& input) {
  if (auto* question = std::get_if<Question>(&input)) {
    // Repetitions were admitted once, with their first.
    const bool admitted = !question->every || question->id == question->standing;
    if (!take_question(*question)) return false;
    due_.taken();
    if (admitted) tally_.question_taken();
    return true;
  }
  if (const auto* damage = std::get_if<Damage>(&input)) {
    report(*damage);
    return true;
  }
  if (const auto* end = std::get_if<sync::StreamsEnd>(&input)) {
    streams_ended(end->at);
    return true;
  }
  auto& encoded = std::get<encode::Encoded>(input);
  const SessionTime end = encoded.end;
  if (broken_ || cancel_all_) {
    if (encoded.chunk) encoded.reason = broken_ ? "engine_failed" : "stopped";
    encoded.chunk = nullptr;
    seen(encoded);
  } else {
    if (encoded.chunk && cells() == Cells::kNextRound) return false;
    if (!perception_.offer(encoded)) return false;
  }
  emit(tally_.progress(end, sources_.duration));
  return true;
}

bool SessionWork::take_chunks() {
  bool any = false;
  // Where a turn joins must not depend on how fast its answer came.
  if (loop_.options().deterministic && options_.join_turns && answers_.open() > 0) return false;
  // A few chunks ahead of the steps are enough; the rest stays in the lane, which bounds it.
  while (perception_.waiting() < ahead_ && !(notes_ && notes_->full())) {
    if (!head_) {
      head_ = loop_.in().try_pop(chunks_);
      log_.took_chunk(head_.has_value());
    }
    if (!head_ || !take(*head_)) break;
    head_.reset();
    any = true;
  }
  return any;
}

void SessionWork::open() {
  waking_ = false;
  if (promise_.taken()) return;
  if (auto opened = perception_.open(); !opened) {
    emit(deliver::Fault{"engine", {}, opened.error()});
    broken_ = true;
  }
}

SessionWork::Cells SessionWork::cells() {
  if (broken_) return Cells::kReady;
  if (waking_) return Cells::kNextRound;
  idle_ = false;
  if (promise_.hold()) return Cells::kReady;
  perception_.sleep();
  auto promise = loop_.promise(cells_needed(options_), kSequencesNeeded);
  if (!promise) return Cells::kNone;
  promise_ = std::move(*promise);
  waking_ = true;
  return Cells::kNextRound;
}

void SessionWork::give_way() {
  if (notes_) notes_->give_way();
  if (promise_.taken()) perception_.sleep();
}

void SessionWork::rest() {
  if (idle_ || waking_ || head_ || answers_.open() > 0 || !perception_.settled()) return;
  idle_ = true;
  promise_.idle(clock_.now());
}

SessionImage SessionWork::image() const {
  SessionImage image;
  image.timeline = perception_.timeline().kept();
  image.evicted = perception_.timeline().evicted();
  image.now = pace_.now();
  return image;
}

// Frames that show nothing new pass without it.
void SessionWork::tell_timeline() {
  const kv::Timeline& timeline = perception_.timeline();
  if (timeline.changes() == tally_.changes()) return;
  tally_.holds(timeline.bytes());
  tally_.sees(timeline.window(pace_.now(), timeline.end()));
  tally_.timeline_is_at(timeline.changes());
}

bool SessionWork::take() {
  // Cells promised in an earlier round are free by now.
  if (waking_) open();
  take_control();
  const bool took = take_chunks();
  if (!broken_ && !idle_ && perception_.turn_over_if_due()) tally_.turn_over();
  tell_timeline();
  rest();
  const bool notes_go_on = notes_ && notes_->take();
  awaited_ = due_.oldest();
  log_.took(clock_, awaited_);
  return took || waking_ || notes_go_on;
}

void SessionWork::ready(schedule::Ready& ready) {
  if (awaited_) ready.question_waits = true;
  answers_.ready(ready);
  if (!broken_) perception_.ready(ready, awaited_);
  if (notes_) notes_->ready();
}

void SessionWork::ready_idle(schedule::Ready& ready) {
  if (notes_) notes_->ready_idle(ready);
}

void SessionWork::step_begins(const schedule::Planned& planned, SteadyTime at) {
  log_.step_begins(at);
  answers_.step_begins(planned, at);
  perception_.step_begins(planned, at);
  if (notes_) notes_->step_begins(planned, at);
}

void SessionWork::step_done(const schedule::Planned& planned, const StepResult& result, SteadyTime at) {
  perception_.step_done(planned, at);
  answers_.step_done(planned, result);
  if (notes_) notes_->step_done(planned, result);
  log_.stepped(planned.plan, at, false);
  tell_timeline();
}

void SessionWork::step_failed(const schedule::Planned& planned, const Error& error) {
  answers_.step_failed(planned, error);
  if (notes_) notes_->step_failed(planned, error);
  log_.stepped(planned.plan, loop_.last_step(), true);
  if (!perception_.has_rows_in(planned)) return;
  tally_.fault();
  emit(deliver::Fault{"engine", {}, error});
  broken_ = true;
  perception_.give_up();
}

bool SessionWork::over() const {
  return !head_ && answers_.open() == 0 && loop_.in().ended(chunks_) && perception_.caught_up() &&
         (!notes_ || notes_->done());
}

}  // namespace braid::serve
