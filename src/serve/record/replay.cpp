#include "record/replay.h"

#include <fmt/format.h>

#include <exception>
#include <type_traits>
#include <utility>

#include "record/replay_stages.h"

namespace braid::serve {

namespace {

/// All stages, joined.
class Replay {
 public:
  Replay(Recording& recording, const ReplayOptions& options)
      : recording_(recording),
        opened_(recording.opened()),
        clock_(opened_.at - (opened_.begins - kSessionStart)),
        engine_(options.model ? time_engine(std::move(*options.model), clock_, step_)
                              : make_recorded_engine(recording, clock_, step_)),
        speech_(make_recorded_speech(recording)),
        loop_(engine_, clock_, opened_.host),
        sync_(opened_, clock_, speech_.get(), report_),
        encode_(opened_, engine_, loop_.arbiter(), clock_, report_),
        options_(options) {}

  Result<ReplayReport> run() {
    auto promise = loop_.promise(cells_needed(opened_.options), kSequencesNeeded);
    if (!promise) return tl::unexpected(promise.error());
    clock_.set(opened_.at);
    work_.emplace(opened_, loop_, std::move(*promise), clock_, step_, options_, report_);
    Status same = read();
    if (same && recording_.ended() && !recording_.lost()) same = finished();
    if (!same && same.error().code != ErrorCode::kMismatch) return tl::unexpected(same.error());
    if (!same) report_.difference = same.error().message;
    return report_;
  }

 private:
  Status read() {
    while (true) {
      auto event = recording_.next();
      if (!event) return tl::unexpected(event.error());
      if (!*event) return {};
      std::visit([this](auto&& one) { take(std::forward<decltype(one)>(one)); }, std::move(**event));
      Status same = sync_.compare();
      if (same) same = encode_.handle(sync_.out());
      if (same) same = work_->go_on(encode_.out());
      if (same && step_.difference) same = fail(ErrorCode::kMismatch, *step_.difference);
      if (!same) return same;
    }
  }

  Status finished() const {
    Status same = sync_.finished();
    if (same) same = encode_.finished();
    return same ? work_->finished() : same;
  }

  template <class Event>
  void take(Event&& event) {
    using Plain = std::decay_t<Event>;
    if constexpr (requires { sync_.take(std::forward<Event>(event)); }) {
      sync_.take(std::forward<Event>(event));
    } else if constexpr (std::is_same_v<Plain, LetOut>) {
      sync_.told(event);
    } else if constexpr (std::is_same_v<Plain, Handled>) {
      encode_.told(event);
    } else if constexpr (requires { work_->told(std::forward<Event>(event)); }) {
      work_->told(std::forward<Event>(event));
    }
  }

  Recording& recording_;
  const Opened& opened_;
  ReplayReport report_;
  ReplayedStep step_;
  ReplayClock clock_;
  engine::Engine engine_;
  std::unique_ptr<sync::SpeechDetectorFactory> speech_;
  std::optional<ReplayedWork> work_;  // the loop's client looks at it to its end
  StepLoop loop_;
  ReplayedSync sync_;
  ReplayedEncode encode_;
  const ReplayOptions& options_;
};

}  // namespace

Result<ReplayReport> replay(Recording& recording, const ReplayOptions& options) {
  try {
    return Replay(recording, options).run();
  } catch (const std::exception& error) {
    // What a recording says may be whole and yet nothing that a session could have done.
    return fail(ErrorCode::kBadInput, fmt::format("the recording can't be replayed: {}", error.what()));
  }
}

}  // namespace braid::serve
