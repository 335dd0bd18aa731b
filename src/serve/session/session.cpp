#include "braid/serve/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "record/event_log.h"
#include "session/encode_loop.h"
#include "session/pace.h"
#include "session/session_work.h"
#include "session/sync_loop.h"
#include "session/sync_tap.h"
#include "session/tally.h"

namespace braid::serve {

namespace {

flow::LaneOptions<sync::Timed> encode_lane(const SessionOptions& options, Tally& tally) {
  flow::LaneOptions<sync::Timed> lane;
  lane.capacity = options.queue;
  lane.when_full = options.realtime ? flow::WhenFull::kDropOldest : flow::WhenFull::kBlock;
  // Only frames come again; an utterance, a reading or a question does not.
  lane.droppable = [](const sync::Timed& item) { return std::holds_alternative<Frame>(item); };
  lane.on_drop = [&tally](sync::Timed&&) { tally.dropped("queue_full"); };
  return lane;
}

bool can_use(const ingest::SourceInfo& source, const engine::EngineInfo& model) {
  const auto has = [&](StreamKind kind) { return source.streams[static_cast<std::size_t>(kind)]; };
  return (has(StreamKind::kVideo) && model.sees) || (has(StreamKind::kAudio) && model.hears) ||
         has(StreamKind::kText) || has(StreamKind::kReading);
}

/// What of the source the model has no sense for, if it uses the rest.
const char* unused_part(const ingest::SourceInfo& source, const engine::EngineInfo& model) {
  const auto has = [&](StreamKind kind) { return source.streams[static_cast<std::size_t>(kind)]; };
  if (has(StreamKind::kAudio) && !model.hears) return "sound";
  if (has(StreamKind::kVideo) && !model.sees) return "pictures";
  return nullptr;
}

tl::unexpected<Error> cannot_use(const ingest::SourceInfo& source, const engine::EngineInfo& model) {
  const auto has = [&](StreamKind kind) { return source.streams[static_cast<std::size_t>(kind)]; };
  const char* what = !has(StreamKind::kAudio)   ? "pictures"
                     : !has(StreamKind::kVideo) ? "sound"
                                                : "pictures and sound";
  const bool text_only = !model.sees && !model.hears;
  return fail(ErrorCode::kUnsupported,
              fmt::format("{} has {}; the model {} takes {}: {}", source.name, what, model.name,
                          text_only    ? "text only"
                          : model.sees ? "text and pictures"
                                       : "text and sound",
                          text_only ? "give its encoders with --mmproj"
                                    : "use a model that takes them too, with its --mmproj"));
}

}  // namespace

struct Session::State {
  State(const SessionOptions& session_options, StepLoop& step_loop, StepLoop::Promise promised,
        sync::SpeechDetectorFactory* speech, Clock& session_clock, deliver::EventSink& event_sink)
      : options(session_options),
        loop(step_loop),
        engine(loop.engine()),
        clock(session_clock),
        sink(event_sink),
        hears(speech != nullptr),
        pace(clock, options.realtime),
        maker(options.encode, *engine.tokenizer, engine.encoder.get(), loop.arbiter(), clock),
        to_encode(clock),
        to_client(clock),
        sync(options, clock, pace, due, speech, to_encode.add_lane(encode_lane(options, tally))),
        encode_out(loop.add_lane({.capacity = options.realtime ? 2U : 4U})),
        engine_control(loop.add_lane({.capacity = 64})),
        work(std::make_unique<SessionWork>(SessionParts{options, clock, pace, tally, book, due}, loop,
                                           std::move(promised), encode_out.lane(), engine_control.lane(),
                                           to_client.add_lane({.capacity = 1024}))),
        told(to_client.add_lane({.capacity = 256})) {
    sync.number_questions([this] { return QuestionId{next_question++}; });
  }

  void run_source(std::size_t index, flow::Sender<SyncInput> out);
  void deliver_events();
  Opened opened() const;
  Status check_length(const std::string& question) const;

