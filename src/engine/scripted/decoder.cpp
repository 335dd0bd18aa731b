#include "scripted/decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scripted/view.h"

namespace braid::engine::scripted {

namespace {

tl::unexpected<Error> broken(std::string message) { return fail(ErrorCode::kInternal, std::move(message)); }

}  // namespace

Result<StepResult> ScriptedDecoder::step(const StepPlan& plan) {
  ++calls_;
  if (const Status fits = check(plan); !fits) return tl::unexpected(fits.error());
  const std::uint64_t n_passes = passes(plan);
  ScriptedCall call;
  call.begin = state_->clock.now();
  state_->clock.sleep_for(cost(plan, n_passes));
  call.end = state_->clock.now();
  for (const Row& row : plan.rows) ++call.rows[static_cast<std::size_t>(row.kind)];
  state_->log_call(call);
  const auto& failing = state_->options.failing_steps;
  if (std::find(failing.begin(), failing.end(), calls_) != failing.end())
    return broken(fmt::format("step {} fails, as the script says", calls_));

  std::lock_guard lock(state_->mutex);
  ++state_->counters.steps;
  state_->counters.passes += n_passes;
  for (std::size_t i = 0; i < kRowKinds; ++i)
    state_->counters.rows[i] += static_cast<std::uint64_t>(call.rows[i]);
  const auto wanted =
      std::count_if(plan.rows.begin(), plan.rows.end(), [](const Row& r) { return r.wants_logits; });
  logits_ = Matrix(static_cast<std::size_t>(wanted), static_cast<std::size_t>(state_->vocabulary.size()));
  StepResult result;
  for (const Row& row : plan.rows) {
    append(row);
    if (row.wants_logits) result.logits.push_back(logits_for(next_token(row.sequence), result.logits.size()));
  }
  state_->peak = std::max(state_->peak, state_->cells.used());
  return result;
}

Status ScriptedDecoder::check(const StepPlan& plan) const {
  const ScriptedOptions& options = state_->options;
  const int n = static_cast<int>(plan.rows.size());
  if (n == 0 || n > options.max_step_rows)
    return broken(fmt::format("the plan has {} rows; a step takes 1..{}", n, options.max_step_rows));
  std::lock_guard lock(state_->mutex);
  std::map<SequenceId, Position> ends;
  for (const Row& row : plan.rows) {
    if (!state_->cells.valid(row.sequence))
      return broken(
          fmt::format("sequence {}; there are 0..{}", row.sequence.value, options.max_sequences - 1));
    const auto [end, first] = ends.try_emplace(row.sequence, state_->cells.end(row.sequence));
    if (const Status fits = check_row(row, end->second); !fits) return fits;
    end->second = row.position + 1;
  }
  if (const Status fits = check_media(plan); !fits) return fits;
  if (state_->cells.used() + n > options.cells)
    return fail(ErrorCode::kFull,
                fmt::format("{} rows, and {} of {} cells are used; free a sequence first", n,
                            state_->cells.used(), options.cells),
                true);
  return {};
}

Status ScriptedDecoder::check_row(const Row& row, Position expected) const {
  if (row.position != expected)
    return broken(
        fmt::format("position {} on sequence {}; {} comes next", row.position, row.sequence.value, expected));
  if (row.position >= state_->options.trained_context)
    return broken(fmt::format("position {}; the model knows those below {}", row.position,
                              state_->options.trained_context));
  if ((row.token >= 0) == (row.embedding != nullptr))
    return broken("a row must be either a token or an embedding");
  if (row.token >= state_->vocabulary.size())
    return broken(fmt::format("token {}; the vocabulary has {}", row.token, state_->vocabulary.size()));
  return {};
}

Status ScriptedDecoder::check_media(const StepPlan& plan) const {
  if (!state_->options.indivisible_media) return {};
  const auto is_picture = [](const Row& row) {
    return row.embedding && read_row(row.embedding).modality == Modality::kVision;
  };
  const Row& first = plan.rows.front();
  if (!plan.non_causal) {
    if (std::any_of(plan.rows.begin(), plan.rows.end(), is_picture))
      return broken("a picture's rows are in a causal step; they must have a step of their own");
    return {};
  }
  const MediumRow medium = is_picture(first) ? read_row(first.embedding) : MediumRow{};
  const bool whole = static_cast<int>(plan.rows.size()) == medium.rows &&
                     std::all_of(plan.rows.begin(), plan.rows.end(), [&](const Row& row) {
                       return is_picture(row) && row.sequence == first.sequence &&
                              read_row(row.embedding).instance == medium.instance;
                     });
  if (!whole) return broken("a non-causal step must hold all rows of one picture and no others");
  return {};
}

std::uint64_t ScriptedDecoder::passes(const StepPlan& plan) const {
  const auto tokens =
      std::count_if(plan.rows.begin(), plan.rows.end(), [](const Row& r) { return r.token >= 0; });
  const bool mixed = tokens > 0 && static_cast<std::size_t>(tokens) < plan.rows.size();
  return mixed && !state_->options.one_pass ? 2 : 1;
}

Nanoseconds ScriptedDecoder::cost(const StepPlan& plan, std::uint64_t passes) const {
  const ScriptedOptions& options = state_->options;
  const Nanoseconds declared = options.step_cost * static_cast<std::int64_t>(passes) +
                               options.row_cost * static_cast<std::int64_t>(plan.rows.size());
  return options.extra_step_cost ? declared + options.extra_step_cost(plan) : declared;
}

void ScriptedDecoder::append(const Row& row) {
  Cell cell{row.position, row.token};
  if (row.embedding) cell.content = read_row(row.embedding);
  state_->cells.append(row.sequence, cell);
  const auto reply = replies_.find(row.sequence);
  if (reply != replies_.end()) ++reply->second.said;
}

Token ScriptedDecoder::next_token(SequenceId sequence) {
  auto reply = replies_.find(sequence);
  if (reply == replies_.end()) {
    const View view = read_cells(state_->cells.held(sequence), state_->vocabulary, state_->labels);
    if (!view.answering) return kEnd;
    const std::string answer = answer_to(view, state_->options.rules);
    reply =
        replies_.emplace(sequence, Reply{state_->vocabulary.tokenize(answer, false), view.answered}).first;
  }
  const Reply& said = reply->second;
  return said.said < said.tokens.size() ? said.tokens[said.said] : Token{kEnd};
}

std::span<const float> ScriptedDecoder::logits_for(Token token, std::size_t index) {
  const auto row = logits_.row(index);
  row[static_cast<std::size_t>(token)] = 100.0F;
  return row;
}

Status ScriptedDecoder::fork(SequenceId from, SequenceId to, std::span<const PositionRange> ranges) {
  std::lock_guard lock(state_->mutex);
  CellStore& cells = state_->cells;
  if (!cells.valid(from) || !cells.valid(to) || from == to)
    return broken(fmt::format("fork of sequence {} to {}; there are 0..{}", from.value, to.value,
                              state_->options.max_sequences - 1));
  if (!cells.held(to).empty()) return broken(fmt::format("fork to sequence {}, which holds cells", to.value));
  const bool whole_start = ranges.size() == 1 && ranges[0].begin == 0;
  if (!state_->options.can_hide_ranges && !whole_start && !ranges.empty())
    return fail(ErrorCode::kUnsupported, "this model can't leave ranges out; fork one range from 0");
  cells.share(from, to, ranges);
  replies_.erase(to);
  ++state_->counters.forks;
  return {};
}

Status ScriptedDecoder::forget(SequenceId sequence, PositionRange range) {
  std::lock_guard lock(state_->mutex);
  if (!state_->cells.valid(sequence)) return broken(fmt::format("forget on sequence {}", sequence.value));
  const bool whole = range.begin <= 0 && range.end >= state_->cells.end(sequence);
  if (!state_->options.can_forget && !whole)
    return fail(ErrorCode::kUnsupported, "this model can't forget a part of a sequence; free it instead");
  state_->cells.forget(sequence, range);
  replies_.erase(sequence);
  return {};
}

void ScriptedDecoder::free(SequenceId sequence) {
  std::lock_guard lock(state_->mutex);
  if (!state_->cells.valid(sequence)) return;
  state_->cells.forget(sequence, {0, state_->cells.end(sequence)});
  replies_.erase(sequence);
}

Counters ScriptedDecoder::counters() const {
  std::lock_guard lock(state_->mutex);
  return state_->counters;
}

}  // namespace braid::engine::scripted
