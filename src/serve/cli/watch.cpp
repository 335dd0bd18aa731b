#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "braid/base/log.h"
#include "braid/deliver/json_writer.h"
#include "braid/deliver/text_writer.h"
#include "braid/serve/watch.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/interrupts.h"
#include "cli/watch_options.h"

namespace braid::serve {

namespace {

/// Passes events on and remembers what the exit code needs.
class Watching final : public deliver::EventSink {
 public:
  explicit Watching(std::unique_ptr<deliver::Writer> writer) : writer_(std::move(writer)) {}

  void on_event(const deliver::Event& event) override {
    if (const auto* answer = std::get_if<Answer>(&event))
      failed_ = failed_ || answer->finish == FinishReason::kError;
    if (const auto* fault = std::get_if<deliver::Fault>(&event)) fault_ = fault_.value_or(fault->error.code);
    perceived_ = perceived_ || std::holds_alternative<deliver::Perceived>(event);
    writer_->on_event(event);
    // Nobody reads any more: there is nobody to go on for.
    if (Watch* watch = running_; watch && !writer_->status()) {
      running_ = nullptr;
      watch->session().stop(false);
    }
  }
  void stop_when_unread(Watch* watch) { running_ = watch; }
  Status written() const { return writer_->status(); }
  /// What the session's end says to the shell: input that gave nothing but errors is bad input.
  ExitCode code() const {
    if (fault_ && !perceived_) return exit_code(*fault_);
    return failed_ ? kCheckFailed : kDone;
  }

 private:
  std::unique_ptr<deliver::Writer> writer_;
  std::atomic<Watch*> running_ = nullptr;
  // Read when the session is over.
  bool failed_ = false;
  bool perceived_ = false;
  std::optional<ErrorCode> fault_;  // the first
};

bool interactive(const WatchOptions& options) {
  const auto& sources = options.config.sources;
  const bool pipe = std::find(sources.begin(), sources.end(), "-") != sources.end();
  return !options.json && !pipe && isatty(STDIN_FILENO) != 0;
}

std::unique_ptr<deliver::Writer> make_writer(const WatchOptions& options, Clock& clock) {
  if (options.json) return deliver::make_json_writer(stdout, clock, {.deltas = options.deltas});
  return deliver::make_text_writer(stdout, stderr, clock, {.progress = !options.quiet});
}

void ask_typed(Session& session, const WatchOptions& options, std::string line) {
  Question question;
  question.text = std::move(line);
  question.now = true;
  question.max_tokens = options.config.session.max_answer_tokens;
  if (auto asked = session.ask(std::move(question)); !asked)
    log(LogLevel::kError, "{}", asked.error().message);
}

Result<std::unique_ptr<Watch>> open_and_ask(const WatchOptions& options, Clock& clock,
                                            deliver::EventSink& sink) {
  auto watch = Watch::open(options.config, clock, sink);
  if (!watch) return watch;
  for (const Question& question : options.questions)
    if (auto asked = (*watch)->session().ask(question); !asked) return tl::unexpected(asked.error());
  return watch;
}

void run_session(Watch& watch, const WatchOptions& options) {
  Session& session = watch.session();
  session.start();
  std::unique_ptr<TypedLines> typed;
  if (interactive(options))
    typed =
        std::make_unique<TypedLines>([&](std::string line) { ask_typed(session, options, std::move(line)); },
                                     [&] {
                                       if (options.config.session.stay_open) session.stop(true);
                                     });
  session.wait();
}

int run_watch(const WatchFlags& flags) {
  auto options = finish_watch_flags(flags);
  if (!options) {
    fmt::print(stderr, "braid watch: {}\n", options.error().message);
    return exit_code(options.error().code);
  }
  options->config.session.stay_open = interactive(*options) && options->questions.empty();
  RealClock clock;
  Watching sink(make_writer(*options, clock));
  std::atomic<Watch*> running = nullptr;
  Interrupts interrupts([&running](int count) {
    Watch* watch = running;
    if (!watch || count > 2) _exit(130);
    // A live source has no other end, so its questions for the end are still answered; a second signal ends
    // those too.
    watch->session().stop(watch->realtime() && count == 1);
  });
  auto watch = open_and_ask(*options, clock, sink);
  if (!watch) {
    sink.on_event(deliver::Fault{"", {}, watch.error()});
    return exit_code(watch.error().code);
  }
  running = watch->get();
  sink.stop_when_unread(watch->get());
  run_session(**watch, *options);
  running = nullptr;
  sink.stop_when_unread(nullptr);
  const Status written = sink.written();
  if (!written && written.error().code != ErrorCode::kCancelled) {
    fmt::print(stderr, "braid: {}\n", written.error().message);
    return exit_code(written.error().code);
  }
  return sink.code();
}

}  // namespace

void add_watch(CLI::App& app, Command& run) {
  auto* command = app.add_subcommand("watch", "watch files or streams and answer questions about them");
  command->footer(
      "Examples:\n"
      "  braid watch clip.mp4 --ask \"What do you see?\"\n"
      "  braid watch rtsp://camera/1 --ask \"What do you see now?\" --every 10s --json\n"
      "  braid watch clip.mp4 --source name=press,kind=sensor,file=press.csv --ask \"When was it hot?\" --at "
      "12.5\n"
      "Without --ask, questions are typed on the terminal.");
  const WatchFlags* flags = add_watch_flags(*command);
  command->callback([flags, &run] { run = [flags] { return run_watch(*flags); }; });
}

}  // namespace braid::serve
