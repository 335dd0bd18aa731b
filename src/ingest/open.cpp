#include "braid/ingest/open.h"

#include <fmt/format.h>

#include <cmath>

#include "ffmpeg/media_source.h"
#include "ffmpeg/subtitle_source.h"
#include "isolate/isolated_source.h"
#include "isolate/workers.h"
#include "kind.h"
#include "log_source.h"
#include "shifted_source.h"

namespace braid::ingest {

namespace {

Status check(const IngestOptions& options) {
  if (!(std::isfinite(options.fps) && options.fps > 0 && std::isfinite(options.max_fps) &&
        options.max_fps > 0))
    return fail(ErrorCode::kUsage,
                fmt::format("frames per second are {} and at most {}; expected numbers above 0", options.fps,
                            options.max_fps));
  if (options.max_frame_side < 0 || options.limits.max_side < 1 || options.limits.max_pixels < 1 ||
      options.limits.max_streams < 1 || options.frame_slots < 1 ||
      options.limits.max_duration < Nanoseconds{} || options.limits.max_unpacked_bytes < 1 ||
      options.limits.max_probe_bytes < 1 || options.network_timeout <= Nanoseconds{})
    return fail(
        ErrorCode::kUsage,
        "an ingest limit is 0 or less; expected at least 1 (max_frame_side and max_duration may be 0)");
  return {};
}

}  // namespace

Status prepare_isolation(const Isolation& isolation) {
  if (!isolation.on) return {};
  auto workers = isolate::Workers::of(isolation.worker);
  if (!workers) return tl::unexpected(workers.error());
  return (*workers)->prepare();
}

namespace {

Result<std::unique_ptr<Source>> open_unshifted(const SourceSpec& spec, const IngestOptions& options,
                                               Clock& clock) {
  SourceSpec settled = spec;
  if (settled.kind == SourceKind::kAuto) settled.kind = guess_kind(spec);
  const bool ours = settled.kind == SourceKind::kText || settled.kind == SourceKind::kSensor;
  if (!ours && spec.isolate.value_or(options.isolation.on) && isolate::can_isolate(spec))
    return isolate::open_isolated(settled, options, clock);
  switch (settled.kind) {
    case SourceKind::kSubtitle:
      return ffmpeg::open_subtitles(settled, options, clock);
    case SourceKind::kText:
    case SourceKind::kSensor:
      return open_log(settled, options, clock);
    default:
      return ffmpeg::open_media(settled, options, clock);
  }
}

}  // namespace

Result<std::unique_ptr<Source>> open_source(const SourceSpec& spec, const IngestOptions& options,
                                            Clock& clock) {
  if (auto sound = check(options); !sound) return tl::unexpected(sound.error());
  auto source = open_unshifted(spec, options, clock);
  if (source && spec.shift != Nanoseconds::zero()) return shift_source(std::move(*source), spec.shift);
  return source;
}

}  // namespace braid::ingest
