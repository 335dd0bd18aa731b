// What stages do, on the pipeline's thread.

#include <fmt/format.h>

#include <utility>

#include "braid/calendar/session_range.h"
#include "braid/deliver/json_writer.h"
#include "braid/ingest/clip_writer.h"
#include "memory/record_json.h"
#include "pipeline/pipeline_run.h"
#include "pipeline/stage_text.h"
#include "session/notes.h"

namespace braid::serve {

namespace {

constexpr Nanoseconds kSearchDeadline = Milliseconds(500);

/// "20261129T100203.5Z": of a file.
std::string file_time(std::string time) {
  std::erase_if(time, [](char c) { return c == '-' || c == ':'; });
  return time;
}

}  // namespace

void PipelineRun::act(const FiringPtr& firing) {
  Firing& one = *firing;
  one.event.stage = one.stage->name;
  one.event.action = to_string(one.stage->action);
  one.event.at = one.trigger.at;
  one.event.source = one.trigger.source;
  one.event.channel = one.trigger.channel;
  one.event.value = one.trigger.value;
  one.event.text = one.trigger.text;
  if (one.answer) return take_answer(firing);
  switch (one.stage->action) {
    case StageAction::kGather:
      return finish(firing, {});
    case StageAction::kAsk:
    case StageAction::kDescribe:
      return ask(firing);
    case StageAction::kRetrieve:
      return finish(firing, retrieve(one));
    case StageAction::kStore:
      return finish(firing, store(one));
    case StageAction::kWebhook:
      return finish(firing, post(one));
    case StageAction::kClip:
      return finish(firing, clip(one));
  }
}

std::string PipelineRun::text_of(const Firing& firing) const {
  const Happened& trigger = firing.trigger;
  return fill_in(firing.stage->text, {when(trigger.at), firing.stage->name, trigger.source, trigger.channel,
                                      trigger.value, trigger.text, firing.event.answer});
}

void PipelineRun::ask(const FiringPtr& firing) {
  Question question;
  question.text = text_of(*firing);
  if (question.text.empty()) question.text = kSeenQuestion;
  question.at = std::max(firing->due, kSessionStart);
  question.deadline = firing->stage->deadline;
  question.max_tokens = firing->stage->max_tokens;
  if (firing->stage->action == StageAction::kAsk) question.evidence = firing->event.evidence;
  {
    const auto held = lock();
    asking_ = true;
  }
  const auto asked = tools_.ask(std::move(question));
  {
    const auto held = lock();
    asking_ = false;
    if (asked) {
      firing->event.question = *asked;
      asked_[asked->value] = firing;
    }
    // The answer may have been quicker.
    for (const Answer& answer : std::exchange(early_, {})) answered(answer);
  }
  if (!asked) finish(firing, tl::unexpected(asked.error()));
}

void PipelineRun::take_answer(const FiringPtr& firing) {
  const Answer answer = *std::exchange(firing->answer, {});
  firing->event.answer = answer.text;
  if (firing->stage->action == StageAction::kDescribe && !answer.text.empty()) {
    Evidence& words = firing->event.evidence.emplace_back();
    words.time = when(answer.asked_at);
    words.source = firing->stage->name;
    words.text = answer.text;
  }
  finish(firing, answer.error ? Status(tl::unexpected(*answer.error)) : Status());
}

Status PipelineRun::retrieve(Firing& firing) {
  retrieve::SearchQuery query;
  query.text = text_of(firing).substr(0, retrieve::kMaxQueryText);
  query.limit = firing.stage->limit;
  query.deadline = firing.stage->deadline.value_or(kSearchDeadline);
  query.filter.sources = firing.stage->sources;
  for (const std::string& kind : firing.stage->kinds)
    query.filter.kinds.push_back(*retrieve::parse_record_kind(kind));
  if (firing.stage->kinds.empty())
    for (int kind = 0; kind < retrieve::kRecordKinds; ++kind)
      if (static_cast<retrieve::RecordKind>(kind) != retrieve::RecordKind::kAnswer)
        query.filter.kinds.push_back(static_cast<retrieve::RecordKind>(kind));
  const UtcTime moment = utc(firing.trigger.at);
  if (firing.has_window()) {
    query.filter.from = utc(firing.from);
    query.filter.to = utc(firing.to);
  } else {
    retrieve::take_asked_time(query, {{}, moment});
  }
  auto found = tools_.memory->search(query);
  if (!found) return tl::unexpected(found.error());
  for (retrieve::Hit& hit : found->hits) {
    Evidence& one = firing.event.evidence.emplace_back();
    one.record = hit.record.id;
    one.time = citation(hit.record);
    one.source = cited_source(hit.record);
    one.text = std::move(hit.record.text);
  }
  if (!found->degraded()) return {};
  return fail(ErrorCode::kLate, "a part of the search missed its deadline: what was found is of the others");
}

Status PipelineRun::store(Firing& firing) {
  retrieve::Record record;
  record.start = utc(firing.has_window() ? firing.from : firing.trigger.at);
  record.end = firing.has_window() ? utc(firing.to) : record.start;
  record.source = firing.stage->name;
  record.kind = retrieve::RecordKind::kText;
  record.text = text_of(firing).substr(0, retrieve::kMaxRecordText);
  record.session = tools_.session;
  record.session_began = utc(kSessionStart);
  return tools_.memory->add(std::move(record));
}

Status PipelineRun::post(Firing& firing) {
  std::string body;
  firing.event.since_trigger = clock_.now() - firing.began;
  deliver::make_json_writer([&body](const std::string& line) { body = line; }, clock_, {})
      ->on_event(firing.event);
  return tools_.post(*firing.stage, std::move(body));
}

Status PipelineRun::clip(Firing& firing) {
  for (const auto& [source, pictures] : firing.pictures) {
    const std::string path = fmt::format("{}/{}-{}-{}.mkv", firing.stage->folder, firing.stage->name,
                                         file_time(when(firing.trigger.at)), source);
    std::vector<ingest::ClipPicture> all;
    for (const auto& picture : pictures)
      all.push_back({picture->at - firing.from, picture->width, picture->height, picture->rgb.data()});
    if (Status written = ingest::write_clip(path, all); !written) return written;
    firing.event.files.push_back(path);
  }
  firing.pictures.clear();
  if (!firing.event.files.empty()) return {};
  return fail(ErrorCode::kNotFound, "there was no picture in its window: no clip was written");
}

void PipelineRun::finish(const FiringPtr& firing, Status status) {
  firing->event.since_trigger = clock_.now() - firing->began;
  if (!status) firing->event.error = status.error();
  tools_.tell(firing->event);
  const auto held = lock();
  if (!status) ++counts_.failed;
  follow(*firing);
  release_ready();
}

void PipelineRun::tell_passed_over() {
  deliver::PipelineEvent event;
  {
    const auto held = lock();
    event.error =
        Error{ErrorCode::kFull,
              fmt::format("{} triggers were passed over: {} stages are under way, as many as may; give "
                          "them a cooldown",
                          counts_.passed_over - told_passed_over_, kMostOpen),
              true};
    told_passed_over_ = counts_.passed_over;
    event.at = std::min(frontier_, std::max(held_.told(), kSessionStart));
  }
  tools_.tell(std::move(event));
}

}  // namespace braid::serve
