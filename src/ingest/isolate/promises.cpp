#include "isolate/promises.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "braid/base/utf8.h"

namespace braid::ingest::isolate {

namespace {

constexpr Nanoseconds kLongest = std::chrono::hours(24 * 365 * 60);  // sums of a few of these don't run over
constexpr int kRate = 16000;
constexpr float kLoudest = 64.0F;
constexpr int kRowPadding = 256;  // bytes

template <class... Args>
tl::unexpected<Error> wrong(fmt::format_string<Args...> format, Args&&... args) {
  return fail(ErrorCode::kBadInput, fmt::format(format, std::forward<Args>(args)...));
}

bool sane(Nanoseconds d) { return d >= Nanoseconds{} && d <= kLongest; }
bool sane(SessionTime at) { return sane(at.time_since_epoch()); }

Status words(const std::string& text, std::size_t most) {
  if (text.size() > most) return wrong("a text of {} bytes; at most {} are right", text.size(), most);
  if (to_valid_utf8(text) != text) return wrong("a text that isn't UTF-8");
  return {};
}

}  // namespace

Promises::Promises(const IngestOptions& options)
    : max_side_(options.max_frame_side > 0 ? options.max_frame_side : options.limits.max_side) {
  last_.fill(SessionTime::min());
  bounds_.fill(SessionTime::min());
}

std::size_t Promises::most_slot_bytes() const {
  const auto side = static_cast<std::size_t>(max_side_);
  return (3 * side + kRowPadding) * side + kRowPadding;
}

std::size_t Promises::bytes_of(const SentFrame& frame) {
  return static_cast<std::size_t>(frame.stride) * static_cast<std::size_t>(frame.height);
}

Status Promises::check(const Opened& opened) const {
  if (!sane(opened.duration)) return wrong("a length of {} s", to_seconds(opened.duration));
  return words(opened.description, kMaxWords);
}

Status Promises::check(const Error& error) const { return words(error.message, kMaxWords); }

Status Promises::in_order(StreamKind stream, SessionTime at, const char* what) {
  const auto index = static_cast<std::size_t>(stream);
  if (!sane(at)) return wrong("{} at {} s", what, to_seconds(at));
  if (at < bounds_[index] || at < last_[index])
    return wrong("{} at {} s, after it promised that nothing before {} s would come", what, to_seconds(at),
                 to_seconds(std::max(bounds_[index], last_[index])));
  last_[index] = at;
  return {};
}

Status Promises::check(const SentFrame& frame) {
  if (frame.width < 1 || frame.height < 1 || frame.width > max_side_ || frame.height > max_side_ ||
      frame.stride < 3 * frame.width || frame.stride > 3 * frame.width + kRowPadding)
    return wrong("a frame of {}x{} in rows of {} bytes; 1 to {} px a side are right", frame.width,
                 frame.height, frame.stride, max_side_);
  if (!sane(frame.error_bound)) return wrong("a frame of no certain time");
  return in_order(StreamKind::kVideo, frame.captured, "a frame");
}

Status Promises::check(const SentSound& sound) {
  if (sound.sample_rate != kRate || sound.samples.empty() || sound.samples.size() > kMaxSamples)
    return wrong("{} samples of {} Hz; 1 to {} of {} Hz are right", sound.samples.size(), sound.sample_rate,
                 kMaxSamples, kRate);
  const auto fits = [](float sample) { return std::abs(sample) <= kLoudest; };  // NaN doesn't
  if (!std::all_of(sound.samples.begin(), sound.samples.end(), fits)) return wrong("samples that are none");
  if (!sane(sound.error_bound)) return wrong("sound of no certain time");
  return in_order(StreamKind::kAudio, sound.start, "sound");
}

Status Promises::check(const SentLine& line) {
  if (line.text.empty() || line.text.find('\n') != std::string::npos || line.start > line.end ||
      line.start < SessionTime(-kLongest) || !sane(line.error_bound))
    return wrong("a line that is none");
  if (auto fits = words(line.text, kMaxWords); !fits) return fits;
  return in_order(StreamKind::kText, line.end, "a line");
}

Status Promises::check(const SentBound& bound) {
  SessionTime& promised = bounds_[static_cast<std::size_t>(bound.stream)];
  if (bound.nothing_before != SessionTime::max() && bound.nothing_before > SessionTime(kLongest))
    return wrong("a bound at {} s", to_seconds(bound.nothing_before));
  promised = std::max(promised, bound.nothing_before);
  return {};
}

Status Promises::check(const SentDamage& damage) const {
  if (damage.at < SessionTime(-kLongest) || damage.at > SessionTime(kLongest))
    return wrong("damage at {} s", to_seconds(damage.at));
  return check(damage.error);
}

}  // namespace braid::ingest::isolate
