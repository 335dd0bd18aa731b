#include "json_objects.h"

namespace braid::deliver {

namespace {

const char* type_of(Modality modality) {
  switch (modality) {
    case Modality::kVision:
      return "frame";
    case Modality::kAudio:
      return "utterance";
    case Modality::kText:
      return "text";
    case Modality::kReading:
      return "reading";
  }
  return "text";
}

void add_error(JsonLine& line, const std::optional<Error>& error) {
  if (!error) {
    line.null("error");
    return;
  }
  line.begin("error").string("code", to_string(error->code)).string("message", error->message);
  line.boolean("retryable", error->retryable).end();
}

void add_source(JsonLine& line, const std::string& source) {
  if (source.empty())
    line.null("source");
  else
    line.string("source", source);
}

std::optional<Nanoseconds> known(Nanoseconds duration) {
  return duration > Nanoseconds::zero() ? std::optional(duration) : std::nullopt;
}

}  // namespace

std::string json_of(const Perceived& perceived) {
  JsonLine line;
  line.string("type", type_of(perceived.modality)).string("source", perceived.source);
  const bool instant = perceived.modality == Modality::kVision || perceived.modality == Modality::kReading;
  if (instant)
    line.us("at_us", perceived.end);
  else
    line.us("start_us", perceived.start).us("end_us", perceived.end);
  if (perceived.modality == Modality::kVision)
    line.number("width", perceived.width).number("height", perceived.height);
  if (perceived.modality == Modality::kText || perceived.modality == Modality::kReading)
    line.string("text", perceived.text);
  line.boolean("kept", perceived.kept).string("reason", perceived.reason).number("tokens", perceived.tokens);
  return line.stages("stages_ms", perceived.stages).close();
}

std::string json_of(const Note& note) {
  JsonLine line;
  line.string("type", "note").string("of", type_of(note.modality)).string("source", note.source);
  line.us("start_us", note.start).us("end_us", note.end).string("text", note.text);
  return line.ms("behind_ms", note.behind).close();
}

std::string json_of(const Progress& progress) {
  JsonLine line;
  line.string("type", "progress").us("at_us", progress.at).ms("duration_ms", known(progress.duration));
  return line.count("frames", progress.frames).count("utterances", progress.utterances).close();
}

std::string json_of(const Fault& fault) {
  JsonLine line;
  line.string("type", "error");
  add_source(line, fault.source);
  line.us("at_us", fault.at).string("code", to_string(fault.error.code));
  return line.string("message", fault.error.message).boolean("retryable", fault.error.retryable).close();
}

std::string json_of(const Notice& notice) {
  JsonLine line;
  line.string("type", "notice");
  add_source(line, notice.source);
  return line.us("at_us", notice.at).string("message", notice.message).close();
}

std::string json_of(const AnswerBegin& begin) {
  JsonLine line;
  line.string("type", "answer_begin").number("id", begin.id.value).string("question", begin.question);
  return line.us("asked_at_us", begin.asked_at).close();
}

std::string json_of(const AnswerDelta& delta) {
  return JsonLine()
      .string("type", "answer_delta")
      .number("id", delta.id.value)
      .string("text", delta.text)
      .close();
}

namespace {

const char* to_string(StreamKind kind) {
  switch (kind) {
    case StreamKind::kVideo:
      return "video";
    case StreamKind::kAudio:
      return "audio";
    case StreamKind::kText:
      return "text";
    case StreamKind::kReading:
      return "reading";
  }
  return "text";
}

void add_streams(JsonLine& line, const std::vector<PipelineStream>& streams) {
  line.begin_list("streams");
  for (const PipelineStream& stream : streams) {
    line.begin().string("source", stream.source).string("kind", to_string(stream.kind));
    line.count("count", stream.count).times_us("members_us", stream.members);
    line.ms("age_ms", stream.age).ms("error_bound_ms", stream.error_bound);
    line.string("coverage", stream.coverage).end();
  }
  line.end_list();
}

}  // namespace

std::string json_of(const PipelineEvent& event) {
  JsonLine line;
  line.string("type", "pipeline").string("stage", event.stage).string("action", event.action);
  line.us("at_us", event.at).begin("trigger");
  add_source(line, event.source);
  line.string("channel", event.channel).string("value", event.value).string("text", event.text).end();
  line.us("from_us", event.from).us("to_us", event.to);
  add_streams(line, event.streams);
  line.begin_list("evidence");
  for (const Evidence& one : event.evidence)
    line.begin()
        .number("record", one.record)
        .string("time", one.time)
        .string("source", one.source)
        .string("text", one.text)
        .end();
  line.end_list();
  if (event.question)
    line.number("question_id", event.question->value);
  else
    line.null("question_id");
  line.string("answer", event.answer).strings("files", event.files);
  line.ms("since_trigger_ms", event.since_trigger);
  add_error(line, event.error);
  return line.close();
}

std::string json_of(const Summary& summary) {
  JsonLine line;
  line.string("type", "summary").us("end_us", summary.end).ms("wall_ms", summary.wall);
  line.begin("frames").count("sampled", summary.frames_sampled).count("kept", summary.frames_kept).end();
  line.count("utterances", summary.utterances).count("readings", summary.readings);
  line.count("lines", summary.lines).count("questions", summary.questions).count("answers", summary.answers);
  line.count("errors", summary.errors).count("turn_overs", summary.turn_overs);
  line.begin("tokens").count("perceived", summary.tokens_perceived).count("kept", summary.tokens_kept).end();
  line.begin("drops");
  for (const auto& [reason, count] : summary.drops) line.count(reason, count);
  line.end();
  line.begin("notes").count("made", summary.notes).count("passed_over", summary.notes_passed_over);
  line.ms("behind_ms", summary.notes_behind).end();
  return line.stages("stages_ms", summary.perception).boolean("interrupted", summary.interrupted).close();
}

JsonLine open_answer(const Answer& answer) {
  JsonLine line;
  line.string("type", "answer").number("id", answer.id.value).string("question", answer.question);
  line.us("asked_at_us", answer.asked_at).string("text", answer.text);
  return line;
}

namespace {

void add_sources(JsonLine& line, const Answer& answer) {
  line.begin("sources");
  for (const SourceView& source : answer.window.sources) {
    const bool seen = source.chunks > 0;
    line.begin(source.name).number("chunks", source.chunks);
    line.ms("age_ms", seen ? std::optional(answer.asked_at - source.newest) : std::nullopt);
    line.ms("error_bound_ms", seen ? std::optional(source.error_bound) : std::nullopt);
    line.boolean("missing", !seen).end();
  }
  line.end();
}

}  // namespace

void close_answer(JsonLine& line, const Answer& answer, const TokenTotals& totals) {
  std::optional<Nanoseconds> ttft;
  if (answer.first_token) ttft = *answer.first_token - answer.asked;
  line.ms("ttft_ms", ttft).ms("wall_ms", answer.stages.sum()).ms("freshness_ms", answer.freshness);
  line.stages("stages_ms", answer.stages);
  line.string("verdict", to_string(answer.verdict)).strings("degraded", answer.degraded);
  line.ms("deadline_ms", answer.deadline).string("finish", to_string(answer.finish));
  line.begin("tokens").number("prompt", answer.prompt_tokens).number("question", answer.question_tokens);
  line.number("answer", answer.answer_tokens)
      .count("perceived", totals.perceived)
      .count("kept", totals.kept)
      .end();
  const WindowInfo& window = answer.window;
  line.begin("window").us("from_us", window.from).us("to_us", window.to).number("chunks", window.chunks);
  line.number("frames", window.frames).number("utterances", window.utterances);
  line.number("lines", window.lines).number("readings", window.readings);
  line.number("tokens", window.tokens).number("evicted_chunks", window.evicted_chunks);
  add_sources(line, answer);
  line.end();
  line.begin_list("evidence");
  for (const Evidence& one : answer.evidence)
    line.begin().number("record", one.record).string("time", one.time).string("source", one.source).end();
  line.end_list();
  add_error(line, answer.error);
}

}  // namespace braid::deliver
