#include "session/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "session/session_work.h"

namespace braid::serve {

namespace {

// Said without asking the model when nothing at all is visible: a model asked about nothing invents
// something.
constexpr const char* kNothingPerceived = "Nothing was seen and no speech was heard.";

/// Room for what the timeline puts before a question: the mark of a turn, or an end of it.
constexpr std::size_t kLeadRows = 32;

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
  answer.degraded = question.degraded;
  return answer;
}

/// All sources, those too of which nothing is in sight.
std::vector<SourceView> with_all(std::vector<SourceView> seen, const std::vector<std::string>& names) {
  std::vector<SourceView> all(names.size());
  for (SourceView& view : seen)
    if (const auto at = static_cast<std::size_t>(view.source.value); at < all.size())
      all[at] = std::move(view);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].source = SourceId{static_cast<std::int64_t>(i)};
    all[i].name = names[i];
  }
  return all;
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
    const TokenRun text = tokenizer_.tokenize(question.text, false);
    content_ = evidence(question, text.size());
    content_.insert(content_.end(), text.begin(), text.end());
    content_.insert(content_.end(), end_of_question_.begin(), end_of_question_.end());
  }
  return content_;
}

TokenRun Answers::evidence(const Question& question, std::size_t question_rows) {
  struct Line {
    const Evidence* evidence;
    TokenRun rows;
  };
  const std::size_t taken = question_rows + end_of_question_.size() + kLeadRows;
  auto room = static_cast<std::size_t>(options_.evidence_tokens);
  if (room == 0 && taken < kMaxQuestionTokens) room = kMaxQuestionTokens - taken;
  std::vector<Line> lines;
  const SessionTime in_sight = perception_.window(question).from;
  for (const Evidence& one : question.evidence) {
    if (one.perceived_at && *one.perceived_at >= in_sight) continue;
    TokenRun rows = tokenizer_.tokenize(fmt::format("[{}] {}: {}\n", one.time, one.source, one.text), false);
    if (rows.size() > room) continue;
    room -= rows.size();
    lines.push_back({&one, std::move(rows)});
  }
  // The model reads them as they happened; ISO 8601 in UTC sorts so.
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.evidence->time < b.evidence->time; });
  TokenRun all;
  evidence_.clear();
  for (const Line& line : lines) {
    evidence_.push_back(*line.evidence);
    all.insert(all.end(), line.rows.begin(), line.rows.end());
  }
  evidence_rows_ = all.size();
  return all;
}

TokenRun Answers::lead(const Question& question) const { return perception_.question_lead(question); }

int Answers::question_rows(const Question& question) {
  return static_cast<int>(lead(question).size() + content(question).size());
}

bool Answers::fits(const Question& question) {
  const int rows = question_rows(question) + question.max_tokens;
  int promised = 0;  // cells that open answers may still take
  for (const Open& open : open_) promised += open.generation->tokens_left();
  return ledger_.used() + promised + rows <= ledger_.capacity() &&
         ledger_.sequences() < options_.max_sequences;
}

bool Answers::on_own_cells() const {
  return std::any_of(open_.begin(), open_.end(), [](const Open& open) { return !open.promise.valid(); });
}

