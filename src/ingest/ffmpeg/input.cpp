#include "input.h"

extern "C" {
#include <libavformat/avformat.h>
#include <libavutil/mem.h>
}

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "devices.h"
#include "formats.h"
#include "handed.h"
#include "log_capture.h"
#include "open_error.h"
#include "spool.h"

namespace braid::ingest::ffmpeg {

namespace {

constexpr int kPipeBuffer = 64 << 10;  // bytes
constexpr int kFileBuffer = 32 << 10;
constexpr std::size_t kHeadBytes = 4096;        // of a pipe, to see where an MP4's index is
constexpr std::int64_t kFormatBytes = 2 << 20;  // to tell the format; the rest tells its streams
constexpr std::int64_t kLeastProbe = 2048;      // FFmpeg takes no less
constexpr std::int64_t kStreamProbeUs = 5'000'000;
constexpr const char* kHttpPatience = "16";  // s between attempts, of 0, 1, 3, 7, 15
constexpr std::int64_t kLiveProbeUs = 1'000'000;

const char* protocols_of(const SourceSpec& spec) {
  switch (spec.transport) {
    case Transport::kFile:
      return "file";
    case Transport::kPipe:
      return "pipe";
    case Transport::kHttp:
      return "http,https,httpproxy,tcp,tls";
    case Transport::kRtsp:
      return "rtsp,rtsps,rtp,udp,tcp,tls,http,https";
    case Transport::kDevice:
      return "file";
  }
  return "";
}

int read_descriptor(void* opaque, std::uint8_t* to, int size) {
  const int descriptor = static_cast<int>(reinterpret_cast<std::intptr_t>(opaque));
  for (;;) {
    const ssize_t got = ::read(descriptor, to, static_cast<std::size_t>(size));
    if (got > 0) return static_cast<int>(got);
    if (got == 0) return AVERROR_EOF;
    if (errno != EINTR) return AVERROR(errno);
  }
}

std::int64_t seek_descriptor(void* opaque, std::int64_t offset, int whence) {
  const int descriptor = static_cast<int>(reinterpret_cast<std::intptr_t>(opaque));
  if (whence == AVSEEK_SIZE) {
    struct stat status {};
    return fstat(descriptor, &status) == 0 ? status.st_size : AVERROR(errno);
  }
  const off_t at = lseek(descriptor, offset, whence & ~AVSEEK_FORCE);
  return at >= 0 ? at : AVERROR(errno);
}

int read_pipe(void* opaque, std::uint8_t* to, int size) {
  const std::ptrdiff_t got = static_cast<Input*>(opaque)->read_bytes(to, static_cast<std::size_t>(size));
  if (got == 0) return AVERROR_EOF;
  return got > 0 ? static_cast<int>(got) : AVERROR(static_cast<int>(-got));
}

/// A file that is read opens no other.
int refuse_to_open(AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**) {
  return AVERROR(EPERM);
}

int interrupted(void* input) { return static_cast<Input*>(input)->must_return() ? 1 : 0; }

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

std::string us_text(Nanoseconds d) { return std::to_string(std::max<std::int64_t>(1, d.count() / 1000)); }

}  // namespace

Input::~Input() {
  format_.reset();
  if (!bytes_) return;
  if (own_bytes_) {
    av_freep(&bytes_->buffer);
    avio_context_free(&bytes_);
  } else {
    avio_closep(&bytes_);
  }
}

bool Input::must_return() const {
  return stopped_ || (give_up_ && *give_up_) || (open_until_ && clock_.now() > *open_until_);
}

void Input::stop() {
  stopped_ = true;
  if (pipe_) pipe_->stop();
}

int Input::read(AVPacket& packet) {
  av_packet_unref(&packet);
  const int result = av_read_frame(format_.get(), &packet);
  if (stopped_) return AVERROR_EXIT;
  const int lost = bytes_ ? bytes_->error : 0;  // demuxers take it for the end
  return result == AVERROR_EOF && lost < 0 && lost != AVERROR_EOF ? lost : result;
}

Status Input::open_pipe(const SourceSpec& spec, const IngestOptions& options) {
  auto reader = handed_ ? ByteReader::of(handed_->input, spec, clock_) : ByteReader::open(spec, clock_);
  if (!reader) return tl::unexpected(reader.error());
  pipe_ = *std::move(reader);
  if (options.pipe_timeout) open_until_ = clock_.now() + *options.pipe_timeout;
  pipe_->bound(options.give_up, open_until_);
  read_head();
  if (has_index_at_end(head_)) return spool_pipe(spec);
  auto* buffer = static_cast<unsigned char*>(av_malloc(kPipeBuffer));
  bytes_ = avio_alloc_context(buffer, kPipeBuffer, 0, this, read_pipe, nullptr, nullptr);
  own_bytes_ = true;
  return {};
}

Status Input::open_descriptor(int descriptor) {
  auto* buffer = static_cast<unsigned char*>(av_malloc(kFileBuffer));
  bytes_ = avio_alloc_context(buffer, kFileBuffer, 0, reinterpret_cast<void*>(std::intptr_t{descriptor}),
                              read_descriptor, nullptr, seek_descriptor);
  own_bytes_ = true;
  return {};
}

Status Input::open_bytes(const SourceSpec& spec, const IngestOptions& options) {
  bool pipe = spec.transport == Transport::kPipe;
  if (handed_) return pipe ? open_pipe(spec, options) : open_descriptor(handed_->input);
  if (spec.transport == Transport::kFile) {
    auto fifo = check_path(spec.target);
    if (!fifo) return tl::unexpected(fifo.error());
    pipe = *fifo;
  }
  if (pipe) return open_pipe(spec, options);
  Dictionary settings;
  settings.set("protocol_whitelist", protocols_of(spec));
  if (spec.transport == Transport::kHttp) {
    settings.set("rw_timeout", us_text(options.network_timeout));
    // Where the server can go on from a byte; a live one's line is opened anew.
    settings.set("reconnect", spec.live ? "0" : "1");
    settings.set("reconnect_delay_max", kHttpPatience);
  }
  const std::string url = spec.transport == Transport::kFile ? "file:" + spec.target : spec.address();
  const AVIOInterruptCB callback{interrupted, this};
  const int error = avio_open2(&bytes_, url.c_str(), AVIO_FLAG_READ, &callback, settings.get());
  if (error < 0) return open_error(spec, error);
  return spool_if_needed(spec);
}

void Input::read_head() {
  head_.resize(kHeadBytes);
  std::size_t filled = 0;
  while (filled < head_.size()) {
    const std::ptrdiff_t got = pipe_->read(head_.data() + filled, head_.size() - filled);
    if (got <= 0) break;
    filled += static_cast<std::size_t>(got);
  }
  head_.resize(filled);
}

std::ptrdiff_t Input::read_bytes(std::uint8_t* to, std::size_t size) {
  if (head_used_ == head_.size()) return pipe_->read(to, size);
  const std::size_t count = std::min(size, head_.size() - head_used_);
  std::memcpy(to, head_.data() + head_used_, count);
  head_used_ += count;
  return static_cast<std::ptrdiff_t>(count);
}

Status Input::open_spooled(const SourceSpec& spec, const Spool& spool) {
  const std::string url = "file:" + spool.path();
  const AVIOInterruptCB callback{interrupted, this};
  const int error = avio_open2(&bytes_, url.c_str(), AVIO_FLAG_READ, &callback, nullptr);
  if (error < 0) return open_error(spec, error);
  return {};
}

Status Input::spool_pipe(const SourceSpec& spec) {
  auto spool = Spool::fill(
      head_, [this](std::uint8_t* to, std::size_t size) { return pipe_->read(to, size); },
      handed_ ? dup(handed_->spool) : Spool::make_file());
  if (!spool) return tl::unexpected(spool.error());
  pipe_.reset();
  if (handed_) {
    lseek(handed_->spool, 0, SEEK_SET);
    return open_descriptor(handed_->spool);
  }
  return open_spooled(spec, *spool);
}

/// A server that can't go back, with what must be read from its end.
Status Input::spool_if_needed(const SourceSpec& spec) {
  if ((bytes_->seekable & AVIO_SEEKABLE_NORMAL) != 0 || spec.live) return {};
  head_.resize(kHeadBytes);
  head_.resize(static_cast<std::size_t>(std::max(0, avio_read(bytes_, head_.data(), kHeadBytes))));
  // Back inside FFmpeg's own buffer, which holds more than this.
  if (!has_index_at_end(head_)) {
    avio_seek(bytes_, 0, SEEK_SET);
    return {};
  }
  open_until_.reset();  // all of it may take its time, as long as something comes
  auto spool = Spool::fill(head_, [this](std::uint8_t* to, std::size_t size) -> std::ptrdiff_t {
    return avio_read(bytes_, to, static_cast<int>(size));
  });
  avio_closep(&bytes_);
  if (!spool) return tl::unexpected(spool.error());
  return open_spooled(spec, *spool);
}

/// By content first, so that a wrong ending does no harm; by name where content says nothing.
Status Input::probe(const SourceSpec& spec, const IngestOptions& options) {
  const auto most = static_cast<unsigned>(std::min(options.limits.max_probe_bytes, kFormatBytes));
  int score = av_probe_input_buffer2(bytes_, &chosen_, "", nullptr, 0, most);
  if (score < 0 && bytes_->seekable && avio_seek(bytes_, 0, SEEK_SET) >= 0)
    score = av_probe_input_buffer2(bytes_, &chosen_, spec.target.c_str(), nullptr, 0, most);
  // SubRip without its numbers has nothing else to be known by.
  if (score < 0 && spec.kind == SourceKind::kSubtitle) {
    chosen_ = av_find_input_format("srt");
    avio_seek(bytes_, 0, SEEK_SET);
    score = chosen_ ? 0 : score;
  }
  if (score == AVERROR_INVALIDDATA)
    return fail(
        ErrorCode::kBadInput,
        fmt::format("{}: nothing in its first {} bytes tells that it is media; expected video, sound or a "
                    "picture; check that the file is whole, or name what it is with kind=text or kind=sensor",
                    spec.target, most));
  if (score < 0) return open_error(spec, score);
  std::array<std::uint8_t, 256> buffer{};
  const int got = avio_read(bytes_, buffer.data(), buffer.size());
  avio_seek(bytes_, 0, SEEK_SET);  // inside FFmpeg's own buffer
  const auto head = std::span(buffer).first(static_cast<std::size_t>(std::max(0, got)));
  endless_ = is_wav_without_length(head);
  return check_format(*chosen_, head, spec.target);
}

Status Input::open_format(const SourceSpec& spec, const IngestOptions& options) {
  Dictionary settings;
  format_.reset(avformat_alloc_context());
  if (!format_) return fail(ErrorCode::kResource, "no memory for a media file's header");
  format_->pb = bytes_;
  if (bytes_) {
    format_->flags |= AVFMT_FLAG_CUSTOM_IO;
    format_->io_open = refuse_to_open;
    settings.set("format_whitelist", allowed_formats());
  }
  format_->interrupt_callback = {interrupted, this};
  format_->correct_ts_overflow = 0;  // TimeRepair does it
  settings.set("protocol_whitelist", protocols_of(spec));
  settings.set("max_streams", std::to_string(options.limits.max_streams));
  std::string url = spec.address();
  if (spec.transport == Transport::kFile) url = "file:" + url;
  if (spec.transport == Transport::kRtsp) {
    settings.set("rtsp_transport", "tcp+udp");
    settings.set("rtsp_flags", "prefer_tcp");
    settings.set("timeout", us_text(options.network_timeout));
    settings.set("fflags", "nobuffer");
  }
  if (spec.transport == Transport::kDevice) {
    if (auto loaded = load_devices(); !loaded) return loaded;
    silence_sound_cards();
    const std::size_t colon = spec.target.find(':');
    url = spec.target.substr(colon + 1);
    const std::string device = spec.target.substr(0, colon);
    chosen_ = av_find_input_format(device.c_str());
    if (!chosen_)
      return fail(
          ErrorCode::kUnsupported,
          fmt::format("{}: this FFmpeg has no {} support; install a build that has", spec.target, device));
  }
  AVFormatContext* format = format_.release();  // freed by FFmpeg if opening fails
  const int error = avformat_open_input(&format, url.c_str(), chosen_, settings.get());
  format_.reset(format);
  if (error < 0) return open_error(spec, error);
  return {};
}

Status Input::find_streams(const SourceSpec& spec, const IngestOptions& options) {
  if (format_->nb_streams > static_cast<unsigned>(options.limits.max_streams))
    return fail(ErrorCode::kLimit, fmt::format("{}: has {} streams; at most {} are read", spec.target,
                                               format_->nb_streams, options.limits.max_streams));
  format_->probesize = std::max<std::int64_t>(options.limits.max_probe_bytes, kLeastProbe);
  format_->max_analyze_duration = spec.live ? kLiveProbeUs : kStreamProbeUs;
  // Probing may decode; the limit holds there too.
  std::vector<AVDictionary*> settings(format_->nb_streams, nullptr);
  for (auto& setting : settings) av_dict_set_int(&setting, "max_pixels", options.limits.max_pixels, 0);
  const int error = avformat_find_stream_info(format_.get(), settings.empty() ? nullptr : settings.data());
  for (auto& setting : settings) av_dict_free(&setting);
  if (error < 0) return open_error(spec, error);
  return check_pictures(spec, options);
}

/// A still whose size only decoding tells, and that was refused there; and what else was said on the way.
Status Input::check_pictures(const SourceSpec& spec, const IngestOptions& options) {
  const std::string size = take_size_complaint();
  complaint_ = take_last_complaint();
  const bool empty = size.find("size 0x") != std::string::npos || size.find("x0 ") != std::string::npos;
  if (size.empty() || empty || format_->nb_streams != 1) return {};
  return fail(ErrorCode::kLimit,
              fmt::format("{}: a picture is too large ({}); at most {} px are decoded; scale it down first",
                          spec.target, size, options.limits.max_pixels));
}

Status Input::open_all(const SourceSpec& spec, const IngestOptions& options) {
  if (spec.transport != Transport::kRtsp && spec.transport != Transport::kDevice) {
    if (auto opened = open_bytes(spec, options); !opened) return opened;
    if (auto probed = probe(spec, options); !probed) return probed;
  }
  if (auto opened = open_format(spec, options); !opened) return opened;
  return find_streams(spec, options);
}

Result<std::unique_ptr<Input>> Input::open(const SourceSpec& spec, const IngestOptions& options,
                                           Clock& clock) {
  capture_log();
  take_last_complaint();
  take_size_complaint();
  av_max_alloc(
      static_cast<std::size_t>(options.limits.max_unpacked_bytes));  // the process's: that of who opened last
  std::unique_ptr<Input> input(new Input(clock));
  // A server that drips is never silent for long; this bounds it.
  const Nanoseconds patience = 3 * options.network_timeout;
  const bool remote = spec.transport == Transport::kRtsp || spec.transport == Transport::kHttp;
  if (remote) input->open_until_ = clock.now() + patience;
  input->give_up_ = options.give_up;
  input->handed_ = options.handed.get();
  const Status opened = input->open_all(spec, options);
  const bool given_up = options.give_up && *options.give_up;
  input->give_up_ = nullptr;
  input->handed_ = nullptr;
  if (given_up) return fail(ErrorCode::kCancelled, fmt::format("{}: opening it was given up", spec.target));
  const bool too_slow = input->open_until_ && input->must_return();
  input->open_until_.reset();
  if (input->pipe_) input->pipe_->bound(nullptr, std::nullopt);
  if (too_slow)
    return fail(
        ErrorCode::kNotFound,
        fmt::format("{}: has not sent enough to tell what it is within {:.0f} s; check its sender and the "
                    "network",
                    spec.target, to_seconds(remote ? patience : options.pipe_timeout.value_or(patience))),
        true);
  if (!opened) return tl::unexpected(opened.error());
  input->still_ = !input->pipe_ && ends_with(input->format_->iformat->name, "_pipe");
  return input;
}

}  // namespace braid::ingest::ffmpeg