  SessionOptions options;
  StepLoop& loop;
  engine::Engine& engine;
  Clock& clock;
  deliver::EventSink& sink;
  const bool hears;
  Tally tally;
  Pace pace;
  encode::ChunkMaker maker;
  SourceBook book;
  DueQuestions due;
  std::vector<std::unique_ptr<ingest::Source>> sources;
  std::vector<flow::Sender<SyncInput>> source_lanes;

  flow::Lanes<sync::Timed> to_encode;
  flow::Lanes<deliver::Event> to_client;  // lane 0: the engine's thread; 1: tell()
  SyncLoop sync;
  flow::Sender<EngineInput> encode_out;
  flow::Sender<EngineInput> engine_control;
  std::unique_ptr<SessionWork> work;  // until start()
  std::mutex telling;                 // guards what follows
  flow::Sender<deliver::Event> told;
  SessionTime begins_at{};

  std::atomic<std::int64_t> next_question = 0;
  std::atomic<std::size_t> sources_running = 0;
  std::mutex mutex;      // guards the senders of control and what follows
  bool started = false;  // and not yet waited for
  bool interrupted = false;
  SteadyTime began{};

  std::vector<Thread> source_threads;
  Thread sync_thread, encode_thread, deliver_thread;
};

void Session::State::run_source(std::size_t index, flow::Sender<SyncInput> out) {
  const SourceId id{static_cast<std::int64_t>(index)};
  if (const char* part = unused_part(sources[index]->info(), engine.info))
    out.push(
        Packet(Damage{id,
                      kSessionStart,
                      {ErrorCode::kUnsupported,
                       fmt::format("its {0} is left out: the model {1} takes no {0}; use one that does, with "
                                   "its --mmproj",
                                   part, engine.info.name)},
                      true}));
  const Status ran = sources[index]->run(id, [&](Packet packet) {
    return out.push(std::move(packet)) == flow::Pushed::kTaken ? ingest::Accepted::kTaken
                                                               : ingest::Accepted::kClosed;
  });
  if (!ran) out.push(Packet(Damage{id, pace.now(), ran.error()}));
  --sources_running;
}

Opened Session::State::opened() const {
  Opened opened;
  opened.program = "braid " BRAID_VERSION;
  opened.options = options;
  opened.host = loop.options();
  opened.model = engine.info;
  opened.chat = engine.tokenizer->chat();
  opened.encodes = engine.encoder != nullptr;
  opened.hears = hears;
  opened.at = began;
  opened.begins = begins_at;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const ingest::SourceInfo& info = sources[i]->info();
    opened.sources.push_back({info.name, info.streams, sync.bounded()[i], info.duration});
  }
  return opened;
}

/// So that nobody waits for the end of a film to hear that the question is too long for an answer.
Status Session::State::check_length(const std::string& question) const {
  constexpr std::size_t kMaxBytes = 64 << 10;  // more can't be so few tokens
  const std::size_t tokens =
      question.size() > kMaxBytes ? question.size() : engine.tokenizer->tokenize(question, false).size();
  if (tokens < kMaxQuestionTokens) return {};
  return fail(ErrorCode::kLimit,
              fmt::format("the question has {} {}; it may have {} tokens with its template: shorten it",
                          tokens, question.size() > kMaxBytes ? "bytes" : "tokens", kMaxQuestionTokens));
}

void Session::State::deliver_events() {
  while (true) {
    auto event = to_client.try_pop(0);
    if (!event) event = to_client.try_pop(1);
    if (event) {
      sink.on_event(*event);
    } else if (to_client.ended(0)) {
      to_client.close();
      return;
    } else {
      to_client.wait();
    }
  }
}

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}

Session::~Session() {
  State& s = *state_;
  if (!s.started) return;
  stop(false);
  wait();
}

