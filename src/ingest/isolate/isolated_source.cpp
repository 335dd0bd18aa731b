#include "isolate/isolated_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <optional>
#include <type_traits>
#include <utility>

#include "braid/base/log.h"
#include "byte_reader.h"
#include "ffmpeg/spool.h"
#include "isolate/obituary.h"
#include "isolate/promises.h"
#include "isolate/shared_pool.h"
#include "isolate/workers.h"

namespace braid::ingest::isolate {

namespace {

constexpr std::size_t kPoolBytes = std::size_t{512} << 20;  // of one pool, unless its slots are few
constexpr std::size_t kMinSlots = 4;
constexpr std::size_t kLeastSlotBytes = 1 << 12;
constexpr std::uint32_t kMaxPools = 24;  // of one source: each of slots twice as large as the one before
constexpr int kSliceMs = 50;             // between two looks at what may end the wait
constexpr int kExitMs = 5000;            // for the guard to say how a worker ended

/// Pools that a worker asked for. Those that slots are still held of live as long as these.
class Pools {
 public:
  Pools(std::size_t most_slots, std::size_t most_slot_bytes)
      : most_slots_(std::max<std::size_t>(1, most_slots)), most_slot_bytes_(most_slot_bytes) {}

  Result<std::pair<PoolGiven, Descriptor>> give(std::uint64_t slot_bytes) {
    const bool grows = !newest_ || slot_bytes > newest_->slot_bytes();
    if (slot_bytes < 1 || slot_bytes > most_slot_bytes_ || !grows || given_ == kMaxPools)
      return fail(ErrorCode::kBadInput, fmt::format("a wish for pictures of {} bytes; 1 to {} are right",
                                                    slot_bytes, most_slot_bytes_));
    // Memory is taken where pictures are written, so room to grow costs none.
    const std::size_t bytes = std::max(kLeastSlotBytes, std::bit_ceil(slot_bytes));
    const std::size_t slots = std::min(most_slots_, std::max(kMinSlots, kPoolBytes / bytes));
    auto made = make_shared_pool(bytes, slots);
    if (!made) return std::pair{PoolGiven{}, Descriptor()};
    newest_ = std::move(made->slots);
    slots_ = slots;
    return std::pair{PoolGiven{++given_, static_cast<std::uint32_t>(slots), bytes}, std::move(made->memory)};
  }

  Result<Slot> take(const SentFrame& frame) {
    if (!newest_ || frame.pool != given_ || Promises::bytes_of(frame) > newest_->slot_bytes())
      return fail(ErrorCode::kBadInput,
                  fmt::format("a frame of {} bytes in pool {}, which isn't there or has no such room",
                              Promises::bytes_of(frame), frame.pool));
    auto slot = newest_->take(frame.slot);
    if (!slot) return fail(ErrorCode::kBadInput, "a frame in a slot that is in use: " + slot.error().message);
    return slot;
  }
  /// The worker can only wait for one to be given back.
  bool all_held() const { return newest_ && newest_->held() == slots_; }

 private:
  std::size_t most_slots_, most_slot_bytes_;
  std::unique_ptr<SlotPool> newest_;
  std::size_t slots_ = 0;
  std::uint32_t given_ = 0;
};

/// Once: what a kernel or container doesn't lend.
void tell_of(const Confinement& in_force) {
  static std::atomic<bool> told{false};
  if ((in_force.limits && in_force.landlock && in_force.namespaces) || told.exchange(true)) return;
  log(in_force.limits ? LogLevel::kInfo : LogLevel::kWarning,
      "ingest: the processes that decode run under a filter of system calls, but without{}{}{}: this kernel "
      "or "
      "container doesn't lend it",
      in_force.limits ? "" : " resource limits", in_force.landlock ? "" : " Landlock",
      in_force.namespaces ? "" : " namespaces");
}

class IsolatedSource final : public Source {
 public:
  IsolatedSource(const SourceSpec& spec, const IngestOptions& options, Clock& clock, Worker worker,
                 Descriptor wake)
      : spec_(spec),
        options_(options),
        clock_(clock),
        worker_(std::move(worker)),
        wake_(std::move(wake)),
        promises_(options),
        pools_(options.frame_slots, promises_.most_slot_bytes()) {
    life_ = {spec.target,
             options.isolation.memory_bytes,
             options.isolation.computing,
             options.isolation.patience,
             false,
             {}};
    info_.name = spec.name;
    info_.live = spec.live;
  }

