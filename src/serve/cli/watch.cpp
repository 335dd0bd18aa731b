#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "braid/deliver/json_writer.h"
#include "braid/deliver/text_writer.h"
#include "braid/serve/watch.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/interrupts.h"
#include "cli/say.h"
#include "cli/watch_options.h"
#include "cli/watch_pipeline.h"
#include "memory/memory_trouble.h"
#include "memory/session_memory.h"
#include "memory/text_embedder.h"
#include "server/stamps.h"

namespace braid::serve {

namespace {

/// What goes into a memory, and what is told of it.
struct WatchMemory {
  static Result<std::unique_ptr<WatchMemory>> open(const WatchOptions& options, Clock& clock);
  Status finish() { return finish_memory(*memory, folder, session.lost()); }

  WatchMemory(std::shared_ptr<retrieve::Memory> opened, std::string its_folder)
      : memory(std::move(opened)),
        folder(std::move(its_folder)),
        id(new_id("watch_")),
        session(memory, {.session = id}),
        trouble(*memory, folder) {}

  const std::shared_ptr<retrieve::Memory> memory;
  const std::string folder;
  const std::string id;
  SessionMemory session;
  MemoryTrouble trouble;
};

Result<std::unique_ptr<WatchMemory>> WatchMemory::open(const WatchOptions& options, Clock& clock) {
  auto embedder = load_text_model(options.embedder, clock);
  if (!embedder) return tl::unexpected(embedder.error());
  retrieve::MemoryOptions memory_options;
  memory_options.embedder = std::move(embedder->turns);
  auto memory = retrieve::Memory::open(options.memory, std::move(memory_options), clock);
  if (!memory) return tl::unexpected(memory.error());
  return std::make_unique<WatchMemory>(std::move(*memory), options.memory);
}

/// About a thousand pictures of the default model.
constexpr std::size_t kNoteBytes = 64U << 20;

/// Passes events on and remembers what the exit code needs.
class Watching final : public deliver::EventSink {
 public:
  /// `memory` and `pipeline` may be null.
  Watching(std::unique_ptr<deliver::Writer> writer, WatchMemory* memory, WatchPipeline* pipeline,
           Clock& clock)
      : writer_(std::move(writer)), memory_(memory), pipeline_(pipeline), clock_(clock) {}

  void on_event(const deliver::Event& event) override {
    if (const auto* answer = std::get_if<Answer>(&event))
      failed_ =
          failed_ || answer->finish == FinishReason::kError || answer->finish == FinishReason::kCancelled;
    if (const auto* fault = std::get_if<deliver::Fault>(&event)) fault_ = fault_.value_or(fault->error.code);
    perceived_ = perceived_ || std::holds_alternative<deliver::Perceived>(event);
    if (const auto* stage = std::get_if<deliver::PipelineEvent>(&event))
      failed_ = failed_ || (stage->error && stage->error->code != ErrorCode::kLate);
    if (memory_) memory_->session.on_event(event);
    if (pipeline_) pipeline_->on_event(event);
    writing_since_ = clock_.now();
    if (memory_)
      if (auto trouble = memory_->trouble.begun())
        writer_->on_event(deliver::Fault{"memory", {}, *std::move(trouble)});
    writer_->on_event(event);
    writing_since_ = kNotWriting;
    // Nobody reads any more: there is nobody to go on for.
    if (Watch* watch = running_; watch && !writer_->status()) {
      running_ = nullptr;
      watch->session().stop(false);
    }
  }
  /// One event has been with a reader that doesn't take it for so long.
  bool stalled_for(Nanoseconds patience) const {
    const SteadyTime since = writing_since_;
    return since != kNotWriting && clock_.now() - since > patience;
  }
  void stop_when_unread(Watch* watch) { running_ = watch; }
  Status written() const { return writer_->status(); }
  /// What the session's end says to the shell: input that gave nothing but errors is bad input.
  ExitCode code() const {
    // What nobody was there to read is nobody's failure.
    if (!writer_->status()) return kDone;
    if (fault_ && !perceived_) return exit_code(*fault_);
    return failed_ ? kCheckFailed : kDone;
  }

 private:
  static constexpr SteadyTime kNotWriting = SteadyTime::max();

