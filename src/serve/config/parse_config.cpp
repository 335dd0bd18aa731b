#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include "braid/base/nearest.h"
#include "braid/ingest/source_spec.h"
#include "braid/net/url.h"
#include "config/config.h"
#include "config/table_reader.h"

namespace braid::serve {

namespace {

constexpr std::array kEvents = {"utterance", "scene_change", "line", "reading"};
constexpr std::array kClientSources = {"local", "all", "none"};
constexpr std::array kDetectors = {"silero", "energy", "off"};

/// Walks visit_config() over a file's tables.
class FileReader {
 public:
  FileReader(const toml::table& root, std::string_view file) : root_(root), file_(file) {}

  void table(std::string_view name, std::string_view /*meaning*/) {
    close();
    known_.emplace_back(name);
    const toml::node* node = root_.get(name);
    open_.emplace(node ? node->as_table() : nullptr, fmt::format("[{}]", name), file_);
    if (node && !node->is_table() && status_)
      status_ = open_->fault(*node, fmt::format("{} must be a table: write [{}]", name, name));
  }

  template <class Field>
  void key(std::string_view name, Field& field, Range range, std::string_view meaning) {
    open_->key(name, field, range, meaning);
  }

  Status finish() {
    close();
    if (!status_) return status_;
    for (const auto& [key, node] : root_) {
      const std::string_view name = key.str();
      if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
      return fail(ErrorCode::kUsage, fmt::format("{}there is no table '{}'; {}", at_line(file_, key.source()),
                                                 name, did_you_mean(name, known_)));
    }
    return {};
  }

 private:
  void close() {
    if (open_ && status_) status_ = open_->finish();
  }

  const toml::table& root_;
  const std::string_view file_;
  std::vector<std::string_view> known_ = {"source", "question"};
  std::optional<TableReader> open_;
  Status status_;
};

/// A [[source]] as the text that `braid watch` takes: its `source`, or its keys.
Result<std::string> source_text(const toml::table& table, std::string_view file) {
  std::string whole;
  std::array<std::optional<std::string>, kSourceKeys.size()> parts;
  TableReader reader(&table, "[[source]]", file);
  reader.key("source", whole, kAny, {});
  for (std::size_t i = 0; i < kSourceKeys.size(); ++i) {
    const std::string_view key = kSourceKeys[i].name;
    if (key == "video" || key == "audio" || key == "epoch" || key == "synced" || key == "shift") {
      std::optional<std::int64_t> number;
      reader.key(key, number, key == "shift" ? kAny : Range{0, 9e18}, {});
      if (number) parts[i] = std::to_string(*number);
    } else if (key == "live") {
      std::optional<bool> live;
      reader.key(key, live, kAny, {});
      if (live) parts[i] = *live ? "1" : "0";
    } else {
      reader.key(key, parts[i], kAny, {});
    }
  }
  if (auto read = reader.finish(); !read) return tl::unexpected(read.error());
  std::string pairs;
  for (std::size_t i = 0; i < kSourceKeys.size(); ++i)
    if (parts[i]) pairs += fmt::format("{}{}={}", pairs.empty() ? "" : ",", kSourceKeys[i].name, *parts[i]);
  if (whole.empty() == pairs.empty())
    return tl::unexpected(
        reader.fault(table, "a [[source]] has either `source`, as `braid watch` takes it, or its keys")
            .error());
  std::string text = whole.empty() ? std::move(pairs) : std::move(whole);
  if (auto spec = ingest::parse_source_spec(text); !spec)
    return tl::unexpected(reader.fault(table, spec.error().message).error());
  return text;
}

Status check(const QuestionChoice& question) {
  const auto wrong = [](std::string message) { return fail(ErrorCode::kUsage, std::move(message)); };
  if (question.ask.empty()) return wrong("a [[question]] needs `ask`");
  if (question.every.has_value() == !question.on_event.empty())
    return wrong("a [[question]] needs either `every_s` or `on_event`");
  if (!question.on_event.empty() &&
      std::find(kEvents.begin(), kEvents.end(), question.on_event) == kEvents.end())
    return wrong(fmt::format("on_event is '{}'; there are {}", question.on_event, fmt::join(kEvents, ", ")));
  if (question.webhook.empty()) return {};
  if (auto url = net::parse_url(question.webhook); !url)
    return wrong(fmt::format("webhook: {}", url.error().message));
  return {};
}

Result<QuestionChoice> read_question(const toml::table& table, std::string_view file) {
  QuestionChoice question;
  TableReader reader(&table, "[[question]]", file);
  visit_question(question, reader);
  Status status = reader.finish();
  if (!status) return tl::unexpected(status.error());
  if (status = check(question); !status)
    return tl::unexpected(reader.fault(table, status.error().message).error());
  return question;
}

/// Each table of the array `name`, read by `read` and appended to `all`.
template <class T, class Read>
Status read_array(const toml::table& root, std::string_view file, const char* name, std::vector<T>& all,
                  Read read) {
  const toml::node* node = root.get(name);
  if (!node) return {};
  const toml::array* array = node->as_array();
  for (std::size_t i = 0; array && i < array->size(); ++i) {
    const toml::table* table = (*array)[i].as_table();
    if (!table) break;
    auto item = read(*table, file);
    if (!item) return tl::unexpected(item.error());
    all.push_back(std::move(*item));
  }
  if (array && array->size() == all.size()) return {};
  return TableReader(nullptr, name, file)
      .fault(*node, fmt::format("{} must be tables: write [[{}]]", name, name));
}

Result<ServerConfig> read_config(const toml::table& root, std::string_view file) {
  ServerConfig config = default_config();
  FileReader reader(root, file);
  visit_config(config, reader);
  Status status = reader.finish();
  if (status) status = read_array(root, file, "source", config.sources, source_text);
  if (status) status = read_array(root, file, "question", config.questions, read_question);
  if (!status) return tl::unexpected(status.error());
  if (std::find(kDetectors.begin(), kDetectors.end(), config.vad) == kDetectors.end())
    return fail(ErrorCode::kUsage, fmt::format("{}: vad of [speech] is '{}'; expected {}", file, config.vad,
                                               fmt::join(kDetectors, ", ")));
  if (std::find(kClientSources.begin(), kClientSources.end(), config.client_sources) == kClientSources.end())
    return fail(ErrorCode::kUsage, fmt::format("{}: client_sources of [server] is '{}'; expected {}", file,
                                               config.client_sources, fmt::join(kClientSources, ", ")));
  if (!config.questions.empty() && config.sources.empty())
    return fail(ErrorCode::kUsage,
                at_line(file, root.get("question")->as_array()->front().source()) +
                    "a [[question]] is asked of the session of the [[source]]s, and there is none: add one");
  return config;
}

}  // namespace

ServerConfig default_config() {
  ServerConfig config;
  config.ingest.isolation.on = true;
  config.ingest.isolation.computing = std::chrono::seconds(300);
  return config;
}

Result<ServerConfig> parse_config(std::string_view text, std::string_view name) {
  try {
    return read_config(toml::parse(text, name), name);
  } catch (const toml::parse_error& error) {
    return fail(ErrorCode::kUsage, at_line(name, error.source()) + std::string(error.description()));
  }
}

Result<ServerConfig> load_config(const std::string& path) {
  const auto text = read_settings(path);
  if (!text) return tl::unexpected(text.error());
  return parse_config(*text, path);
}

}  // namespace braid::serve
