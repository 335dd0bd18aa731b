#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/time_text.h"
#include "scenario/scenario.h"
#include "scenario/settings.h"
#include "scenario/words.h"

namespace braid::serve {

namespace {

constexpr std::size_t kMaxBytes = 1 << 20;
constexpr std::size_t kMaxInputs = 5000;
constexpr std::size_t kMaxStreams = 32;
constexpr Nanoseconds kMaxTime = std::chrono::hours(1);
constexpr Nanoseconds kMaxSound = std::chrono::minutes(10);  // in one scenario

using Words = std::vector<std::string>;
using Kind = ScriptedInput::Kind;

tl::unexpected<Error> bad(std::string message) { return fail(ErrorCode::kBadInput, std::move(message)); }

Result<Nanoseconds> parse_time(std::string_view word) {
  auto time = parse_span(word);
  if (time && *time > kMaxTime) return fail(ErrorCode::kLimit, fmt::format("'{}' is past one hour", word));
  return time;
}

/// "2s", "-500ms".
Result<Nanoseconds> parse_signed(std::string_view word) {
  const bool before = word.starts_with('-');
  auto time = parse_time(word.substr(before || word.starts_with('+') ? 1 : 0));
  if (time && before) time = -*time;
  return time;
}

/// "2.5" or "2.5-4.0".
Status parse_when(std::string_view word, SessionTime& start, SessionTime& end) {
  const std::size_t dash = word.find('-');
  const auto first = parse_time(word.substr(0, dash));
  const auto second = dash == std::string_view::npos ? first : parse_time(word.substr(dash + 1));
  if (!first) return tl::unexpected(first.error());
  if (!second) return tl::unexpected(second.error());
  if (*second < *first) return bad(fmt::format("{} ends before it starts", word));
  start = SessionTime(*first);
  end = SessionTime(*second);
  return {};
}

struct KindName {
  std::string_view name;
  Kind kind;
  bool has_text;
  bool is_span;
};
constexpr std::array<KindName, 7> kKinds = {{{"frame", Kind::kFrame, true, false},
                                             {"blank", Kind::kBlank, false, false},
                                             {"speech", Kind::kSpeech, true, true},
                                             {"silence", Kind::kSilence, false, true},
                                             {"text", Kind::kText, true, false},
                                             {"reading", Kind::kReading, true, false},
                                             {"damage", Kind::kDamage, true, false}}};

class Parser {
 public:
  Status line(const Words& words) {
    const std::string& verb = words[0];
    if (verb == "set") return set(words);
    if (verb == "source") return source(words);
    if (verb == "rule") return rule(words);
    if (verb == "ask") return ask(words, 1, std::nullopt);
    if (verb == "at") return at(words);
    if (verb == "expect") return expect(words);
    return bad(fmt::format("'{}'; a line begins with set, source, rule, at, ask or expect", verb));
  }

  /// A line of the pipeline's file.
  void pipeline(std::string_view line) {
    scenario_.pipeline += line;
    scenario_.pipeline += '\n';
  }

  void number(int line, std::string_view text) {
    scenario_.expectations.back().line = line;
    scenario_.expectations.back().said = text;
  }
  std::size_t expectations() const { return scenario_.expectations.size(); }

  Scenario take() {
    for (ScriptedStream& stream : scenario_.streams) {
      for (ScriptedInput& input : stream.inputs) input.arrival = input.end.time_since_epoch() + input.late;
      std::stable_sort(stream.inputs.begin(), stream.inputs.end(),
                       [](const auto& a, const auto& b) { return a.arrival < b.arrival; });
      std::stable_sort(stream.clock_changes.begin(), stream.clock_changes.end(),
                       [](const auto& a, const auto& b) { return a.at < b.at; });
      map_stamps(stream);
    }
    std::stable_sort(scenario_.actions.begin(), scenario_.actions.end(),
                     [](const auto& a, const auto& b) { return a.at < b.at; });
    return std::move(scenario_);
  }

 private:
  Status set(const Words& words) {
    if (words.size() != 3) return bad("write: set NAME VALUE");
    return apply_setting(scenario_, words[1], words[2]);
  }

  Status source(const Words& words) {
    if (words.size() < 3) return bad("write: source NAME KIND... with the kinds video, audio, text, reading");
    if (scenario_.streams.size() >= kMaxStreams)
      return fail(ErrorCode::kLimit, fmt::format("more than {} sources", kMaxStreams));
    ScriptedStream stream;
    stream.info.name = words[1];
    stream.info.description = "a scripted source";
    for (std::size_t i = 2; i < words.size(); ++i) {
      if (const Status fits = source_word(words, i, stream); !fits) return fits;
    }
    scenario_.streams.push_back(std::move(stream));
    return {};
  }