Result<std::unique_ptr<Session>> Session::create(SessionOptions options, EngineHost& host,
                                                 sync::SpeechDetectorFactory* speech, Clock& clock,
                                                 deliver::EventSink& sink) {
  // Answers that share a step share its sums: alone, each repeats exactly.
  if (host.loop().options().deterministic) options.max_open_answers = 1;
  const engine::EngineInfo& info = host.info();
  const int longest = options.window.max_rows + kMaxQuestionTokens;
  if (info.trained_context > 0 && longest > info.trained_context)
    return fail(
        ErrorCode::kLimit,
        fmt::format(
            "a window of {} tokens and a question of {} pass the model's trained context of {}: lower "
            "--window-tokens",
            options.window.max_rows, kMaxQuestionTokens, info.trained_context));
  if (info.trained_context > 0)
    options.evidence_tokens =
        std::clamp(info.trained_context - longest - options.max_answer_tokens, 0, options.evidence_tokens);
  const auto opening = static_cast<int>(host.loop().timeline_text().begin.size());
  if (2 * opening > options.window.max_rows)
    return fail(
        ErrorCode::kLimit,
        fmt::format("the system text takes {} tokens of a window of {}, half of which are for what is "
                    "perceived: shorten it or raise --window-tokens",
                    opening, options.window.max_rows));
  const int needed = cells_needed(options);
  if (needed > info.cells)
    return fail(
        ErrorCode::kLimit,
        fmt::format("a window of {} tokens and its answers need {} KV cells, the engine has {}: lower "
                    "--window-tokens or --max-tokens",
                    options.window.max_rows, needed, info.cells));
  auto promise = host.loop().promise(needed, kSequencesNeeded);
  if (!promise) return tl::unexpected(promise.error());
  // Until it is given something, it may lose them to whoever comes.
  promise->idle(clock.now() - host.loop().options().idle_after);
  return std::unique_ptr<Session>(
      new Session(std::make_unique<State>(options, host.loop(), std::move(*promise), speech, clock, sink)));
}

Result<SourceId> Session::add_source(std::unique_ptr<ingest::Source> source) {
  const ingest::SourceInfo& info = source->info();
  if (!can_use(info, state_->engine.info)) return cannot_use(info, state_->engine.info);
  auto& names = state_->book.names;
  if (std::find(names.begin(), names.end(), info.name) != names.end())
    return fail(ErrorCode::kUsage,
                fmt::format("two sources are named {}: give one another name (--source name=…)", info.name));
  const SourceId id{static_cast<std::int64_t>(state_->sources.size())};
  names.push_back(info.name);
  state_->book.duration = std::max(state_->book.duration, info.duration);
  state_->maker.name_source(id, info.name);
  state_->source_lanes.push_back(state_->sync.add_source(id, info));
  if (state_->options.tap) state_->options.tap->add_source(id, info);
  state_->sources.push_back(std::move(source));
  ++state_->sources_running;
  return id;
}

void Session::start() {
  State& s = *state_;
  s.started = true;
  s.pace.restart(s.begins_at);
  s.began = s.clock.now();
  if (s.options.log) s.options.log->note(s.opened());
  s.deliver_thread = Thread(s.clock, "deliver", [&s] { s.deliver_events(); });
  s.loop.add(std::move(s.work));
  s.encode_thread = Thread(s.clock, "encode", [&s] {
    std::optional<Nanoseconds> patience;
    if (s.options.realtime && !s.loop.options().deterministic) patience = s.options.frame_patience;
    EncodeLoop(s.maker, s.clock, patience, s.options.recall, s.options.log, std::move(s.to_encode),
               std::move(s.encode_out))
        .run();
  });
  s.sync_thread = Thread(s.clock, "sync", [&s] { s.sync.run(); });
  for (std::size_t i = 0; i < s.sources.size(); ++i)
    s.source_threads.emplace_back(s.clock, fmt::format("source-{}", i),
                                  [&s, i] { s.run_source(i, std::move(s.source_lanes[i])); });
}

