#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

#include "braid/openai/session_api.h"
#include "field_reader.h"
#include "http_url.h"

namespace braid::openai {

namespace {

using Kind = JsonNode::Kind;

constexpr JsonIndex kRoot = 0;
constexpr std::size_t kMaxWord = 256;  // bytes
constexpr std::size_t kMaxUrl = 2048;  // bytes
constexpr double kMaxSeconds = 7 * 86'400.0;
constexpr double kMaxDeadlineMs = 24.0 * 3600 * 1000;
constexpr JsonBounds kBounds{4096, 8};

// All that may be said in each object.
constexpr std::array<std::string_view, 5> kSessionKeys = {"sources", "window_s", "questions", "model",
                                                          "resume"};
constexpr std::array<std::string_view, 2> kResumeKeys = {"id", "token"};
constexpr std::array<std::string_view, 7> kQuestionKeys = {"ask",    "every_s",     "on_event",  "webhook",
                                                           "secret", "deadline_ms", "max_tokens"};

class SessionReader {
 public:
  SessionReader(const JsonDoc& doc, const SessionLimits& limits) : reader_(doc), limits_(limits) {}

  Parsed<SessionCreate> read() {
    reader_.only(kRoot, kSessionKeys);
    if (const auto resume = reader_.object(kRoot, "resume")) return resumed(*resume);
    sources();
    if (const auto model = reader_.string(kRoot, "model", kMaxWord)) create_.model = *model;
    if (const auto window = reader_.decimal(kRoot, "window_s", 1, kMaxSeconds))
      create_.window = from_seconds(*window);
    if (const auto questions = reader_.array(kRoot, "questions"))
      if (reader_.within(*questions, reader_.doc().children(*questions), limits_.questions, "questions"))
        for (JsonIndex at = *questions + 1; at < reader_.node(*questions).end; at = reader_.node(at).end)
          create_.questions.push_back(question(at));
    if (reader_.failed()) return tl::unexpected(reader_.take_error());
    return std::move(create_);
  }

 private:
  /// A session comes back as it was: nothing else can be said of it.
  Parsed<SessionCreate> resumed(JsonIndex at) {
    SessionResume& resume = create_.resume.emplace();
    reader_.only(at, kResumeKeys);
    resume.id = reader_.required_string(at, "id", kMaxWord);
    resume.token = reader_.required_string(at, "token", kMaxWord);
    for (const char* name : {"sources", "window_s", "questions"})
      if (const auto other = reader_.doc().member(kRoot, name))
        reader_.refuse(
            *other, "invalid_value",
            fmt::format("'{}' can't be given with 'resume': a session comes back as it was.", name));
    if (reader_.failed()) return tl::unexpected(reader_.take_error());
    return std::move(create_);
  }

  void sources() {
    const std::optional<JsonIndex> array = reader_.doc().member(kRoot, "sources");
    if (!array)
      return reader_.refuse("sources", "missing_required_parameter",
                            "Missing required parameter: 'sources'. List what the session watches, as "
                            "[\"rtsp://camera/1\"]; or give 'resume', to have one back.");
    if (!reader_.is(*array, Kind::kArray, "an array of strings")) return;
    const std::size_t count = reader_.doc().children(*array);
    if (!reader_.within(*array, count, limits_.sources, "sources")) return;
    if (count == 0)
      reader_.refuse(*array, "empty_array", "Invalid 'sources': empty array. Name a source at least.");
    for (JsonIndex at = *array + 1; at < reader_.node(*array).end; at = reader_.node(at).end) {
      if (!reader_.is(at, Kind::kString, "a string")) return;
      const std::string_view text = reader_.node(at).text;
      if (!reader_.within(at, text.size(), limits_.source_bytes, "bytes")) return;
      if (text.empty())
        reader_.refuse(at, "empty_string",
                       "Invalid 'sources': a source is a file, an address or name=...,file=...");
      create_.sources.emplace_back(text);
    }
  }

  StandingQuestion question(JsonIndex at) {
    StandingQuestion question;
    if (!reader_.is(at, Kind::kObject, "an object")) return question;
    reader_.only(at, kQuestionKeys);
    question.ask = reader_.required_string(at, "ask", limits_.question_bytes);
    if (const auto every = reader_.decimal(at, "every_s", 0.1, kMaxSeconds))
      question.every = from_seconds(*every);
    if (const auto event = reader_.string(at, "on_event", kMaxWord)) question.on_event = *event;
    if (const auto secret = reader_.string(at, "secret", kMaxWord)) question.secret = *secret;
    if (const auto ms = reader_.decimal(at, "deadline_ms", 0.001, kMaxDeadlineMs))
      question.deadline = from_seconds(*ms / 1000);
    if (const auto tokens = reader_.integer(at, "max_tokens", 1, std::numeric_limits<int>::max()))
      question.max_tokens = static_cast<int>(*tokens);
    if (const auto url = reader_.string(at, "webhook", kMaxUrl)) {
      question.webhook = *url;
      if (!is_http_url(*url))
        reader_.refuse(reader_.path(at, "webhook"), "invalid_url",
                       "Invalid 'webhook': expected an http or https address.");
    }
    if (question.every.has_value() == !question.on_event.empty())
      reader_.refuse(at, "invalid_value",
                     "A standing question needs either 'every_s' or 'on_event', to know when it is asked.");
    return question;
  }

  FieldReader reader_;
  const SessionLimits& limits_;
  SessionCreate create_;
};

}  // namespace

Parsed<SessionCreate> parse_session_create(std::string_view body, const SessionLimits& limits) {
  const auto doc = parse_object(body, limits.body_bytes, kBounds);
  if (!doc) return tl::unexpected(doc.error());
  return SessionReader(*doc, limits).read();
}

}  // namespace braid::openai