void Answers::begin(Question question, StepLoop::Promise promise) {
  Answer answer = blank_answer(question);
  answer.window = perception_.window(question);
  answer.window.sources = with_all(std::move(answer.window.sources), *options_.source_names);
  const SteadyTime now = clock_.now();
  question.trace.leave(now);
  const bool blind = answer.window.chunks == 0 && !perception_.has_turns();
  if (blind && question.evidence.empty() && !(options_.asks_blind && !question.text.empty())) {
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
  answer.evidence = evidence_;
  auto sequence = perception_.fork(question);
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
  Open& open = open_.emplace_back(std::move(question), std::move(answer), std::move(text), evidence_rows_);
  open.promise = std::move(promise);
  GenerationOptions options;
  options.sampling = open.question.sampling;
  options.stops = all_stops(open.question, tokenizer_.chat());
  options.max_tokens = open.question.max_tokens;
  options.sampled = options_.sampled;
  open.generation.emplace(GenerationParts{decoder_, tokenizer_, ledger_, clock_}, *sequence, start,
                          std::move(prompt), std::move(options), waited(open.question, now),
                          [this, id = open.question.id](ShownText shown) {
                            emit_(AnswerDelta{id, std::move(shown.text)});
                          });
}

// Until the fork, the critical path is the last chunk that the answer waited for; around it, the question's
// own way.
StageMeter Answers::waited(const Question& question, SteadyTime forked) const {
  const SteadyTime asked = question.asked;
  const StageTrace& chunk = perception_.last_trace();
  StageTimes times;
  if (chunk.empty() || chunk.end() <= asked) {
    question.trace.add_to(times, asked, forked);
  } else {
    question.trace.add_to(times, asked, std::max(asked, chunk.begin()));
    chunk.add_to(times, asked, forked);
    question.trace.add_to(times, std::max(asked, chunk.end()), forked);
  }
  StageMeter meter;
  meter.add(times);
  meter.enter(Stage::kSchedule, forked);
  return meter;
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

void Answers::cancel(QuestionId id, CancelReason reason, std::optional<std::size_t> delivered) {
  for (Open& open : open_)
    if (open.question.id == id) {
      open.delivered = delivered;
      open.answer.error = Error{ErrorCode::kCancelled, std::string("cancelled: ") + to_string(reason)};
      open.generation->end(FinishReason::kCancelled);
    }
  sweep();
}

void Answers::cancel_all(CancelReason reason) {
  std::vector<QuestionId> ids;
  for (const Open& open : open_) ids.push_back(open.question.id);
  for (const QuestionId id : ids) cancel(id, reason);
}

void Answers::ready(schedule::Ready& ready) {
  for (Open& open : open_) open.generation->ready(ready);
}

void Answers::step_begins(const schedule::Planned& planned, SteadyTime at) {
  for (Open& open : open_) open.generation->step_begins(planned, at);
}

void Answers::step_done(const schedule::Planned& planned, const StepResult& result) {
  for (Open& open : open_) open.generation->step_done(planned, result);
  sweep();
}

void Answers::step_failed(const schedule::Planned& planned, const Error& error) {
  for (Open& open : open_) open.generation->step_failed(planned, error);
  sweep();
}

void Answers::finish(Open& open) {
  const Generation& generation = *open.generation;
  Answer& answer = open.answer;
  answer.text = generation.text();
  answer.finish = *generation.finished();
  if (generation.error()) answer.error = generation.error();
  answer.first_token = generation.first_token();
  if (answer.first_token)
    answer.freshness = options_.age(open.question, answer.window.to, *answer.first_token);
  answer.answer_tokens = static_cast<int>(generation.tokens().size());
  answer.last_token = generation.last_token();
  answer.stages = generation.stages();
  if (open.delivered) answer.text.resize(std::min(answer.text.size(), *open.delivered));
  if (options_.join_turns && answer.finish != FinishReason::kError && !delivered(open).empty()) join(open);
  emit_(std::move(answer));
}

void Answers::join(const Open& open) {
  // The lead is the timeline's own business at the place where the turns go.
  // What the memory said of it stays there and takes no room here.
  TokenRun rows(open.content.begin() + static_cast<std::ptrdiff_t>(open.evidence_rows), open.content.end());
  const std::span<const Token> tokens = delivered(open);
  rows.insert(rows.end(), tokens.begin(), tokens.end());
  Prompt turns;
  turns.append(std::move(rows));
  perception_.join(std::move(turns), open.question.asked_at);
}

std::span<const Token> Answers::delivered(const Open& open) const {
  const std::span<const Token> tokens = open.generation->tokens();
  if (!open.delivered) return tokens;
  std::size_t bytes = 0, whole = 0;
  while (whole < tokens.size() && (bytes += tokenizer_.piece(tokens[whole]).size()) <= *open.delivered)
    ++whole;
  return tokens.first(whole);
}

void Answers::sweep() {
  for (auto open = open_.begin(); open != open_.end();) {
    if (!open->generation->finished()) {
      ++open;
      continue;
    }
    finish(*open);
    open = open_.erase(open);
  }
}

}  // namespace braid::serve