Status Session::restore(SessionImage image) {
  State& s = *state_;
  s.begins_at = image.now;
  s.next_question = image.next_question;
  return s.work->restore(std::move(image.timeline), image.evicted);
}

void Session::take_image(std::function<void(SessionImage image)> taken) {
  State& s = *state_;
  std::lock_guard lock(s.mutex);
  s.engine_control.push(TakeImage{[&s, taken = std::move(taken)](SessionImage image) {
    image.next_question = s.next_question;
    taken(std::move(image));
  }});
}

Result<QuestionId> Session::ask(Question question) {
  State& s = *state_;
  if (question.max_tokens < 1)
    return fail(ErrorCode::kUsage,
                fmt::format("max_tokens is {}; it must be at least 1", question.max_tokens));
  if (question.max_tokens > s.options.max_answer_tokens)
    return fail(ErrorCode::kLimit, fmt::format("max_tokens is {}; this session has room for answers of {}",
                                               question.max_tokens, s.options.max_answer_tokens));
  if (auto fits = s.check_length(question.text); !fits) return tl::unexpected(fits.error());
  if (!s.tally.admit_question(s.options.max_waiting_questions))
    return fail(ErrorCode::kFull,
                fmt::format("{} questions wait already: ask again when one of them is being answered",
                            s.options.max_waiting_questions),
                true);
  std::lock_guard lock(s.mutex);
  question.id = QuestionId{s.next_question++};
  if (question.now) {
    question.asked = s.clock.now();
    if (s.options.realtime) question.at = s.pace.now();
  }
  const QuestionId id = question.id;
  if (s.sync.control().push(std::move(question)) == flow::Pushed::kClosed)
    return fail(ErrorCode::kCancelled, "the session has ended");
  return id;
}

bool Session::tell(deliver::Event event) {
  std::lock_guard lock(state_->telling);
  return state_->told.push(std::move(event)) == flow::Pushed::kTaken;
}

void Session::cancel(QuestionId id, std::optional<std::size_t> delivered) {
  std::lock_guard lock(state_->mutex);
  state_->engine_control.push(CancelAnswer{id, CancelReason::kClient, delivered});
  state_->sync.control().push(WithdrawQuestion{id});
}

void Session::stop(bool answer_rest) {
  State& s = *state_;
  // A session that stays open after its sources has no other end. Looked at before they are told to stop.
  const bool goes_on = s.sources_running > 0;
  for (auto& source : s.sources) source->stop();
  std::lock_guard lock(s.mutex);
  s.interrupted = s.interrupted || !answer_rest || goes_on;
  s.sync.control().push(StopSync{answer_rest});
  if (!answer_rest)
    s.engine_control.push(CancelEverything{CancelReason::kShutdown});
  else if (goes_on)
    s.engine_control.push(EndNotes{});
}

deliver::Summary Session::wait() {
  State& s = *state_;
  for (Thread& thread : s.source_threads) thread.join();
  s.sync_thread.join();
  s.encode_thread.join();
  s.deliver_thread.join();
  deliver::Summary summary = s.tally.summary();
  summary.wall = s.clock.now() - s.began;
  s.sync.add_counts(summary.drops);
  {
    std::lock_guard lock(s.mutex);
    summary.interrupted = s.interrupted;
  }
  if (s.started) s.sink.on_event(summary);
  s.started = false;
  return summary;
}

std::uint64_t Session::changes() const {
  return state_->tally.changes() + static_cast<std::uint64_t>(state_->next_question);
}

NotesBehind Session::notes() const { return state_->tally.notes(); }

std::size_t Session::held_bytes() const { return state_->tally.held_bytes(); }
WindowInfo Session::window() const { return state_->tally.window(); }

SteadyTime Session::started_at() const { return state_->pace.start(); }

SessionTime Session::now() const { return state_->pace.now(); }

}  // namespace braid::serve