  std::unique_ptr<deliver::Writer> writer_;
  WatchMemory* memory_;
  WatchPipeline* pipeline_;
  Clock& clock_;
  std::atomic<SteadyTime> writing_since_ = kNotWriting;
  std::atomic<Watch*> running_ = nullptr;
  // Read when the session is over.
  bool failed_ = false;
  bool perceived_ = false;
  std::optional<ErrorCode> fault_;  // the first
};

/// Where questions are typed; closed with this. Standard input, or the terminal itself where that is a
/// source.
class Keyboard {
 public:
  explicit Keyboard(const WatchOptions& options) {
    const auto& sources = options.config.sources;
    const bool piped = std::any_of(sources.begin(), sources.end(), [](const std::string& source) {
      return source == "-" || source.ends_with("=-") || source.find("=-,") != std::string::npos;
    });
    if (options.json) return;
    if (!piped && isatty(STDIN_FILENO) != 0) descriptor_ = STDIN_FILENO;
    if (piped && isatty(STDERR_FILENO) != 0) descriptor_ = open("/dev/tty", O_RDONLY | O_CLOEXEC);
  }
  ~Keyboard() {
    if (descriptor_ > STDERR_FILENO) close(descriptor_);
  }
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;

  bool there() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

std::unique_ptr<deliver::Writer> make_writer(const WatchOptions& options, bool typed, Clock& clock) {
  if (options.json) return deliver::make_json_writer(stdout, clock, {.deltas = options.deltas});
  return deliver::make_text_writer(stdout, stderr, clock, {.quiet = options.quiet, .typed = typed});
}

void ask_typed(Session& session, const WatchOptions& options, std::string line) {
  Question question;
  question.text = std::move(line);
  question.now = true;
  question.max_tokens = options.config.session.max_answer_tokens;
  if (auto asked = session.ask(std::move(question)); !asked) say("braid: {}\n", asked.error().message);
}

Result<std::unique_ptr<Watch>> open_and_ask(const WatchOptions& options, WatchMemory* memory,
                                            WatchPipeline* pipeline, Clock& clock, deliver::EventSink& sink) {
  WatchConfig config = options.config;
  if (memory) {
    config.session.recall = [memory](Question& question) { memory->session.recall(question); };
    config.session.note_bytes = kNoteBytes;
    config.session.evidence_tokens = kEvidenceTokens;
  }
  if (pipeline) pipeline->configure(config.session);
  auto watch = Watch::open(std::move(config), clock, sink);
  if (!watch) return watch;
  const UtcTime zero = options.began.value_or(system_now());
  if (memory) memory->session.begin(zero);
  if (pipeline) pipeline->begin(**watch, zero);
  for (const Question& question : options.questions)
    if (auto asked = (*watch)->session().ask(question); !asked) return tl::unexpected(asked.error());
  return watch;
}

void run_session(Watch& watch, const WatchOptions& options, const Keyboard& keyboard) {
  Session& session = watch.session();
  session.start();
  std::unique_ptr<TypedLines> typed;
  if (keyboard.there())
    typed = std::make_unique<TypedLines>(
        keyboard.descriptor(), [&](std::string line) { ask_typed(session, options, std::move(line)); },
        [&] {
          if (options.config.session.stay_open) session.stop(true);
        });
  session.wait();
}

/// What a person at a terminal is told while nothing else is to be seen.
class Hints {
 public:
  Hints(const WatchOptions& options, const Keyboard& keyboard)
      : on_(!options.quiet && !options.json && isatty(STDERR_FILENO) != 0),
        asked_(!options.questions.empty()),
        typed_(keyboard.there()) {}

  void loading() const {
    if (on_) say("loading the model …");
  }
  void loaded() const {
    if (!on_) return;
    say("\r\033[K");
    if (typed_ && !asked_) say("watching; type a question and press Enter, Ctrl-D ends\n");
  }
  /// Told once to end.
  void ending() const {
    if (on_) say("\r\033[Kending: what was asked is answered; once more ends the answers too\n");
  }
  /// Nothing was asked, and nothing can be.
  void nothing_asked(const WatchOptions& options) const {
    const bool kept = !options.memory.empty() || !options.config.record.empty() || !options.pipeline.empty();
    if (!asked_ && !typed_ && !kept && !options.json && !options.quiet)
      say("braid: note: no question was asked and none can be typed here: add --ask TEXT\n");
  }

 private:
  bool on_, asked_, typed_;
};

/// Once the program is told to end, a reader that takes nothing can't keep it.
class EndsAStall {
 public:
  EndsAStall(const Watching& sink, Clock& clock) : sink_(sink), clock_(clock), changed_(clock) {}
  ~EndsAStall() {
    {
      std::lock_guard lock(mutex_);
      over_ = true;
      changed_.notify_all();
    }
    thread_.join();
  }
  EndsAStall(const EndsAStall&) = delete;
  EndsAStall& operator=(const EndsAStall&) = delete;

  /// On the signals' thread.
  void begin() {
    if (!thread_.joinable()) thread_ = Thread(clock_, "stall", [this] { look(); });
  }