  const SourceInfo& info() const override { return info_; }

  void stop() override {
    stopped_ = true;
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
  }

  /// Until the worker has opened it.
  Status open() {
    for (;;) {
      auto message = next(options_.give_up.get());
      if (!message) return tl::unexpected(message.error());
      if (auto* opened = std::get_if<Opened>(&*message)) return take(*opened);
      if (auto* refused = std::get_if<Refused>(&*message)) {
        if (auto fits = promises_.check(refused->error); !fits)
          return tl::unexpected(obituary(life_, fits.error()));
        return tl::unexpected(std::move(refused->error));
      }
      return tl::unexpected(obituary(life_, Error{ErrorCode::kBadInput, "something before it was asked to"}));
    }
  }

  Status run(SourceId id, const PacketSink& sink) override {
    if (options_.clocks && spec_.live) stamps_ = options_.clocks(spec_.name);
    const SteadyTime start = options_.session_start ? options_.session_start() : clock_.now();
    if (!tell(Run{start})) return tl::unexpected(died());
    while (!stopped_) {
      auto message = next(nullptr);
      if (stopped_) break;
      if (!message) return tl::unexpected(message.error());
      if (auto* ended = std::get_if<Ended>(&*message)) return finish(*ended);
      const Result<Accepted> accepted =
          std::visit([&](auto& content) -> Result<Accepted> { return take(content, id, sink); }, *message);
      if (!accepted) return tl::unexpected(obituary(life_, accepted.error()));
      if (*accepted == Accepted::kClosed) break;
    }
    worker_ = Worker();
    return {};
  }

 private:
  bool tell(const ToWorker& message, int descriptor = -1) {
    // One that doesn't read its few answers is as good as gone.
    return send(worker_.channel.get(), encode(message), {&descriptor, descriptor >= 0 ? 1U : 0U}, false);
  }

  Status take(Opened& opened) {
    if (auto fits = promises_.check(opened); !fits) return tl::unexpected(obituary(life_, fits.error()));
    info_.streams = opened.streams;
    info_.may_stall = opened.may_stall;
    info_.duration = opened.duration;
    info_.description = std::move(opened.description);
    life_.opened = true;
    tell_of(opened.confinement);
    return {};
  }

  Status finish(const Ended& ended) {
    worker_ = Worker();
    if (!ended.error) return {};
    if (auto fits = promises_.check(*ended.error); !fits)
      return tl::unexpected(obituary(life_, fits.error()));
    return tl::unexpected(*ended.error);
  }

