#include "utterance_cutter.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace braid::sync {

namespace {

constexpr int kFrame = SpeechDetector::kFrame;
constexpr int kMinRate = 1000;                                       // Hz; bounds what a block may grow to
constexpr int kMaxRate = 768'000;                                    // Hz, the highest in use
constexpr SessionTime kMaxTime{std::chrono::hours(24 * 365 * 100)};  // keeps sums of times from overflowing

std::int64_t to_samples(Nanoseconds d) { return d / SoundRun::kSample; }

bool possible(const AudioBlock& block) {
  return block.sample_rate >= kMinRate && block.sample_rate <= kMaxRate && block.start < kMaxTime &&
         block.start.time_since_epoch() > -kMaxTime.time_since_epoch();
}

// Values a detector must not see: one NaN would stay in its state.
float sane(float sample) { return std::isfinite(sample) ? std::clamp(sample, -1.0F, 1.0F) : 0.0F; }

}  // namespace

UtteranceCutter::UtteranceCutter(const SyncOptions& options, std::unique_ptr<SpeechDetector> detector,
                                 SyncCounts& counts)
    : options_(options), detector_(std::move(detector)), counts_(counts) {
  options_.max_utterance = std::max<Nanoseconds>(options_.max_utterance, Milliseconds(500));
  options_.preroll = std::clamp<Nanoseconds>(options_.preroll, {}, options_.max_utterance / 3);
  options_.end_silence = std::max<Nanoseconds>(options_.end_silence, kFrame * SoundRun::kSample);
  options_.postroll = std::clamp<Nanoseconds>(options_.postroll, {}, options_.end_silence);
}

void UtteranceCutter::push(const AudioBlock& block, std::vector<Utterance>& out) {
  if (!possible(block)) {
    ++counts_.bad_audio;
    return;
  }
  if (block.samples.empty()) return;
  source_ = block.source;
  if (!run_.continues_at(block.start) || block.sample_rate != resampler_.rate()) {
    end_run(out);
    start_run(block);
  }
  run_.anchor(block.start);
  error_bound_ = speech_ ? std::max(error_bound_, block.error_bound) : block.error_bound;
  resampled_.clear();
  resampler_.push(block.samples, resampled_);
  std::transform(resampled_.begin(), resampled_.end(), resampled_.begin(), sane);
  for (std::span<const float> rest(resampled_); !rest.empty();) {
    const auto missing = static_cast<std::size_t>(judged_ + kFrame - run_.end());
    const auto taken = rest.first(std::min(rest.size(), missing));
    run_.append(taken);
    rest = rest.subspan(taken.size());
    if (taken.size() == missing) take_frame(block.trace, out);
  }
  reached_ = std::max(reached_, run_.end_time());
  heard_ = std::max(heard_, speech_ ? bound() : run_.end_time());
}

void UtteranceCutter::promise(SessionTime nothing_before, std::vector<Utterance>& out) {
  if (!run_.empty() && nothing_before > run_.end_time() + SoundRun::kHole) end_run(out);
  reached_ = std::max(reached_, nothing_before);
}

void UtteranceCutter::finish(std::vector<Utterance>& out) { end_run(out); }

SessionTime UtteranceCutter::bound() const {
  if (!speech_) return reached_;
  return run_.time_of(std::min(speech_->last_voice, quietest_.earliest()));
}

void UtteranceCutter::start_run(const AudioBlock& block) {
  resampler_.restart(block.sample_rate);
  detector_->reset();
}

void UtteranceCutter::end_run(std::vector<Utterance>& out) {
  if (speech_) close(out);
  run_.clear();
  judged_ = 0;
  cut_to_ = 0;
  heard_ = SessionTime::min();
}

void UtteranceCutter::take_frame(const StageTrace& trace, std::vector<Utterance>& out) {
  const std::int64_t from = judged_;
  judged_ += kFrame;
  const float probability = detector_->probability(run_.view(from, judged_));
  if (!speech_ && probability >= options_.speech_threshold) open(from, trace);
  if (speech_) {
    if (probability >= options_.silence_threshold) {
      speech_->last_voice = judged_;
      speech_->trace = trace;
    }
    quietest_.follow(run_);
    if (judged_ - speech_->last_voice >= to_samples(options_.end_silence))
      close(out);
    else if (judged_ - speech_->start >= to_samples(options_.max_utterance))
      split(out);
  }
  run_.drop_before(speech_ ? speech_->start : judged_ - to_samples(options_.preroll));
}

void UtteranceCutter::open(std::int64_t first_voice, const StageTrace& trace) {
  const std::int64_t start = std::max({first_voice - to_samples(options_.preroll), cut_to_, run_.first()});
  speech_ = Speech{start, first_voice, first_voice, false, trace};
  const std::int64_t longest = to_samples(options_.max_utterance);
  quietest_.restart(start + longest - longest / 3, start + longest);
}

void UtteranceCutter::close(std::vector<Utterance>& out) {
  const Speech& speech = *speech_;
  if (!speech.continued && speech.last_voice - speech.first_voice < to_samples(options_.min_speech))
    ++counts_.noise_bursts;
  else
    cut(std::min({speech.last_voice + to_samples(options_.postroll), run_.end(),
                  speech.start + to_samples(options_.max_utterance)}),
        out);
  speech_.reset();
}

void UtteranceCutter::split(std::vector<Utterance>& out) {
  const std::int64_t at = quietest_.index();
  // Nothing but the silence after the speech would be left.
  const bool silent = judged_ > speech_->last_voice;
  if (silent && speech_->last_voice - at < to_samples(options_.min_speech)) return close(out);
  const Speech rest = *speech_;
  cut(at, out);
  open(at, rest.trace);
  speech_->last_voice = rest.last_voice;
  speech_->continued = true;
  quietest_.follow(run_);
}

void UtteranceCutter::cut(std::int64_t to, std::vector<Utterance>& out) {
  const auto samples = run_.view(speech_->start, to);
  Utterance& utterance = out.emplace_back();
  utterance.source = source_;
  utterance.start = run_.time_of(speech_->start);
  utterance.end = std::max(run_.time_of(to), heard_);  // a stamp that went back a little can't undo a bound
  utterance.error_bound = error_bound_;
  utterance.sample_rate = SpeechDetector::kSampleRate;
  utterance.samples.assign(samples.begin(), samples.end());
  utterance.trace = speech_->trace;
  cut_to_ = to;
}

}  // namespace braid::sync