 private:
  void look() {
    constexpr Nanoseconds kPatience = std::chrono::seconds(5);
    std::unique_lock lock(mutex_);
    while (!changed_.wait_until(lock, clock_.now() + Milliseconds(200), [this] { return over_; })) {
      if (!sink_.stalled_for(kPatience)) continue;
      say("braid: nobody reads the output: ended without the rest of it\n");
      _exit(kResourceError);
    }
  }

  const Watching& sink_;
  Clock& clock_;
  std::mutex mutex_;
  Signal changed_;
  bool over_ = false;
  Thread thread_;
};

int watch_with(const WatchOptions& options, const Keyboard& keyboard, WatchMemory* memory,
               WatchPipeline* pipeline, Clock& clock) {
  const Hints hints(options, keyboard);
  Watching sink(make_writer(options, keyboard.there() && options.questions.empty(), clock), memory, pipeline,
                clock);
  std::atomic<Watch*> running = nullptr;
  EndsAStall ends_a_stall(sink, clock);
  Interrupts interrupts([&](int count) {
    Watch* watch = running;
    if (!watch || count > 2) _exit(kSignalled + Interrupts::last());
    ends_a_stall.begin();
    if (count == 1) hints.ending();
    // The first ends the sources, and what was asked is answered about what was seen; a second ends that too.
    watch->session().stop(count == 1);
  });
  hints.nothing_asked(options);
  hints.loading();
  auto watch = open_and_ask(options, memory, pipeline, clock, sink);
  hints.loaded();
  if (!watch) {
    sink.on_event(deliver::Fault{"", {}, watch.error()});
    return exit_code(watch.error().code);
  }
  running = watch->get();
  sink.stop_when_unread(watch->get());
  run_session(**watch, options, keyboard);
  running = nullptr;
  sink.stop_when_unread(nullptr);
  const bool posted = !pipeline || pipeline->close();
  if (const Status recorded = (*watch)->finish_recording(); !recorded) {
    say("braid: {}\n", recorded.error().message);
    return exit_code(recorded.error().code);
  }
  const Status written = sink.written();
  if (!written && written.error().code != ErrorCode::kCancelled) {
    say("braid: {}\n", written.error().message);
    return exit_code(written.error().code);
  }
  return posted || sink.code() != kDone ? sink.code() : kCheckFailed;
}

int watch_pipeline(const WatchOptions& options, const Keyboard& keyboard, WatchMemory* memory, Clock& clock) {
  if (options.pipeline.empty()) return watch_with(options, keyboard, memory, nullptr, clock);
  auto pipeline =
      WatchPipeline::open(options.pipeline, options.config.sources, memory ? memory->memory : nullptr,
                          memory ? memory->id : new_id("watch_"), clock);
  if (!pipeline) {
    say("braid watch: {}\n", pipeline.error().message);
    return exit_code(pipeline.error().code);
  }
  return watch_with(options, keyboard, memory, pipeline->get(), clock);
}

int run_watch(const WatchFlags& flags) {
  auto options = finish_watch_flags(flags);
  if (!options) {
    say("braid watch: {}\n", options.error().message);
    return exit_code(options.error().code);
  }
  const Keyboard keyboard(*options);
  options->config.session.stay_open = keyboard.there() && options->questions.empty();
  RealClock clock;
  if (options->memory.empty()) return watch_pipeline(*options, keyboard, nullptr, clock);
  auto memory = WatchMemory::open(*options, clock);
  if (!memory) {
    say("braid watch: {}\n", memory.error().message);
    return exit_code(memory.error().code);
  }
  const int code = watch_pipeline(*options, keyboard, memory->get(), clock);
  const Status kept = (*memory)->finish();
  if (!kept) say("braid: {}\n", kept.error().message);
  return kept || code != kDone ? code : exit_code(kept.error().code);
}

}  // namespace

void add_watch(CLI::App& app, Command& run) {
  auto* command = app.add_subcommand("watch", "watch files or streams and answer questions about them");
  command->footer(
      "Examples:\n"
      "  braid watch clip.mp4 --ask \"What do you see?\"\n"
      "  braid watch rtsp://camera/1 --ask \"What do you see now?\" --every 10s --json\n"
      "  braid watch clip.mp4 --source name=press,kind=sensor,file=press.csv --ask \"Is it hot?\"\n"
      "TIME and SPAN: 12.5 (seconds), 250ms, 2m, 1h, 1:02:03.5.\n"
      "Ctrl-C ends the sources, and what was asked is answered; a second one ends the answers too.\n"
      "Formats of logs and every key of --source: docs/sources.md.");
  const WatchFlags* flags = add_watch_flags(*command);
  command->callback([flags, &run] { run = [flags] { return run_watch(*flags); }; });
}

}  // namespace braid::serve