  static Status source_word(const Words& words, std::size_t& i, ScriptedStream& stream) {
    static constexpr std::array<std::string_view, kStreamKinds> kKindNames = {"video", "audio", "text",
                                                                              "reading"};
    const std::string& word = words[i];
    const auto kind = std::find(kKindNames.begin(), kKindNames.end(), word);
    if (kind != kKindNames.end()) {
      stream.info.streams[static_cast<std::size_t>(kind - kKindNames.begin())] = true;
      return {};
    }
    if (stream.clock) {
      const auto read = clock_word(words, i, *stream.clock);
      if (!read) return tl::unexpected(read.error());
      if (*read) return {};
    }
    if (word == "clock") {
      stream.clock.emplace();
      return {};
    }
    if (word == "live") {
      stream.info.live = true;
      return {};
    }
    if ((word != "capture_delay" && word != "ingest_delay") || i + 1 == words.size())
      return bad(fmt::format(
          "'{}'; a source takes video audio text reading live capture_delay SPAN ingest_delay SPAN clock",
          word));
    const auto span = parse_time(words[++i]);
    if (!span) return tl::unexpected(span.error());
    (word == "capture_delay" ? stream.capture_delay : stream.ingest_delay) = *span;
    return {};
  }

  Status rule(const Words& words) {
    if (words.size() != 4 || words[2] != "->")
      return bad("write: rule \"PART OF THE QUESTION\" -> \"ANSWER\"");
    const auto part = unquote(words[1]);
    const auto answer = unquote(words[3]);
    if (!part || !answer) return tl::unexpected(part ? answer.error() : part.error());
    scenario_.engine.rules.push_back({*part, *answer});
    return {};
  }

  Status ask(const Words& words, std::size_t next, std::optional<SessionTime> when) {
    Question question;
    question.at = when;
    if (next < words.size() && words[next] == "now") {
      question.now = true;
      ++next;
    }
    if (next >= words.size() || !is_quoted(words[next])) return bad("write: ask \"QUESTION\"");
    const auto text = unquote(words[next++]);
    if (!text) return tl::unexpected(text.error());
    question.text = *text;
    for (; next + 1 < words.size(); next += 2)
      if (const Status fits = ask_option(question, words[next], words[next + 1]); !fits) return fits;
    if (next != words.size()) return bad(fmt::format("'{}' has no value", words[next]));
    if (question.now && !when) return bad("ask now needs a time: at TIME ask now \"QUESTION\"");
    if (question.now) {
      question.at.reset();
      return act({ClientAction::Kind::kAsk, when->time_since_epoch(), std::move(question), {}});
    }
    scenario_.questions.push_back(std::move(question));
    return count_input();
  }

