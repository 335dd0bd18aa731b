#include "sound.h"

extern "C" {
#include <libavutil/channel_layout.h>
#include <libavutil/opt.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace braid::ingest::ffmpeg {

namespace {

constexpr Nanoseconds kTolerance = Milliseconds(40);
constexpr Nanoseconds kStep = Milliseconds(1);
constexpr Nanoseconds kSlack = Milliseconds(3);    // containers round their times
constexpr int kMinRate = 2000, kMaxRate = 768000;  // Hz
constexpr Nanoseconds kSample{1'000'000'000 / SoundConverter::kRate};

}  // namespace

SessionTime SoundConverter::expected() const {
  return format_.rate > 0 ? anchor_ + Nanoseconds(av_rescale(samples_in_, 1'000'000'000, format_.rate))
                          : anchor_;
}

SessionTime SoundConverter::output_end() const { return anchor_ + samples_out_ * kSample; }

SessionTime SoundConverter::held_from() const {
  if (!resampler_) return SessionTime::max();
  return block_.empty() ? output_end() : block_start_;
}

Status SoundConverter::push(const AVFrame& frame, SessionTime start) {
  const Format format{frame.format, frame.sample_rate, frame.ch_layout.nb_channels,
                      frame.ch_layout.order == AV_CHANNEL_ORDER_NATIVE ? frame.ch_layout.u.mask : 0};
  if (!resampler_ || format != format_) {
    const SessionTime seamless = resampler_ ? expected() : start;
    finish();
    if (auto opened = open(frame, format); !opened) return opened;
    const bool joins = std::chrono::abs(start - seamless) <= kTolerance;
    begin_stretch(joins ? std::max(seamless, output_end()) : start);
  } else if (std::chrono::abs(start - expected()) > kTolerance) {
    finish();
    if (auto opened = open(frame, format); !opened) return opened;
    begin_stretch(start);
  } else if (follows_ && std::chrono::abs(start - expected()) > kSlack) {
    const Nanoseconds step = std::clamp<Nanoseconds>(start - expected(), -kStep, kStep);
    anchor_ += step;
    if (step < Nanoseconds::zero()) skip_ += -step / kSample;  // blocks don't overlap
  }
  samples_in_ += frame.nb_samples;
  convert(frame.extended_data, frame.nb_samples);
  return {};
}

Status SoundConverter::open(const AVFrame& frame, const Format& format) {
  resampler_.reset();
  if (format.rate < kMinRate || format.rate > kMaxRate || format.channels < 1)
    return fail(ErrorCode::kUnsupported,
                fmt::format("sound of {} Hz with {} channels; expected {} to {} Hz and at "
                            "least one channel",
                            format.rate, format.channels, kMinRate, kMaxRate));
  AVChannelLayout mono = AV_CHANNEL_LAYOUT_MONO, layout{};
  if (format.mask != 0)
    av_channel_layout_from_mask(&layout, format.mask);
  else
    av_channel_layout_default(&layout, format.channels);
  SwrContext* context = nullptr;
  int error = swr_alloc_set_opts2(&context, &mono, AV_SAMPLE_FMT_FLT, kRate, &layout,
                                  static_cast<AVSampleFormat>(format.sample_format), format.rate, 0, nullptr);
  resampler_.reset(context);
  if (error >= 0) {
    av_opt_set_double(context, "rematrix_maxval", 1.0, 0);  // the mean of channels, not their sum
    if (layout.order != AV_CHANNEL_ORDER_NATIVE) {
      const std::vector<double> mean(format.channels, 1.0 / format.channels);
      swr_set_matrix(context, mean.data(), format.channels);
    }
    error = swr_init(context);
  }
  av_channel_layout_uninit(&layout);
  if (error >= 0) {
    format_ = format;
    return {};
  }
  resampler_.reset();
  return fail(
      ErrorCode::kUnsupported,
      fmt::format(
          "sound of {} Hz, {} channels, {} can't be resampled ({})", format.rate, format.channels,
          frame.format < 0 ? "no format" : av_get_sample_fmt_name(static_cast<AVSampleFormat>(frame.format)),
          error_text(error)));
}

/// A stretch never reaches back over what is already out.
void SoundConverter::begin_stretch(SessionTime start) {
  const SessionTime free_from = std::max({output_end(), kSessionStart, free_from_});
  anchor_ = start;
  samples_in_ = samples_out_ = 0;
  skip_ = start < free_from ? (free_from - start + kSample - Nanoseconds(1)) / kSample : 0;
}

void SoundConverter::convert(const std::uint8_t* const* samples, int count) {
  const int room = swr_get_out_samples(resampler_.get(), count);
  if (room <= 0) return;
  scratch_.resize(static_cast<std::size_t>(room));
  auto* out = reinterpret_cast<std::uint8_t*>(scratch_.data());
  auto** in = const_cast<const std::uint8_t**>(samples);
  const int made = swr_convert(resampler_.get(), &out, room, in, count);
  if (made > 0) keep(scratch_.data(), static_cast<std::size_t>(made));
}

void SoundConverter::keep(const float* samples, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i, ++samples_out_) {
    if (skip_ > 0) {
      --skip_;
      continue;
    }
    if (block_.empty()) block_start_ = output_end();
    block_.push_back(std::isfinite(samples[i]) ? std::clamp(samples[i], -1.0F, 1.0F) : 0.0F);
    if (block_.size() < block_samples_) continue;
    ready_.push_back({{}, block_start_, kRate, std::move(block_), {}});
    block_ = {};
    block_.reserve(block_samples_);
  }
}

void SoundConverter::finish() {
  if (!resampler_) return;
  convert(nullptr, 0);
  resampler_.reset();
  cut_block();
}

void SoundConverter::cut_block() {
  if (block_.empty()) return;
  ready_.push_back({{}, block_start_, kRate, std::move(block_), {}});
  block_ = {};
}

bool SoundConverter::pop(AudioBlock& block) {
  if (next_ready_ == ready_.size()) {
    ready_.clear();
    next_ready_ = 0;
    return false;
  }
  block = std::move(ready_[next_ready_++]);
  return true;
}

}  // namespace braid::ingest::ffmpeg