  static Result<Accepted> take(Opened&, SourceId, const PacketSink&) { return out_of_turn(); }
  static Result<Accepted> take(Refused&, SourceId, const PacketSink&) { return out_of_turn(); }
  static Result<Accepted> take(Ended&, SourceId, const PacketSink&) { return out_of_turn(); }
  static Result<Accepted> out_of_turn() { return fail(ErrorCode::kBadInput, "something out of turn"); }
  Result<Accepted> take(const SentFrame& sent, SourceId id, const PacketSink& sink) {
    if (auto fits = promises_.check(sent); !fits) return tl::unexpected(fits.error());
    auto slot = pools_.take(sent);
    if (!slot) return tl::unexpected(slot.error());
    life_.last = sent.captured;
    Frame frame;
    frame.source = id;
    frame.captured = sent.captured;
    frame.error_bound = sent.error_bound;
    frame.width = sent.width;
    frame.height = sent.height;
    frame.stride = sent.stride;
    frame.pixels = *std::move(slot);
    frame.scene_change = sent.scene_change;
    frame.trace = trace(sent.handled);
    return sink(std::move(frame));
  }
  Result<Accepted> take(SentSound& sent, SourceId id, const PacketSink& sink) {
    if (auto fits = promises_.check(sent); !fits) return tl::unexpected(fits.error());
    life_.last = sent.start;
    return sink(AudioBlock{id, sent.start, sent.sample_rate, std::move(sent.samples), trace(sent.handled),
                           sent.error_bound});
  }
  Result<Accepted> take(SentLine& sent, SourceId id, const PacketSink& sink) {
    if (auto fits = promises_.check(sent); !fits) return tl::unexpected(fits.error());
    life_.last = sent.end;
    return sink(
        TextLine{id, sent.start, sent.end, std::move(sent.text), trace(sent.handled), sent.error_bound});
  }
  Result<Accepted> take(const SentBound& sent, SourceId, const PacketSink& sink) {
    if (auto fits = promises_.check(sent); !fits) return tl::unexpected(fits.error());
    return sink(Bound{sent.stream, sent.nothing_before});
  }
  Result<Accepted> take(SentDamage& sent, SourceId id, const PacketSink& sink) {
    if (auto fits = promises_.check(sent); !fits) return tl::unexpected(fits.error());
    return sink(Damage{id, sent.at, std::move(sent.error), sent.notice});
  }
  Result<Accepted> take(const WantPool& wanted, SourceId, const PacketSink&) {
    auto given = pools_.give(wanted.slot_bytes);
    if (!given) return tl::unexpected(given.error());
    return listened(tell(given->first, given->second.get()));
  }
  Result<Accepted> take(const Observed& observed, SourceId, const PacketSink&) {
    if (!spec_.live) return fail(ErrorCode::kBadInput, "a stamp of no clock");
    const StampClock::Captured unknown{.at = {}, .error_bound = {}, .believed = false};
    return listened(tell(stamps_ ? stamps_->observe(observed.stamp, observed.arrival) : unknown));
  }
  static Result<Accepted> listened(bool read) {
    if (!read) return fail(ErrorCode::kBadInput, "questions whose answers it doesn't read");
    return Accepted::kTaken;
  }

  /// Its clock is this one's; what it says of it needn't be true.
  StageTrace trace(const Handled& told) const {
    const SteadyTime now = clock_.now();
    StageTrace trace;
    trace.enter(Stage::kCapture, std::min(told.captured, now));
    trace.enter(Stage::kIngest, std::min(told.decoding, now));
    return trace;
  }

