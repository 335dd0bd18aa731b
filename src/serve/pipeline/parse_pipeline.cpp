#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "braid/serve/pipeline.h"
#include "config/table_reader.h"
#include "config/time_text.h"

namespace braid::serve {

namespace {

/// Of a [[stage]], of its tables inside.
class StageReader {
 public:
  StageReader(const toml::table& table, std::string_view file) : table_(table), file_(file) {}

  Result<PipelineStage> read();

 private:
  using Texts = std::optional<std::string>;

  void span(const toml::table& table, std::string_view key, const Texts& text, Nanoseconds& field);
  template <class Name, std::size_t kCount>
  std::optional<Name> one_of(const toml::table& table, std::string_view key, const std::string& text);
  void trigger(PipelineStage& stage);
  void windows(PipelineStage& stage);
  void fail_at(const toml::table& table, std::string_view key, const std::string& message);
  void keep(Status status) {
    if (status_) status_ = std::move(status);
  }

  const toml::table& table_;
  const std::string_view file_;
  Status status_;
};

void StageReader::fail_at(const toml::table& table, std::string_view key, const std::string& message) {
  const toml::node* node = table.get(key);
  keep(TableReader(nullptr, "[[stage]]", file_)
           .fault(node ? *node : static_cast<const toml::node&>(table), fmt::format("{}: {}", key, message)));
}

/// "-1.2s" too.
void StageReader::span(const toml::table& table, std::string_view key, const Texts& text,
                       Nanoseconds& field) {
  if (!text) return;
  const bool before = text->starts_with('-');
  auto span = parse_span(std::string_view(*text).substr(before ? 1 : 0));
  if (before && key != "start_offset") span = fail(ErrorCode::kUsage, fmt::format("'{}' is negative", *text));
  if (!span) return fail_at(table, key, span.error().message);
  field = before ? -*span : *span;
}

template <class Name, std::size_t kCount>
std::optional<Name> StageReader::one_of(const toml::table& table, std::string_view key,
                                        const std::string& text) {
  std::array<const char*, kCount> names;
  for (std::size_t i = 0; i < kCount; ++i) {
    names[i] = to_string(static_cast<Name>(i));
    if (text == names[i]) return static_cast<Name>(i);
  }
  fail_at(table, key, fmt::format("'{}' is none of {}", text, fmt::join(names, ", ")));
  return std::nullopt;
}

void StageReader::trigger(PipelineStage& stage) {
  const toml::node* node = table_.get("trigger_on");
  if (!node) return;
  StageTrigger& trigger = stage.trigger_on.emplace();
  if (node->is_string()) {
    trigger.stage = *node->value<std::string>();
    return;
  }
  const toml::table* table = node->as_table();
  if (!table) return fail_at(table_, "trigger_on", "is a stage's name or a table: { source = \"plc\", … }");
  TableReader reader(table, "trigger_on", file_);
  std::optional<std::string> event;
  reader.key("stage", trigger.stage, kAny, {});
  reader.key("source", trigger.source, kAny, {});
  reader.key("event", event, kAny, {});
  reader.key("channel", trigger.channel, kAny, {});
  reader.key("above", trigger.above, kAny, {});
  reader.key("below", trigger.below, kAny, {});
  reader.key("contains", trigger.contains, kAny, {});
  const toml::node* equals = table->get("equals");
  std::optional<std::string> text;
  std::optional<double> number;
  if (equals && equals->is_number())
    reader.key("equals", number, kAny, {});
  else
    reader.key("equals", text, kAny, {});
  if (number) trigger.equals = fmt::format("{}", *number);
  if (text) trigger.equals = text;
  keep(reader.finish());
  if (event) trigger.event = one_of<StageEvent, 6>(*table, "event", *event);
}

void StageReader::windows(PipelineStage& stage) {
  const toml::node* node = table_.get("time_window");
  if (!node) return;
  const toml::table* table = node->as_table();
  if (!table) return fail_at(table_, "time_window", "is a table: { length = \"1.2s\", hop = \"0.3s\" }");
  TableReader reader(table, "time_window", file_);
  Texts length, hop;
  reader.key("length", length, kAny, {});
  reader.key("hop", hop, kAny, {});
  keep(reader.finish());
  if (status_ && (!length || !hop)) return fail_at(table_, "time_window", "needs `length` and `hop`");
  StageWindows& windows = stage.time_window.emplace();
  span(*table, "length", length, windows.length);
  span(*table, "hop", hop, windows.hop);
}

Result<PipelineStage> StageReader::read() {
  PipelineStage stage;
  TableReader reader(&table_, "[[stage]]", file_);
  Texts action, take, tolerance, start_offset, duration, delay, cooldown, deadline, question, query, text;
  reader.key("name", stage.name, kAny, {});
  reader.key("action", action, kAny, {});
  reader.key("take", take, kAny, {});
  reader.key("tolerance", tolerance, kAny, {});
  reader.key("start_offset", start_offset, kAny, {});
  reader.key("duration", duration, kAny, {});
  reader.key("delay", delay, kAny, {});
  reader.key("cooldown", cooldown, kAny, {});
  reader.key("deadline", deadline, kAny, {});
  reader.key("sources", stage.sources, kAny, {});
  reader.key("question", question, kAny, {});
  reader.key("query", query, kAny, {});
  reader.key("text", text, kAny, {});
  reader.key("max_tokens", stage.max_tokens, Range{1, 1 << 16}, {});
  reader.key("limit", stage.limit, Range{1, 100}, {});
  reader.key("kinds", stage.kinds, kAny, {});
  reader.key("url", stage.url, kAny, {});
  reader.key("secret_env", stage.secret_env, kAny, {});
  reader.key("folder", stage.folder, kAny, {});
  reader.knows("trigger_on");
  reader.knows("time_window");
  keep(reader.finish());
  trigger(stage);
  windows(stage);
  if (action && status_)
    stage.action = one_of<StageAction, 7>(table_, "action", *action).value_or(StageAction::kGather);
  if (take && status_) stage.take = one_of<StageTake, 3>(table_, "take", *take).value_or(StageTake::kAll);
  span(table_, "tolerance", tolerance, stage.tolerance);
  span(table_, "start_offset", start_offset, stage.start_offset);
  if (duration) span(table_, "duration", duration, stage.duration.emplace());
  span(table_, "delay", delay, stage.delay);
  span(table_, "cooldown", cooldown, stage.cooldown);
  if (deadline) span(table_, "deadline", deadline, stage.deadline.emplace());
  const std::array texts = {&question, &query, &text};
  for (const Texts* one : texts)
    if (*one) stage.text = **one;
  const char* own = stage.action == StageAction::kRetrieve ? "query"
                    : stage.action == StageAction::kStore  ? "text"
                                                           : "question";
  for (const auto& [key, given] : {std::pair{"question", &question}, {"query", &query}, {"text", &text}})
    if (*given && (own != std::string_view(key) || stage.action == StageAction::kGather))
      fail_at(table_, key, fmt::format("action {} has no use for it", to_string(stage.action)));
  if (!status_) return tl::unexpected(status_.error());
  return stage;
}

Result<PipelinePlan> read_plan(const toml::table& root, std::string_view file) {
  PipelinePlan plan;
  TableReader reader(&root, "a pipeline", file);
  reader.key("unperceived", plan.unperceived, kAny, {});
  reader.knows("stage");
  if (auto read = reader.finish(); !read) return tl::unexpected(read.error());
  const toml::node* stages = root.get("stage");
  const toml::array* array = stages ? stages->as_array() : nullptr;
  if (stages && (!array || !array->is_array_of_tables()))
    return tl::unexpected(reader.fault(*stages, "stages must be tables: write [[stage]]").error());
  for (std::size_t i = 0; array && i < array->size(); ++i) {
    auto stage = StageReader(*(*array)[i].as_table(), file).read();
    if (!stage) return tl::unexpected(stage.error());
    plan.stages.push_back(std::move(*stage));
  }
  const auto wrong = find_fault(plan);
  if (!wrong) return plan;
  if (!array || wrong->stage >= array->size())
    return fail(ErrorCode::kUsage, fmt::format("{}: {}", file, wrong->message));
  const toml::table& table = *(*array)[wrong->stage].as_table();
  const toml::node* node = table.get(wrong->key);
  return tl::unexpected(
      reader
          .fault(node ? *node : static_cast<const toml::node&>(table),
                 fmt::format("stage '{}': {}: {}", plan.stages[wrong->stage].name.substr(0, 64), wrong->key,
                             wrong->message))
          .error());
}

}  // namespace

Result<PipelinePlan> parse_pipeline(std::string_view text, std::string_view name) {
  try {
    return read_plan(toml::parse(text, name), name);
  } catch (const toml::parse_error& error) {
    return fail(ErrorCode::kUsage, at_line(name, error.source()) + std::string(error.description()));
  }
}

Result<PipelinePlan> load_pipeline(const std::string& path) {
  const auto text = read_settings(path);
  if (!text) return tl::unexpected(text.error());
  return parse_pipeline(*text, path);
}

}  // namespace braid::serve
