#include "cli/watch_options.h"

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <optional>

#include "braid/calendar/time_range.h"
#include "cli/flag_parts.h"
#include "config/time_text.h"

namespace braid::serve {

namespace {

/// A question as given, with the times that were said for it alone.
struct Asked {
  std::string text;
  std::vector<std::string> at;
  std::optional<std::string> every;
};

}  // namespace

struct WatchFlags {
  WatchOptions options;
  std::vector<std::string> positional, named;
  std::vector<Asked> asked;
  // Times before the first --ask or after the last hold for every question without one of its own.
  std::vector<std::string> common_at;
  std::optional<std::string> common_every;
  std::vector<std::string> pending_at;
  std::optional<std::string> pending_every;
  std::optional<std::string> deadline;
  std::string began;
  bool fast = false;  // the default; said to make it plain
  bool no_turns = false, no_novelty = false, no_isolation = false;
  double heartbeat_s = 2.0;
  double max_duration_s = 0;
  double window_s = 0;
  double temp = 0;
  std::uint64_t seed = 0;

  void ask(const std::string& text);
};

void WatchFlags::ask(const std::string& text) {
  if (!asked.empty()) {
    asked.back().at = std::move(pending_at);
    asked.back().every = std::move(pending_every);
  } else {
    common_at = std::move(pending_at);
    common_every = std::move(pending_every);
  }
  pending_at.clear();
  pending_every.reset();
  asked.push_back({text, {}, {}});
}

namespace {

/// Whole numbers that fit, without a sign: CLI11 makes 18446744073709551615 of -1.
std::string check_seed(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return {};
  return fmt::format("'{}' is no whole number from 0 to 2^64 - 1", text);
}

void add_question_flags(CLI::App& command, WatchFlags& flags) {
  // Read in the order written, since a time belongs to the question before it.
  command
      .add_option_function<std::string>(
          "--ask", [&flags](const std::string& text) { flags.ask(text); },
          "a question; may be repeated. Without any, questions are typed on the terminal")
      ->trigger_on_parse()
      ->type_name("TEXT");
  command
      .add_option_function<std::string>(
          "--at", [&flags](const std::string& text) { flags.pending_at.push_back(text); },
          "session time at which to ask (12.5, 1:02.5, 500ms); may be repeated. Between questions it belongs "
          "to "
          "the one before it, at the beginning or the end to every question. Default, and for times that no "
          "source gets to: when the sources end")
      ->trigger_on_parse()
      ->type_name("TIME");
  command
      .add_option_function<std::string>(
          "--every", [&flags](const std::string& text) { flags.pending_every = text; },
          "ask again and again at this interval of session time; belongs to questions as --at does")
      ->trigger_on_parse()
      ->type_name("SPAN");
  command
      .add_option("--deadline", flags.deadline,
                  "time from asked to last byte. Each answer is reported as met or late; a late one is still "
                  "made. Default: none")
      ->type_name("SPAN");
  command
      .add_option("--max-tokens", flags.options.config.session.max_answer_tokens, "longest answer, tokens")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command.add_option("--temperature", flags.temp, "0: greedy")
      ->check(Finite(0.0, 5.0))
      ->capture_default_str();
  command.add_option("--seed", flags.seed, "of the draws at a temperature above 0")
      ->check(check_seed)
      ->capture_default_str();
  command
      .add_option("--open-answers", flags.options.config.session.max_open_answers,
                  "answers made at the same time")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command.add_flag("--no-turns", flags.no_turns, "forget each question and answer once it is answered");
  name_group(command, "Questions");
}

void add_sampling_flags(CLI::App& command, WatchFlags& flags) {
  ingest::IngestOptions& ingest = flags.options.config.ingest;
  command.add_option("--fps", ingest.max_fps, "at most so many frames a second, scene changes included")
      ->check(Finite(0.01, 120.0))
      ->capture_default_str();
  command.add_option("--sample-fps", ingest.fps, "frames a second without scene changes")
      ->check(Finite(0.01, 120.0))
      ->capture_default_str();
  command.add_option("--max-frame-side", ingest.max_frame_side, "longer side of a frame, pixels")
      ->check(CLI::Range(16, 8192))
      ->capture_default_str();
  command.add_flag("--no-novelty", flags.no_novelty,
                   "encode every sampled frame, also those that show nothing new");
  command
      .add_option("--heartbeat", flags.heartbeat_s,
                  "keep a frame after so many seconds even if nothing is new; 0: never")
      ->check(Finite(0.0, 3600.0))
      ->capture_default_str();
  command.add_option("--vad", flags.options.config.vad, "speech detector: silero, energy or off")
      ->check(CLI::IsMember({"silero", "energy", "off"}))
      ->capture_default_str();
}

void add_source_flags(CLI::App& command, WatchFlags& flags) {
  command
      .add_option(
          "SOURCE", flags.positional,
          "file, URL (rtsp, http), - (pipe), v4l2:DEVICE, alsa:NAME, pulse:NAME, subtitles, text lines "
          "or a sensor log; several make one session")
      ->type_name("");
  command
      .add_option("--source", flags.named,
                  "the same as key=value,..: name=press,kind=sensor,file=log.csv. Keys: name, kind (media, "
                  "video, audio, subtitle, text, sensor), file or url or device, video, audio, live, epoch, "
                  "unit, isolate; docs/sources.md explains them and the formats of logs")
      ->take_all()
      ->expected(1)
      ->type_name("KEY=VALUE,..");
  auto* realtime = command.add_flag("--realtime", flags.options.config.session.realtime,
                                    "follow the clock, as if it were live (always where a source is)");
  command
      .add_flag("--fast", flags.fast, "as fast as it can be perceived, nothing dropped (default for files)")
      ->excludes(realtime);
  add_sampling_flags(command, flags);
  name_group(command, "Sources");
  command.add_flag("--no-isolation", flags.no_isolation,
                   "decode files and pipes in this process: for what is to be trusted");
  add_limit_flags(command, flags.options.config.ingest.limits, flags.max_duration_s);
}

void add_model_flags(CLI::App& command, WatchFlags& flags) {
  ModelChoice& model = flags.options.config.model;
  command.add_option("-m,--model", model.model, "GGUF of the language model (default: the nano model)")
      ->type_name("FILE");
  command.add_option("--mmproj", model.mmproj, "GGUF of its encoders")->type_name("FILE");
  command.add_option("--lora", model.lora, "GGUF adapter, applied live")->type_name("FILE");
  command.add_option("--system", model.system, "system text (default: the model's own)")->type_name("TEXT");
  command.add_option("-t,--threads", model.threads, "CPU threads; 0: all this process may use")
      ->check(CLI::Range(0, 512))
      ->capture_default_str();
  command.add_option("--gpu-layers", model.gpu_layers, "layers on a GPU, if there is one; -1: all")
      ->check(CLI::Range(-1, 100000))
      ->capture_default_str();
  command
      .add_option("--window-tokens", flags.options.config.session.window.max_rows,
                  "tokens the model keeps in sight")
      ->check(CLI::Range(64, 1 << 20))
      ->capture_default_str();
  command.add_option("--window", flags.window_s, "seconds the model keeps in sight; 0: as the tokens allow")
      ->check(Finite(0.0, 1e6))
      ->capture_default_str();
  command.add_flag("--deterministic", flags.options.config.host.deterministic,
                   "the same tokens on every run: fixed chunks, one answer at a time in a step");
  name_group(command, "Model");
}

/// An unset variable of a shell is no choice to leave something out.
std::string is_named(const std::string& text) { return text.empty() ? "its name is empty" : ""; }

void add_memory_flags(CLI::App& command, WatchFlags& flags) {
  command
      .add_option(
          "--memory", flags.options.memory,
          "folder where what is seen, heard, read and answered is kept with its time, and looked up for "
          "questions (docs/memory.md)")
      ->type_name("DIR")
      ->check(is_named);
  command
      .add_option("--embedder", flags.options.embedder,
                  "with --memory: GGUF of the model that makes vectors of texts; off: none. Default: "
                  "all-MiniLM-L6-v2, where it was prepared")
      ->type_name("FILE");
  command
      .add_option(
          "--began", flags.began,
          "with --memory or --pipeline: when session time 0 was, as 2026-11-29T10:00:00Z. Default: now")
      ->type_name("TIME");
  command
      .add_option("--pipeline", flags.options.pipeline,
                  "TOML file of stages: what is gathered, looked up, asked, kept, posted or cut out when "
                  "something happens (docs/pipelines.md)")
      ->type_name("FILE")
      ->check(is_named);
  name_group(command, "Memory and pipeline");
}

/// A moment, for --memory and --pipeline.
Result<std::optional<UtcTime>> began_at(const WatchFlags& flags) {
  if (flags.began.empty()) return std::optional<UtcTime>();
  if (flags.options.memory.empty() && flags.options.pipeline.empty())
    return fail(
        ErrorCode::kUsage,
        "--began is the time of what goes into a memory or a pipeline: add --memory DIR or --pipeline FILE");
  const auto range = calendar::parse_time_range(flags.began);
  if (!range) return fail(ErrorCode::kUsage, fmt::format("--began: {}", range.error().message));
  if (range->from == UtcTime::min()) return fail(ErrorCode::kUsage, "--began has no beginning");
  return std::optional(range->from);
}

void add_output_flags(CLI::App& command, WatchOptions& options) {
  command.add_flag("--json", options.json, "JSON lines on standard output (docs/json.md)");
  command.add_flag("--deltas", options.deltas, "with --json: each piece of an answer as it is made");
  command.add_flag("-q,--quiet", options.quiet,
                   "answers alone: no headings, times, notes, progress or summary");
  command
      .add_option("--record", options.config.record,
                  "write all that comes and all that is decided to a new file, for braid replay")
      ->type_name("FILE")
      ->check(is_named);
  name_group(command, "Output");
}

/// A question that says nothing can't be meant.
Status check_asked(const Asked& asked) {
  if (asked.text.find_first_not_of(" \t\r\n") != std::string::npos) return {};
  return fail(ErrorCode::kUsage, "--ask is empty: write the question behind it");
}

Result<std::optional<Nanoseconds>> optional_span(const std::optional<std::string>& text) {
  if (!text) return std::optional<Nanoseconds>();
  auto span = parse_span(*text);
  if (!span) return tl::unexpected(span.error());
  return std::optional(*span);
}

Status add_questions(const Asked& asked, const WatchFlags& flags, const Question& model,
                     WatchOptions& options) {
  if (auto said = check_asked(asked); !said) return said;
  Question question = model;
  question.text = asked.text;
  const bool own = !asked.at.empty() || asked.every;
  const auto& times = own ? asked.at : flags.common_at;
  const auto& every = own ? asked.every : flags.common_every;
  if (times.empty() && !every) options.questions.push_back(question);
  for (const std::string& text : times) {
    auto at = parse_span(text);
    if (!at) return tl::unexpected(at.error());
    question.at = kSessionStart + *at;
    options.questions.push_back(question);
  }
  if (every) {
    auto span = parse_span(*every);
    if (!span) return tl::unexpected(span.error());
    if (*span < Milliseconds(10))
      return fail(ErrorCode::kUsage, fmt::format("--every {} is too often; at least 10ms", *every));
    question.at = kSessionStart + *span;
    question.every = *span;
    options.questions.push_back(question);
  }
  return {};
}

}  // namespace

WatchFlags* add_watch_flags(CLI::App& command) {
  auto flags = std::make_shared<WatchFlags>();
  add_source_flags(command, *flags);
  add_question_flags(command, *flags);
  add_model_flags(command, *flags);
  add_memory_flags(command, *flags);
  add_output_flags(command, flags->options);
  // The command outlives the parse and keeps the flags alive.
  command.parse_complete_callback([flags] {});
  return flags.get();
}

Result<WatchOptions> finish_watch_flags(const WatchFlags& given) {
  WatchFlags flags = given;
  WatchOptions& options = flags.options;
  if (!flags.asked.empty() && (flags.asked.size() > 1 || !flags.pending_at.empty() || flags.pending_every)) {
    // A time after the last question is that question's if any question before has one of its own, else
    // everybody's.
    bool earlier = !flags.common_at.empty() || flags.common_every.has_value();
    for (const Asked& asked : flags.asked) earlier = earlier || !asked.at.empty() || asked.every;
    if (earlier) {
      flags.asked.back().at = flags.pending_at;
      flags.asked.back().every = flags.pending_every;
    } else {
      flags.common_at = flags.pending_at;
      flags.common_every = flags.pending_every;
    }
  }
  if (flags.asked.empty() && (!flags.pending_at.empty() || flags.pending_every))
    return fail(ErrorCode::kUsage, "--at and --every say when to ask, but nothing is asked: add --ask TEXT");
  auto deadline = optional_span(flags.deadline);
  if (!deadline) return tl::unexpected(deadline.error());
  if (*deadline == Nanoseconds::zero())
    return fail(ErrorCode::kUsage,
                "--deadline 0 would make every answer late: give it more, or leave it out");
  if (!options.embedder.empty() && options.memory.empty())
    return fail(ErrorCode::kUsage, "--embedder is for what goes into a memory: add --memory DIR");
  auto began = began_at(flags);
  if (!began) return tl::unexpected(began.error());
  options.began = *began;
  Question model;
  model.deadline = *deadline;
  model.max_tokens = options.config.session.max_answer_tokens;
  model.sampling.temperature = static_cast<float>(flags.temp);
  model.sampling.seed = flags.seed;
  for (const Asked& asked : flags.asked)
    if (auto added = add_questions(asked, flags, model, options); !added)
      return tl::unexpected(added.error());
  // Those given here are admitted however many they are; typed ones have the usual room beside them.
  options.config.session.max_waiting_questions += static_cast<int>(options.questions.size());
  options.config.sources = flags.positional;
  options.config.sources.insert(options.config.sources.end(), flags.named.begin(), flags.named.end());
  if (options.config.sources.empty())
    return fail(ErrorCode::kUsage, "no SOURCE: name a file, a URL, a device or - (see braid watch --help)");
  if (!options.config.record.empty() && !options.memory.empty())
    return fail(ErrorCode::kUsage, "--record and --memory: what a memory says isn't recorded; leave one out");
  if (!options.config.record.empty() && !options.pipeline.empty())
    return fail(ErrorCode::kUsage,
                "--record and --pipeline: what a pipeline does isn't recorded; leave one out");
  options.config.session.join_turns = !flags.no_turns;
  options.config.session.window.max_age = from_seconds(flags.window_s);
  options.config.session.encode.novelty.enabled = !flags.no_novelty;
  options.config.ingest.isolation.on = !flags.no_isolation;
  options.config.session.encode.novelty.heartbeat = from_seconds(flags.heartbeat_s);
  options.config.ingest.limits.max_duration = from_seconds(flags.max_duration_s);
  return options;
}

}  // namespace braid::serve
