#include "reopening.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace braid::ingest::ffmpeg {

Nanoseconds Backoff::next(Nanoseconds held) {
  last_ = held > last_ ? kFirst : std::clamp(2 * last_, kFirst, kLongest);
  return last_;
}

Reopening::Reopening(SourceSpec spec, IngestOptions options, Clock& clock,
                     std::shared_ptr<const std::atomic<bool>> stopped)
    : spec_(std::move(spec)), options_(std::move(options)), clock_(clock), since_(clock.now()) {
  options_.give_up = std::move(stopped);
}

bool Reopening::wanted() const {
  const bool address = spec_.transport == Transport::kRtsp || spec_.transport == Transport::kHttp;
  return spec_.live && address && spec_.reconnect != Nanoseconds{};
}

Result<Reopening::Line> Reopening::attempt(const std::array<bool, kStreamKinds>& announced) const {
  auto input = Input::open(spec_, options_, clock_);
  if (!input) return tl::unexpected(input.error());
  auto streams = choose_streams(**input, spec_, options_);
  if (!streams) return tl::unexpected(streams.error());
  std::erase_if(streams->tracks,
                [&](const auto& track) { return !announced[static_cast<std::size_t>(track->kind())]; });
  if (streams->tracks.empty())
    return fail(ErrorCode::kUnsupported,
                fmt::format("{}: is {} now, with nothing of what it sent before; open it as another source",
                            spec_.target, streams->description));
  return Line{*std::move(input), *std::move(streams), 0};
}

Result<Reopening::Line> Reopening::open(Pacer& pacer, const std::array<bool, kStreamKinds>& announced,
                                        const Complain& complain) {
  const SteadyTime lost = pacer.now();
  Nanoseconds held = lost - since_;
  std::string told;
  for (int attempts = 1;; ++attempts) {
    const SteadyTime next = pacer.now() + backoff_.next(std::exchange(held, Nanoseconds{}));
    if (!pacer.wait_until(next)) return fail(ErrorCode::kCancelled, spec_.target + ": stopped");
    auto line = attempt(announced);
    if (line) {
      line->attempts = attempts;
      since_ = pacer.now();
      return line;
    }
    const bool patient = !spec_.reconnect || pacer.now() - lost < *spec_.reconnect;
    if (pacer.stopped() || !patient) return line;
    if (std::exchange(told, line.error().message) == line.error().message) continue;
    if (!complain(line.error())) return line;
  }
}

}  // namespace braid::ingest::ffmpeg
