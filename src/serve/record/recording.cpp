#include "record/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "record/recorder.h"
#include "session/session_work.h"

namespace braid::serve {

namespace {

tl::unexpected<Error> misfit(const std::string& what) {
  return fail(ErrorCode::kBadInput, fmt::format("the recording can't be replayed: {}", what));
}

/// Whatever else it says, that many can be made.
Status check_opened(const Opened& opened) {
  const auto between = [](auto value, auto least, auto most) { return value >= least && value <= most; };
  const engine::EngineInfo& model = opened.model;
  const SessionOptions& options = opened.options;
  const bool model_fits = between(model.vocabulary, 1, 1 << 24) && between(model.cells, 1, 1 << 26) &&
                          between(model.max_sequences, 1, 1 << 16) &&
                          between(model.max_step_rows, 1, 1 << 20);
  if (!model_fits) return misfit("there is no such model");
  const bool options_fit =
      between(options.window.max_rows, 64, 1 << 24) && between(options.window.keep, 0.0, 1.0) &&
      between(options.window.turn_over_at, 0.0, 1.0) && between(options.max_answer_tokens, 1, 1 << 20) &&
      between(options.max_open_answers, 1, 1 << 10) && between(options.max_waiting_questions, 0, 1 << 20) &&
      between(options.queue, std::size_t{1}, std::size_t{1} << 16) &&
      between(options.sync.lateness.cap, Nanoseconds(1), Nanoseconds(std::chrono::hours(1)));
  if (!options_fit || cells_needed(options) > model.cells) return misfit("no session has such options");
  return {};
}

}  // namespace

Result<Recording> Recording::open(const std::string& path) {
  return look_through(store::RecordFileReader::open(path, kRecordingKind),
                      store::RecordFileReader::open(path, kRecordingKind));
}

Result<Recording> Recording::over(std::string bytes) {
  auto first = store::RecordFileReader::over(bytes, kRecordingKind);
  return look_through(std::move(first), store::RecordFileReader::over(std::move(bytes), kRecordingKind));
}

Result<Recording> Recording::look_through(Result<store::RecordFileReader> first,
                                          Result<store::RecordFileReader> second) {
  if (!first) return tl::unexpected(first.error());
  if (!second) return tl::unexpected(second.error());
  Recording recording(std::move(*second));
  while (!recording.lost_) {
    auto record = first->next();
    if (!record) return tl::unexpected(record.error());
    if (!*record) break;
    auto event = parse_event((*record)->type, (*record)->bytes);
    if (!event) return tl::unexpected(event.error());
    if (Status kept = recording.keep(std::move(*event)); !kept) return tl::unexpected(kept.error());
    ++recording.events_;
  }
  recording.torn_ = recording.lost_ ? 0 : first->torn_bytes();
  if (!recording.has_opened_) return misfit("it was cut off before the session began");
  return recording;
}

Status Recording::check(const RecordedEvent& event) const {
  const auto known = [&](SourceId source) {
    return source.value >= 0 && static_cast<std::size_t>(source.value) < opened_.sources.size();
  };
  bool fits = true;
  if (const auto* arrived = std::get_if<Arrived>(&event)) fits = known(arrived->source);
  if (const auto* end = std::get_if<SourceEnded>(&event)) fits = known(end->source);
  if (const auto* moved = std::get_if<BoundsMoved>(&event))
    fits = std::all_of(moved->advances.begin(), moved->advances.end(),
                       [&](const sync::Advance& one) { return known(one.stream.source); });
  if (!fits) return misfit("it speaks of a source that it hasn't named");
  return {};
}

Status Recording::keep(RecordedEvent event) {
  if (auto* opened = std::get_if<Opened>(&event)) {
    if (has_opened_) return misfit("its session begins twice");
    has_opened_ = true;
    opened_ = std::move(*opened);
    return check_opened(opened_);
  }
  if (auto* one = std::get_if<Tokenized>(&event))
    tables_.tokens.insert_or_assign({std::move(one->text), one->special}, std::move(one->tokens));
  if (auto* one = std::get_if<Spelled>(&event)) tables_.pieces.insert_or_assign(one->token, std::move(*one));
  if (const auto* one = std::get_if<FrameSized>(&event))
    tables_.frame_rows.insert_or_assign({one->width, one->height}, one->rows);
  if (auto* one = std::get_if<MediumEncoded>(&event)) tables_.media.push_back(std::move(*one));
  if (const auto* one = std::get_if<SpeechHeard>(&event))
    tables_.probabilities[one->detector].push_back(one->probability);
  ended_ = ended_ || std::holds_alternative<RecordingEnded>(event);
  lost_ = lost_ || std::holds_alternative<EventsLost>(event);
  return check(event);
}

Result<std::optional<RecordedEvent>> Recording::next() {
  auto record = reader_.next();
  if (!record) return tl::unexpected(record.error());
  if (!*record) return std::optional<RecordedEvent>();
  auto event = parse_event((*record)->type, (*record)->bytes);
  if (!event) return tl::unexpected(event.error());
  if (std::holds_alternative<EventsLost>(*event)) return std::optional<RecordedEvent>();
  return std::optional(std::move(*event));
}

}  // namespace braid::serve
