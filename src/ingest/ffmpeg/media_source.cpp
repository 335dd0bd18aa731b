#include "media_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "input.h"
#include "live_times.h"
#include "log_capture.h"
#include "outlet.h"
#include "packet_queue.h"
#include "reopening.h"
#include "streams.h"
#include "time_repair.h"

namespace braid::ingest::ffmpeg {

namespace {

constexpr Nanoseconds kLookahead = PacketQueue::kInterleave + Milliseconds(200);
constexpr int kMaxReadErrors = 64;  // in a row

class MediaSource final : public Source {
 public:
  MediaSource(std::unique_ptr<Input> input, Streams streams, const SourceSpec& spec,
              const IngestOptions& options, Clock& clock)
      : input_(std::move(input)),
        streams_(std::move(streams)),
        spec_(spec),
        options_(options),
        pacer_(clock),
        reopening_(spec, options, clock, stopped_),
        queue_(spec.live || spec.transport == Transport::kPipe ? Nanoseconds{} : kLookahead) {
    info_.name = spec.name;
    info_.live = spec.live;
    info_.may_stall = input_->may_stall() || spec.transport == Transport::kHttp;
    info_.duration = spec.live ? Nanoseconds{} : streams_.duration;
    info_.description = streams_.description;
    if (spec.live)
      info_.description += "; times from arrival";
    else if (streams_.origin_ns != 0)
      info_.description +=
          fmt::format("; session 0 is {:.3f} s", to_seconds(Nanoseconds(streams_.origin_ns)));
    for (const auto& track : streams_.tracks) {
      info_.streams[static_cast<std::size_t>(track->kind())] = true;
      if (spec.transport == Transport::kFile && !input_->may_stall()) queue_.expect(track->kind());
    }
  }

  const SourceInfo& info() const override { return info_; }

  void stop() override {
    pacer_.stop();
    *stopped_ = true;
    std::lock_guard lock(input_mutex_);
    if (input_) input_->stop();
  }

  Status run(SourceId id, const PacketSink& sink) override {
    const SteadyTime start = options_.session_start ? options_.session_start() : pacer_.now();
    Outlet outlet(id, sink, pacer_,
                  {.realtime = options_.realtime && !spec_.live,
                   .live = spec_.live,
                   .longest = spec_.live ? Nanoseconds{} : options_.limits.max_duration},
                  start);
    take_last_complaint();  // of another source that this thread read
    // A camera's opening complains of what it then does otherwise.
    if (!input_->complaint().empty() && spec_.transport != Transport::kRtsp)
      outlet.damage(kSessionStart, ErrorCode::kBadInput, "opening",
                    fmt::format("{}: its beginning is damaged ({}); what can be made out is used",
                                spec_.target, input_->complaint()));
    if (!spec_.live) {
      times_ = TimeMap{streams_.origin_ns, kSessionStart};
      repair_.begins_at(Nanoseconds(streams_.origin_ns));
    }
    if (spec_.live && options_.clocks)
      live_times_.emplace(options_.clocks(spec_.name), spec_.synced, options_.unix_us);
    for (const auto& error : streams_.unusable)
      outlet.damage(kSessionStart, error.code, "stream", error.message);
    while (outlet.open()) {
      read_ahead(outlet);
      if (queue_.empty() ? !come_back(outlet) : !decode_next(outlet)) break;
    }
    finish(outlet);
    return outcome(outlet);
  }

 private:
  /// Fills the queue until its first packet may go.
  void read_ahead(Outlet& outlet) {
    while (!ended_ && outlet.open() && !queue_.ready()) {
      const SteadyTime begun = pacer_.now();
      PacketPtr packet = queue_.blank();
      const int error = input_->read(*packet);
      if (error < 0) {
        queue_.recycle(std::move(packet));
        on_read_error(error, outlet);
        continue;
      }
      read_errors_ = 0;
      if (!told_of(*packet, outlet)) return;
      Track* track = streams_.of(packet->stream_index);
      if (!track) {
        queue_.recycle(std::move(packet));
        continue;
      }
      const SessionTime at = place(*packet, *track, outlet);
      if (!report_gap(at, outlet)) return;
      if (outlet.past_end(at)) {
        queue_.recycle(std::move(packet));
        ended_ = true;
        outlet.too_long(spec_.target);
        return;
      }
      const SessionTime due = at + sound_length(*packet, *track);
      end_ = std::max(end_, end_of(*packet, at));
      if (at > queue_.furthest()) last_step_ = at - queue_.furthest();
      queue_.push({std::move(packet), track->kind(), at, due, pacer_.now() - begun});
    }
  }