  /// The next message. Errors: it died, was silent for too long or said what is no message; kCancelled: given
  /// up.
  Result<FromWorker> next(const std::atomic<bool>* give_up) {
    int silent_ms = 0;
    for (;;) {
      if (give_up && *give_up)
        return fail(ErrorCode::kCancelled, fmt::format("{}: opening it was given up", spec_.target));
      switch (receive(worker_.channel.get(), received_)) {
        case Got::kMessage: {
          auto message = decode_from_worker(received_.bytes);
          if (message) return *std::move(message);
          return tl::unexpected(obituary(life_, Error{ErrorCode::kBadInput, "what is no message"}));
        }
        case Got::kEnd:
          return tl::unexpected(died());
        case Got::kNothing:
          break;
      }
      std::array<pollfd, 2> waits{{{worker_.channel.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
      // A pipe's writer may take its time, and so does the clock.
      const bool may_wait = spec_.transport == Transport::kPipe || (life_.opened && options_.realtime);
      const int ready = poll(waits.data(), waits.size(), may_wait && !give_up ? -1 : kSliceMs);
      if (waits[1].revents != 0) return fail(ErrorCode::kCancelled, fmt::format("{}: stopped", spec_.target));
      if (ready == 0 && !may_wait && !pools_.all_held()) silent_ms = computes() ? 0 : silent_ms + kSliceMs;
      const Nanoseconds most = 2 * options_.isolation.patience;
      if (most > Nanoseconds{} && Milliseconds(silent_ms) > most)
        return tl::unexpected(obituary(life_, most));
    }
  }

  Error died() {
    std::optional<Word> end;
    do end = word_of_guard(kExitMs);
    while (end && end->of == Word::Of::kStart);
    worker_ = Worker();
    return obituary(life_, end);
  }

  std::optional<Word> word_of_guard(int patience_ms) {
    pollfd wait{worker_.guard.get(), POLLIN, 0};
    Received received;
    Word word;
    if (poll(&wait, 1, patience_ms) != 1 || receive(worker_.guard.get(), received) != Got::kMessage ||
        received.bytes.size() != sizeof word)
      return std::nullopt;
    std::memcpy(&word, received.bytes.data(), sizeof word);
    return word;
  }

  /// Whether the worker has computed since the last look. Of one that does the kernel keeps count.
  bool computes() {
    if (pid_ == 0)
      if (const auto word = word_of_guard(0); word && word->of == Word::Of::kStart) pid_ = word->value;
    clockid_t clock{};
    timespec now{};
    if (pid_ == 0 || clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &now) != 0) return false;
    const Nanoseconds computed = std::chrono::seconds(now.tv_sec) + Nanoseconds(now.tv_nsec);
    return std::exchange(computed_, computed) != computed;
  }

  SourceSpec spec_;
  IngestOptions options_;
  Clock& clock_;
  Worker worker_;
  Descriptor wake_;
  Promises promises_;
  Pools pools_;
  Life life_;
  SourceInfo info_;
  std::atomic<bool> stopped_{false};
  std::unique_ptr<StampClock> stamps_;
  Received received_;
  pid_t pid_ = 0;           // of the worker; 0: not told yet
  Nanoseconds computed_{};  // by it, at the last look
};

/// What the worker will read.
Result<Descriptor> open_input(const SourceSpec& spec, bool& pipe) {
  pipe = spec.target == "-" && spec.transport == Transport::kPipe;
  if (pipe) return Descriptor(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
  auto fifo = check_path(spec.target);
  if (!fifo) return tl::unexpected(fifo.error());
  pipe = *fifo;
  Descriptor input(::open(spec.target.c_str(), O_RDONLY | O_CLOEXEC | (pipe ? O_NONBLOCK : 0)));
  if (!input)
    return fail(errno == EMFILE || errno == ENFILE ? ErrorCode::kResource : ErrorCode::kBadInput,
                fmt::format("{}: can't be opened ({}); check its permissions and ulimit -n", spec.target,
                            std::strerror(errno)));
  return input;
}

}  // namespace

bool can_isolate(const SourceSpec& spec) {
  return spec.transport == Transport::kFile || spec.transport == Transport::kPipe;
}

Result<std::unique_ptr<Source>> open_isolated(const SourceSpec& spec, const IngestOptions& options,
                                              Clock& clock) {
  bool pipe = false;
  auto input = open_input(spec, pipe);
  if (!input) return tl::unexpected(input.error());
  auto workers = Workers::of(options.isolation.worker);
  if (!workers) return tl::unexpected(workers.error());
  Open open;
  open.spec = spec;
  open.spec.transport = pipe ? Transport::kPipe : Transport::kFile;
  open.options = options;
  open.has_clock = options.clocks != nullptr;
  open.verbose = log_enabled(LogLevel::kDebug);
  open.memory_bytes = options.isolation.memory_bytes;
  open.computing = options.isolation.computing;
  open.patience = options.isolation.patience;
  const Descriptor spool(pipe ? ffmpeg::Spool::make_file() : -1);  // none: the worker says so if it needs it
  auto worker = (*workers)->start(open, input->get(), spool.get());
  if (!worker) return tl::unexpected(worker.error());
  Descriptor wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  auto source =
      std::make_unique<IsolatedSource>(open.spec, options, clock, *std::move(worker), std::move(wake));
  if (auto opened = source->open(); !opened) return tl::unexpected(opened.error());
  return source;
}

}  // namespace braid::ingest::isolate