  static Status ask_option(Question& question, const std::string& name, const std::string& value) {
    if (name == "max_tokens") {
      const auto count = parse_count(value, 10'000);
      if (!count) return tl::unexpected(count.error());
      question.max_tokens = *count;
      return {};
    }
    const auto span = parse_time(value);
    if (!span) return tl::unexpected(span.error());
    if (name == "deadline") {
      question.deadline = *span;
    } else if (name == "every" && *span >= Milliseconds(1)) {
      question.every = *span;
    } else {
      return bad(
          fmt::format("'{} {}'; a question takes deadline SPAN, every SPAN, max_tokens N", name, value));
    }
    return {};
  }

  Status at(const Words& words) {
    if (words.size() < 3) return bad("write: at TIME SOURCE KIND ..., or at TIME ask|cancel|stop|quit ...");
    ScriptedInput input;
    if (const Status when = parse_when(words[1], input.start, input.end); !when) return when;
    if (words[2] == "ask") return ask(words, 3, input.start);
    if (words[2] == "stop") return act({ClientAction::Kind::kStop, input.start.time_since_epoch(), {}, {}});
    if (words[2] == "quit") return act({ClientAction::Kind::kQuit, input.start.time_since_epoch(), {}, {}});
    if (words[2] == "cancel") {
      const auto id = words.size() == 4 ? parse_count(words[3], 1'000'000) : bad("write: at TIME cancel ID");
      if (!id) return tl::unexpected(id.error());
      return act({ClientAction::Kind::kCancel, input.start.time_since_epoch(), {}, QuestionId{*id}});
    }
    return add_input(words, std::move(input));
  }

  Status act(ClientAction action) {
    scenario_.actions.push_back(std::move(action));
    return count_input();
  }

  Status add_input(const Words& words, ScriptedInput input) {
    const auto stream = std::find_if(scenario_.streams.begin(), scenario_.streams.end(),
                                     [&](const auto& one) { return one.info.name == words[2]; });
    if (stream == scenario_.streams.end())
      return bad(fmt::format("no source '{}' above this line", words[2]));
    if (words.size() == 5 && words[3] == "clock") return change_clock(words[4], input.start, *stream);
    const auto kind = std::find_if(kKinds.begin(), kKinds.end(), [&](const KindName& one) {
      return words.size() > 3 && one.name == words[3];
    });
    if (kind == kKinds.end()) return bad("what? frame, blank, speech, silence, text, reading or damage");
    input.kind = kind->kind;
    std::size_t next = 4;
    if (kind->has_text) {
      if (next >= words.size()) return bad(fmt::format("{} of what? Write it in quotes", kind->name));
      const auto text = unquote(words[next++]);
      if (!text) return tl::unexpected(text.error());
      input.text = *text;
    }
    if (next + 2 <= words.size() && words[next] == "late") {
      const auto late = parse_time(words[next + 1]);
      if (!late) return tl::unexpected(late.error());
      input.late = *late;
      next += 2;
    }
    if (next + 2 == words.size() && words[next] == "stamped" && stream->clock) {
      const auto off = parse_signed(words[next + 1]);
      if (!off) return tl::unexpected(off.error());
      input.stamped = *off;
      next += 2;
    }
    if (next != words.size()) return bad(fmt::format("'{}' is too much", words[next]));
    if (const Status fits = check_input(*kind, input); !fits) return fits;
    if (input.kind == Kind::kSpeech)
      hear(static_cast<std::int64_t>(stream - scenario_.streams.begin()), input);
    stream->inputs.push_back(std::move(input));
    return count_input();
  }

  Status change_clock(const std::string& how, SessionTime at, ScriptedStream& stream) {
    if (!stream.clock) return bad(fmt::format("the source {} has no clock: declare it so", stream.info.name));
    SenderClockChange change{at, std::nullopt};
    if (how != "restart") {
      const auto set = parse_signed(how);
      if (!set) return tl::unexpected(set.error());
      change.set = *set;
    }
    stream.clock_changes.push_back(change);
    return count_input();
  }

  Status check_input(const KindName& kind, const ScriptedInput& input) {
    if (kind.is_span && input.end == input.start)
      return bad(fmt::format("{} needs a span: at 1.0-2.5 ...", kind.name));
    if (kind.is_span) sound_ += input.end - input.start;
    if (sound_ > kMaxSound) return fail(ErrorCode::kLimit, "more than ten minutes of sound");
    if (kind.kind == Kind::kReading && input.text.find('=') == std::string::npos)
      return bad(fmt::format("a reading is channel=value, not '{}'", input.text));
    if (kind.has_text && input.text.empty()) return bad(fmt::format("{} without a text", kind.name));
    if (kind.kind == Kind::kFrame && input.text.size() > 120)
      return fail(ErrorCode::kLimit, "a frame's label has at most 120 bytes");
    return {};
  }

  void hear(std::int64_t source, const ScriptedInput& input) {
    scenario_.engine.heard.push_back({input.start, input.end, input.text, SourceId{source}});
  }

  Status count_input() {
    if (++inputs_ > kMaxInputs)
      return fail(ErrorCode::kLimit, fmt::format("more than {} inputs", kMaxInputs));
    return {};
  }

  Status expect(const Words& words) {
    auto expectation = parse_expectation({words.begin() + 1, words.end()});
    if (!expectation) return tl::unexpected(expectation.error());
    scenario_.expectations.push_back(std::move(*expectation));
    return count_input();
  }

  Scenario scenario_;
  std::size_t inputs_ = 0;
  Nanoseconds sound_{};
};

}  // namespace

Result<Scenario> parse_scenario(std::string_view text) {
  if (text.size() > kMaxBytes)
    return fail(ErrorCode::kLimit, fmt::format("a scenario of {} bytes; at most {}", text.size(), kMaxBytes));
  Parser parser;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with('|')) {
      parser.pipeline(line.substr(1));
      continue;
    }
    const auto words = split_words(line);
    Status parsed;
    const std::size_t before = parser.expectations();
    if (!words)
      parsed = tl::unexpected(words.error());
    else if (!words->empty())
      parsed = parser.line(*words);
    if (!parsed) return fail(parsed.error().code, fmt::format("line {}: {}", number, parsed.error().message));
    if (parser.expectations() > before) parser.number(number, line);
  }
  return parser.take();
}

}  // namespace braid::serve