  /// Reports what was read though not all of it was well. False: stop reading.
  bool told_of(const AVPacket& packet, Outlet& outlet) const {
    const std::string complaint = take_last_complaint();
    const bool whole = !(packet.flags & AV_PKT_FLAG_CORRUPT) || input_->endless();
    // FFmpeg says so before it asks the server for the rest, which then came.
    const bool resumed = complaint.find("Stream ends prematurely") != std::string::npos;
    if ((complaint.empty() || resumed) && whole) return true;
    return outlet.damage(queue_.furthest(), ErrorCode::kBadInput, "bytes",
                         fmt::format("{}: bytes are missing or wrong ({}); what can be made out is used",
                                     spec_.target, complaint.empty() ? "a packet isn't whole" : complaint));
  }

  void on_read_error(int error, Outlet& outlet) {
    const std::string complaint = take_last_complaint();
    if (error == AVERROR(EAGAIN) && pacer_.wait_until(pacer_.now() + Milliseconds(5))) return;
    const bool over = error == AVERROR_EOF || error == AVERROR_EXIT;
    ended_ = over || ++read_errors_ >= kMaxReadErrors;
    const bool lost = error != AVERROR_INVALIDDATA;  // the bytes themselves can't be had
    if (over || (lost && reopening_.wanted())) {
      ended_ = true;
      if (error != AVERROR_EOF) failure_ = error;
      return;
    }
    outlet.damage(queue_.furthest(), ErrorCode::kBadInput, "reading",
                  fmt::format("{}: a part can't be read ({}); it is left out", spec_.target,
                              complaint.empty() ? error_text(error) : complaint));
    if (lost) ended_ = true;
    if (ended_) failure_ = error;
  }

  /// A camera's line that broke off is opened again. False: it was the end, or it can't be.
  bool come_back(Outlet& outlet) {
    if (!ended_ || !outlet.open() || !reopening_.wanted() || played_to_its_end()) return false;
    const Handling handling{pacer_.now(), pacer_.now()};
    for (const auto& track : streams_.tracks)
      if (!track->decode(nullptr, times_.value_or(TimeMap{}), handling, outlet)) return false;
    Gap gap{end_, failure_ == 0 ? "its sender closed the line" : error_text(failure_), 0};
    if (!outlet.damage(gap.from, ErrorCode::kNotFound, "line",
                       fmt::format("{}: broke off ({}); it is opened again", spec_.target, gap.reason)))
      return false;
    hold(nullptr);
    auto line = reopening_.open(pacer_, info_.streams, [&](const Error& error) {
      return outlet.damage(outlet.session(pacer_.now()), error.code, "opening again",
                           error.message + "; it is tried again");
    });
    if (!line) {
      lost_ = line.error();
      return false;
    }
    gap.attempts = line->attempts;
    gap_ = std::move(gap);
    take_over(*std::move(line));
    return outlet.open();
  }

  bool played_to_its_end() const {
    constexpr Nanoseconds kClose = std::chrono::seconds(1);
    const Nanoseconds length = streams_.duration;
    return failure_ == 0 && length > Nanoseconds{} &&
           furthest_read_ >= Nanoseconds(streams_.origin_ns) + length - kClose;
  }

  void hold(std::unique_ptr<Input> input) {
    std::lock_guard lock(input_mutex_);
    input_ = std::move(input);
    if (input_ && *stopped_) input_->stop();
  }

  void take_over(Reopening::Line line) {
    for (const auto& track : line.streams.tracks)
      for (const auto& old : streams_.tracks)
        if (old->kind() == track->kind()) track->goes_on_from(old->progress());
    streams_ = std::move(line.streams);
    hold(std::move(line.input));
    repair_ = {};
    furthest_read_ = Nanoseconds::min();
    times_.reset();
    if (live_times_) live_times_->restart();
    ended_ = false;
    failure_ = read_errors_ = 0;
  }

  /// Once something has come again.
  bool report_gap(SessionTime to, Outlet& outlet) {
    const auto gap = std::exchange(gap_, std::nullopt);
    if (!gap) return true;
    return outlet.damage(
        gap->from, ErrorCode::kNotFound, "gap",
        fmt::format("{}: nothing came from {:.3f} to {:.3f} s ({}; opened again at attempt {}); "
                    "it goes on as {}",
                    spec_.target, to_seconds(gap->from), to_seconds(to), gap->reason, gap->attempts,
                    streams_.description));
  }

  Nanoseconds packet_length(const AVPacket& packet) const {
    const AVStream& stream = *input_->format().streams[packet.stream_index];
    return std::clamp(Nanoseconds(to_ns(packet.duration, stream.time_base)), Nanoseconds{},
                      TimeRepair::kForward);
  }

