#include "session/answers.h"

#include <algorithm>
#include <utility>

namespace braid::serve {

namespace {

// Said without asking the model when nothing at all is visible: a model asked about nothing invents
// something.
constexpr const char* kNothingPerceived = "Nothing was seen and no speech was heard.";

std::vector<std::string> all_stops(const Question& question, const engine::ChatFormat& chat) {
  std::vector<std::string> stops = chat.stops;
  stops.insert(stops.end(), question.stops.begin(), question.stops.end());
  return stops;
}

Answer blank_answer(const Question& question) {
  Answer answer;
  answer.id = question.id;
  answer.question = question.text;
  answer.asked = question.asked;
  answer.asked_at = question.asked_at;
  answer.deadline = question.deadline;
  return answer;
}

}  // namespace

Answers::Answers(AnswerOptions options, engine::Decoder& decoder, const engine::Tokenizer& tokenizer,
                 kv::Ledger& ledger, Perception& perception, Clock& clock, Emit emit)
    : options_(std::move(options)),
      decoder_(decoder),
      tokenizer_(tokenizer),
      ledger_(ledger),
      perception_(perception),
      clock_(clock),
      emit_(std::move(emit)),
      end_of_question_(tokenizer.tokenize(tokenizer.chat().end_of_question, true)) {}

const TokenRun& Answers::content(const Question& question) {
  if (content_of_ != question.id) {
    content_of_ = question.id;
    content_ = tokenizer_.tokenize(question.text, false);
    content_.insert(content_.end(), end_of_question_.begin(), end_of_question_.end());
  }
  return content_;
}

TokenRun Answers::lead(const Question& question) const {
  const kv::Timeline& timeline = perception_.timeline();
  return timeline.question_lead(question.asked_at, timeline.end());
}

int Answers::question_rows(const Question& question) {
  return static_cast<int>(lead(question).size() + content(question).size());
}

bool Answers::fits(const Question& question) {
  const int rows = question_rows(question) + question.max_tokens;
  int promised = 0;  // cells that open answers may still take
  for (const Open& open : open_) promised += open.question.max_tokens - static_cast<int>(open.tokens.size());
  return ledger_.used() + promised + rows <= ledger_.capacity() &&
         ledger_.sequences() < options_.max_sequences;
}

void Answers::begin(Question question) {
  Answer answer = blank_answer(question);
  answer.window = perception_.window(question.asked_at);
  const SteadyTime now = clock_.now();
  question.trace.leave(now);
  if (answer.window.chunks == 0 && !perception_.has_turns()) {
    emit_(deliver::AnswerBegin{question.id, question.text, question.asked_at});
    answer.text = kNothingPerceived;
    answer.first_token = answer.last_token = now;
    question.trace.add_to(answer.stages, question.asked, now);
    emit_(AnswerDelta{question.id, answer.text});
    return emit_(std::move(answer));
  }
  Prompt prompt;
  prompt.append(lead(question));
  TokenRun text = content(question);
  prompt.append(text);
  const int rows = prompt.rows();
  auto sequence = perception_.fork(question.asked_at);
  if (!sequence) return refuse(question, FinishReason::kError, sequence.error());
  const Position start = ledger_.end(*sequence);
  const Position end = start + rows;
  if (auto reserved = ledger_.append(*sequence, {start, end}, rows); !reserved) {
    decoder_.free(*sequence);
    ledger_.close(*sequence);
    return refuse(question, FinishReason::kError, reserved.error());
  }
  answer.question_tokens = rows;
  answer.prompt_tokens = answer.window.tokens + answer.question_tokens;
  emit_(deliver::AnswerBegin{question.id, question.text, question.asked_at});
  auto stops = all_stops(question, tokenizer_.chat());
  const Sampling sampling = question.sampling;
  open_.push_back(Open{std::move(question),
                       std::move(answer),
                       *sequence,
                       schedule::PrefillJob(*sequence, start, std::move(prompt), RowKind::kQuestion, true),
                       std::move(text),
                       decode::Sampler(sampling),
                       decode::TextStream(std::move(stops)),
                       StageMeter{},
                       {},
                       end,
                       false,
                       {}});
  attribute_waiting(open_.back(), now);
}

void Answers::attribute_waiting(Open& open, SteadyTime forked) const {
  // Until the fork, the critical path is the last chunk that the answer waited for; around it, the question's
  // own way.
  const SteadyTime asked = open.question.asked;
  const StageTrace& chunk = perception_.last_trace();
  StageTimes times;
  if (chunk.empty() || chunk.end() <= asked) {
    open.question.trace.add_to(times, asked, forked);
  } else {
    open.question.trace.add_to(times, asked, std::max(asked, chunk.begin()));
    chunk.add_to(times, asked, forked);
    open.question.trace.add_to(times, std::max(asked, chunk.end()), forked);
  }
  open.meter.add(times);
  open.meter.enter(Stage::kSchedule, forked);
}

void Answers::refuse(const Question& question, FinishReason finish, Error error) {
  Answer answer = blank_answer(question);
  answer.finish = finish;
  answer.verdict = finish == FinishReason::kShed ? Verdict::kShed : Verdict::kNone;
  answer.error = std::move(error);
  answer.last_token = clock_.now();
  StageTrace trace = question.trace;
  trace.leave(answer.last_token);
  trace.add_to(answer.stages, question.asked, answer.last_token);
  emit_(std::move(answer));
}

void Answers::cancel(QuestionId id, CancelReason reason) {
  for (Open& open : open_)
    if (open.question.id == id && !open.over) {
      open.answer.error = Error{ErrorCode::kCancelled, std::string("cancelled: ") + to_string(reason)};
      finish(open, FinishReason::kCancelled);
    }
  sweep();
}

void Answers::cancel_all(CancelReason reason) {
  std::vector<QuestionId> ids;
  for (const Open& open : open_) ids.push_back(open.question.id);
  for (const QuestionId id : ids) cancel(id, reason);
}

void Answers::ready(schedule::Ready& ready) {
  decoding_.clear();
  first_decode_ = ready.decodes.size();
  for (Open& open : open_) {
    if (!open.prefill.done()) {
      ready.questions.push_back(&open.prefill);
    } else {
      ready.decodes.push_back({open.sequence, open.next, open.tokens.back()});
      decoding_.push_back(&open);
    }
  }
}

Answers::Open* Answers::of(const schedule::PrefillJob* job) {
  for (Open& open : open_)
    if (&open.prefill == job) return &open;
  return nullptr;
}

std::size_t Answers::decodes_in(const schedule::Planned& planned) const {
  return std::min(decoding_.size(), planned.decodes - std::min(planned.decodes, first_decode_));
}

void Answers::step_begins(const schedule::Planned& planned, SteadyTime at) {
  for (std::size_t i = 0; i < decodes_in(planned); ++i) decoding_[i]->meter.enter(Stage::kDecode, at);
  for (const auto& share : planned.shares)
    if (Open* open = of(share.job))
      open->meter.enter(share.rows == share.job->rows_left() ? Stage::kDecodeFirst : Stage::kPrefill, at);
}

void Answers::step_done(const schedule::Planned& planned, const StepResult& result) {
  for (std::size_t i = 0; i < decodes_in(planned); ++i) {
    Open& open = *decoding_[i];
    ++open.next;
    take_token(open, open.sampler.sample(result.logits[first_decode_ + i]));
  }
  for (const auto& share : planned.shares) {
    Open* open = of(share.job);
    if (!open) continue;
    open->prefill.commit(share.rows);
    const SteadyTime now = clock_.now();
    if (!open->prefill.done()) {
      open->meter.enter(Stage::kSchedule, now);
      continue;
    }
    first_token(*open, now);
    take_token(*open, open->sampler.sample(result.logits[share.logits]));
  }
  sweep();
}

void Answers::step_failed(const schedule::Planned& planned, const Error& error) {
  const auto fail_one = [&](Open& open) {
    open.answer.error = error;
    finish(open, FinishReason::kError);
  };
  for (std::size_t i = 0; i < decodes_in(planned); ++i) fail_one(*decoding_[i]);
  for (const auto& share : planned.shares)
    if (Open* open = of(share.job)) fail_one(*open);
  sweep();
}

void Answers::first_token(Open& open, SteadyTime at) {
  open.answer.freshness = options_.age(open.question, open.answer.window.to, at);
}

void Answers::take_token(Open& open, Token token) {
  const SteadyTime now = clock_.now();
  if (!open.answer.first_token) open.answer.first_token = now;
  if (tokenizer_.ends_generation(token)) return finish(open, FinishReason::kStop);
  open.tokens.push_back(token);
  show(open, open.text.push(tokenizer_.piece(token)));
  if (open.text.stopped()) return finish(open, FinishReason::kStop);
  if (static_cast<int>(open.tokens.size()) >= open.question.max_tokens)
    return finish(open, FinishReason::kLength);
  if (auto reserved = ledger_.append(open.sequence, {open.next, open.next + 1}, 1); !reserved) {
    open.answer.error = reserved.error();
    return finish(open, FinishReason::kError);
  }
  open.meter.enter(Stage::kSchedule, clock_.now());
}

void Answers::show(Open& open, std::string text) {
  if (text.empty()) return;
  open.answer.text += text;
  emit_(AnswerDelta{open.question.id, std::move(text)});
}

void Answers::finish(Open& open, FinishReason reason) {
  if (!open.text.stopped()) show(open, open.text.finish());
  open.over = true;
  Answer& answer = open.answer;
  answer.finish = reason;
  answer.answer_tokens = static_cast<int>(open.tokens.size());
  answer.last_token = clock_.now();
  open.meter.stop(answer.last_token);
  answer.stages = open.meter.times();
  decoder_.free(open.sequence);
  ledger_.close(open.sequence);
  if (options_.join_turns && reason != FinishReason::kError && !open.tokens.empty()) join(open);
  emit_(std::move(answer));
}

void Answers::join(const Open& open) {
  // The lead is the timeline's own business at the place where the turns go.
  TokenRun rows = open.content;
  rows.insert(rows.end(), open.tokens.begin(), open.tokens.end());
  Prompt turns;
  turns.append(std::move(rows));
  perception_.join(std::move(turns), open.question.asked_at);
}

void Answers::sweep() {
  open_.remove_if([](const Open& open) { return open.over; });
}

}  // namespace braid::serve
