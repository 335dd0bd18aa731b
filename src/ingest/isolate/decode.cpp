#include "isolate/decode.h"

#include <poll.h>
#include <sys/time.h>
#include <unistd.h>

#include <exception>
#include <new>
#include <utility>

#include "braid/base/log.h"
#include "braid/base/utf8.h"
#include "handed.h"
#include "isolate/channel.h"
#include "isolate/confine.h"
#include "isolate/shared_pool.h"

namespace braid::ingest::isolate {

namespace {

/// Words of a file may stand in a message; one that is too long is cut.
Error fitting(Error error) {
  if (error.message.size() > kMaxWords) error.message.resize(kMaxWords);
  error.message = to_valid_utf8(error.message);
  if (error.message.size() > kMaxWords) error.message.resize(kMaxWords / 4);
  return error;
}

Handled handled(const StageTrace& trace) {
  return trace.empty() ? Handled{} : Handled{trace.begin(), trace.end()};
}

/// The worker's end of the channel. One thread. A process that is no longer listened to ends.
class Asker {
 public:
  explicit Asker(Nanoseconds patience) : patience_(patience) {}

  void say(const FromWorker& message) {
    if (!send(kChannelSocket, encode(message), {}, true)) _exit(0);
    still_alive();
  }

  /// Waits for what was asked for.
  template <class Answer>
  Answer hear(Received& received) {
    pollfd wait{kChannelSocket, POLLIN, 0};
    Got got = Got::kNothing;
    while (got == Got::kNothing) {
      poll(&wait, 1, -1);
      got = receive(kChannelSocket, received);
    }
    if (got == Got::kEnd) _exit(0);
    auto message = decode_to_worker(received.bytes);
    if (!message || !std::holds_alternative<Answer>(*message)) _exit(kUncaught);
    still_alive();
    return std::get<Answer>(std::move(*message));
  }

  /// The kernel ends a process that computes for longer than this without coming here.
  void still_alive() const {
    if (patience_ <= Nanoseconds{}) return;
    itimerval timer{};
    timer.it_value.tv_sec = patience_ / std::chrono::seconds(1);
    timer.it_value.tv_usec = patience_ % std::chrono::seconds(1) / std::chrono::microseconds(1);
    setitimer(ITIMER_PROF, &timer, nullptr);
  }

 private:
  Nanoseconds patience_;
};

/// The asker's clock of a live source.
class AskersClock final : public StampClock {
 public:
  explicit AskersClock(Asker& asker) : asker_(asker) {}
  Captured observe(std::int64_t stamp, SessionTime arrival) override {
    asker_.say(Observed{stamp, arrival});
    Received received;
    return asker_.hear<Captured>(received);
  }
  // RTP's and cameras'; no worker reads these.
  void reference(std::int64_t, SessionTime, Nanoseconds) override {}
  void restart() override {}

 private:
  Asker& asker_;
};

class Decoding {
 public:
  explicit Decoding(const Open& asked) : asked_(asked), asker_(asked.patience) {}

  int run(const OpenSource& open, bool has_spool, const Confinement& confinement) {
    asker_.still_alive();
    auto handed = std::make_shared<Handed>();
    handed->input = kInputFile;
    handed->spool = has_spool ? kSpoolFile : -1;
    handed->take_slot = [this](std::size_t bytes) { return take_slot(bytes); };
    IngestOptions options = asked_.options;
    options.handed = handed;
    options.session_start = [this] { return start_; };
    if (asked_.has_clock)
      options.clocks = [this](const std::string&) { return std::make_unique<AskersClock>(asker_); };
    auto source = open(asked_.spec, options, clock_);
    if (!source) {
      asker_.say(Refused{fitting(source.error())});
      return 0;
    }
    const SourceInfo& info = (*source)->info();
    asker_.say(Opened{info.streams, info.may_stall, info.duration, fitting({{}, info.description}).message,
                      confinement});
    Received received;
    start_ = asker_.hear<Run>(received).session_start;
    const Status ran = (*source)->run(SourceId{0}, [this](Packet packet) {
      std::visit([this](auto& content) { pass_on(content); }, packet);
      return Accepted::kTaken;
    });
    asker_.say(Ended{ran ? std::nullopt : std::optional(fitting(ran.error()))});
    return 0;
  }

 private:
  Result<Slot> take_slot(std::size_t bytes) {
    if (!pool_ || pool_->slot_bytes() < bytes) {
      asker_.say(WantPool{bytes});
      Received received;
      const auto given = asker_.hear<PoolGiven>(received);
      if (given.slots == 0 || received.descriptors.size() != 1)
        return fail(ErrorCode::kResource, "no memory for pictures of this size");
      auto mapped = map_shared_pool(received.descriptors.front().get(), given.slot_bytes, given.slots);
      if (!mapped) return tl::unexpected(mapped.error());
      pool_ = *std::move(mapped);
      pool_number_ = given.number;
    }
    return pool_->take();
  }

  void pass_on(const Frame& frame) {
    pool_->lend(frame.pixels);
    asker_.say(SentFrame{pool_number_, static_cast<std::uint32_t>(pool_->number_of(frame.pixels)),
                         frame.captured, frame.error_bound, frame.width, frame.height, frame.stride,
                         frame.scene_change, handled(frame.trace)});
  }
  void pass_on(AudioBlock& block) {
    asker_.say(SentSound{block.start, block.error_bound, block.sample_rate, std::move(block.samples),
                         handled(block.trace)});
  }
  void pass_on(TextLine& line) {
    asker_.say(SentLine{line.start, line.end, line.error_bound, std::move(line.text), handled(line.trace)});
  }
  static void pass_on(const Reading&) {}  // logs are read in the asker's process
  void pass_on(const Bound& bound) { asker_.say(SentBound{bound.stream, bound.nothing_before}); }
  void pass_on(const Damage& damage) {
    asker_.say(SentDamage{damage.at, fitting(damage.error), damage.notice});
  }

  const Open& asked_;
  Asker asker_;
  RealClock clock_;
  SteadyTime start_{};
  std::unique_ptr<SlotPool> pool_;
  std::uint32_t pool_number_ = 0;
};

}  // namespace

int decode_input(const Open& asked, const OpenSource& open, bool has_spool, bool own_namespaces) {
  set_log_level(asked.verbose ? LogLevel::kDebug : LogLevel::kOff);
  Confinement confinement = confine({asked.memory_bytes, asked.computing, has_spool || asked.verbose});
  confinement.namespaces = own_namespaces;
  if (!confinement.filter) return kUnconfined;
  try {
    return Decoding(asked).run(open, has_spool, confinement);
  } catch (const std::bad_alloc&) {
    return kNoMemory;
  } catch (const std::exception&) {
    return kUncaught;
  }
}

}  // namespace braid::ingest::isolate