  Nanoseconds sound_length(const AVPacket& packet, const Track& track) const {
    return track.kind() == StreamKind::kAudio ? packet_length(packet) : Nanoseconds{};
  }

  /// When a packet placed at `at` (by its decoding time) has been shown or heard to its end.
  SessionTime end_of(const AVPacket& packet, SessionTime at) const {
    const AVStream& stream = *input_->format().streams[packet.stream_index];
    const bool reordered = packet.pts != AV_NOPTS_VALUE && packet.dts != AV_NOPTS_VALUE;
    const Nanoseconds shown_later(reordered ? to_ns(packet.pts - packet.dts, stream.time_base) : 0);
    return at + std::clamp(shown_later, Nanoseconds{}, TimeRepair::kForward) + packet_length(packet);
  }

  /// Repairs the packet's times where its format can break off; gives its place in the session.
  SessionTime place(AVPacket& packet, const Track& track, Outlet& outlet) {
    const AVStream& stream = *input_->format().streams[packet.stream_index];
    const std::int64_t ticks = packet.dts != AV_NOPTS_VALUE ? packet.dts : packet.pts;
    const std::int64_t ns = to_ns(ticks, stream.time_base);
    if (ns == AV_NOPTS_VALUE) return std::max(track.progress(), last_at_[track.kind()]);
    furthest_read_ = std::max(furthest_read_, Nanoseconds(ns));
    const SessionTime arrival = outlet.session(pacer_.now());
    if (!times_) times_ = TimeMap{ns, std::max(kSessionStart, arrival)};
    Nanoseconds shift{};
    if (input_->format().iformat->flags & AVFMT_TS_DISCONT) {
      const Nanoseconds wrap(
          stream.pts_wrap_bits < 60 ? to_ns(std::int64_t{1} << stream.pts_wrap_bits, stream.time_base) : 0);
      shift = repair_.shift(packet.stream_index, Nanoseconds(ns), packet_length(packet), wrap);
      if (const Nanoseconds belated = repair_.take_belated(); belated != Nanoseconds{})
        queue_.move_newest(track.kind(), belated, stream.time_base);
      const std::int64_t shift_ticks =
          av_rescale_q(shift.count(), AVRational{1, 1'000'000'000}, stream.time_base);
      if (packet.pts != AV_NOPTS_VALUE) packet.pts += shift_ticks;
      if (packet.dts != AV_NOPTS_VALUE) packet.dts += shift_ticks;
    }
    if (live_times_) {
      const std::int64_t pts =
          packet.pts != AV_NOPTS_VALUE ? to_ns(packet.pts, stream.time_base) : ns + shift.count();
      if (const auto now = live_times_->follow(packet, pts, sound_length(packet, track), arrival))
        times_ = now;
    }
    return last_at_[track.kind()] = times_->at(ns + shift.count());
  }

  bool decode_next(Outlet& outlet) {
    PacketQueue::Entry entry = queue_.pop();
    Track& track = *streams_.of(entry.packet->stream_index);
    if (!track.counts() && !outlet.wait_for(entry.due)) return false;
    // Read ahead of need: the wait in the queue is nobody's time.
    const SteadyTime decoding = pacer_.now();
    const Handling handling{decoding - entry.reading, decoding};
    const bool goes_on = track.decode(entry.packet.get(), *times_, handling, outlet);
    queue_.recycle(std::move(entry.packet));
    if (!goes_on) return false;
    for (const auto& other : streams_.tracks)
      if (!after_step(*other, entry.at, handling, outlet)) return false;
    return !(input_->still() && track.kind() == StreamKind::kVideo && track.sent() > 0);
  }

  /// Lets out what a silent or ended stream holds back, and its promise.
  bool after_step(Track& track, SessionTime at, const Handling& handling, Outlet& outlet) {
    if (finished(track)) return true;
    if (ended_ && queue_.empty(track.kind())) return finish(track, handling, outlet);
    if (!track.fall_behind(at, handling, outlet)) return false;
    if (track.counts()) return outlet.bound(track.kind(), track.progress());
    const SessionTime to_come = std::min(queue_.nothing_before(track.kind()), track.held_from(at));
    return outlet.bound(track.kind(), std::max(track.progress(), to_come));
  }

  bool finished(const Track& track) const { return finished_[static_cast<std::size_t>(track.kind())]; }

  bool finish(Track& track, const Handling& handling, Outlet& outlet) {
    finished_[static_cast<std::size_t>(track.kind())] = true;
    if (!track.decode(nullptr, times_.value_or(TimeMap{}), handling, outlet)) return false;
    end_ = track.counts()
               ? track.progress()
               : std::max(end_, track.progress());  // a decoder may give more sound than its packets say
    const bool last = std::all_of(streams_.tracks.begin(), streams_.tracks.end(),
                                  [&](const auto& other) { return finished(*other); });
    if (last && !outlet.end(track.kind(), end_)) return false;
    return outlet.bound(track.kind(), SessionTime::max());
  }

  void finish(Outlet& outlet) {
    const Handling handling{pacer_.now(), pacer_.now()};
    for (const auto& track : streams_.tracks)
      if (!finished(*track) && outlet.open()) finish(*track, handling, outlet);
    report_early_end(outlet);
    outlet.flush_damage();
  }

  void report_early_end(Outlet& outlet) {
    if (!input_) return;
    AVFormatContext& format = input_->format();
    const bool trusted = !(format.iformat->flags & AVFMT_TS_DISCONT) && info_.duration > Nanoseconds{} &&
                         format.duration_estimation_method != AVFMT_DURATION_FROM_BITRATE;
    const Nanoseconds end = std::max(queue_.furthest(), end_).time_since_epoch();
    const Nanoseconds missing = info_.duration - end;
    // The last picture lasts about as long as the one before it.
    const Nanoseconds least =
        std::max({Nanoseconds(std::chrono::seconds(1)), info_.duration / 20, last_step_ * 3 / 2});
    if (!trusted || missing < least) return;
    outlet.damage(queue_.furthest(), ErrorCode::kBadInput, "end",
                  fmt::format("{}: ends at {:.2f} s, but its header promises {:.2f} s; the file is cut short",
                              spec_.target, to_seconds(end), to_seconds(info_.duration)));
  }

  Status outcome(const Outlet& outlet) const {
    if (!outlet.open()) return {};
    const bool any = std::any_of(streams_.tracks.begin(), streams_.tracks.end(),
                                 [](const auto& track) { return track->sent() > 0; });
    if (lost_) return tl::unexpected(*lost_);
    const bool has_sender = spec_.live || spec_.transport != Transport::kFile;
    if (failure_ != 0 && has_sender && (spec_.live || !any))
      return fail(
          ErrorCode::kNotFound,
          fmt::format("{}: broke off ({}); check that its sender runs", spec_.target, error_text(failure_)),
          true);
    if (!any)
      return fail(
          ErrorCode::kBadInput,
          fmt::format("{}: nothing in it could be decoded ({}); expected pictures or "
                      "sound; check it with ffprobe",
                      spec_.target,
                      failure_ == 0 ? info_.description : info_.description + ": " + error_text(failure_)));
    return {};
  }

  /// From where nothing came, and why.
  struct Gap {
    SessionTime from;
    std::string reason;
    int attempts = 0;
  };

  struct LastTimes {
    std::array<SessionTime, kStreamKinds> by_kind{};
    SessionTime& operator[](StreamKind kind) { return by_kind[static_cast<std::size_t>(kind)]; }
  };

  std::mutex input_mutex_;  // for stop(), while the input is exchanged
  std::unique_ptr<Input> input_;
  Streams streams_;
  SourceSpec spec_;
  IngestOptions options_;
  SourceInfo info_;
  Pacer pacer_;
  const std::shared_ptr<std::atomic<bool>> stopped_ = std::make_shared<std::atomic<bool>>(false);
  Reopening reopening_;
  std::optional<Gap> gap_;
  std::optional<Error> lost_;  // why it could not be opened again
  PacketQueue queue_;
  TimeRepair repair_;
  std::optional<TimeMap> times_;
  std::optional<LiveTimes> live_times_;
  LastTimes last_at_;
  SessionTime end_{};  // of all packets
  std::array<bool, kStreamKinds> finished_{};
  Nanoseconds last_step_{};                         // from the packet before the furthest to it
  Nanoseconds furthest_read_ = Nanoseconds::min();  // on the container's clock
  bool ended_ = false;
  int read_errors_ = 0;
  int failure_ = 0;  // AVERROR that ended reading
};

}  // namespace

Result<std::unique_ptr<Source>> open_media(const SourceSpec& spec, const IngestOptions& options,
                                           Clock& clock) {
  auto input = Input::open(spec, options, clock);
  if (!input) return tl::unexpected(input.error());
  auto streams = choose_streams(**input, spec, options);
  if (!streams) return tl::unexpected(streams.error());
  return std::make_unique<MediaSource>(*std::move(input), *std::move(streams), spec, options, clock);
}

}  // namespace braid::ingest::ffmpeg
