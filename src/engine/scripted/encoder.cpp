#include "scripted/encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "braid/engine/scripted_media.h"

namespace braid::engine::scripted {

namespace {

constexpr int kInstances = 1 << 24;  // whole numbers that a float holds exactly

double seconds_of(const Utterance& utterance) {
  return static_cast<double>(utterance.samples.size()) / utterance.sample_rate;
}

// Rising zero crossings a second, to the nearest 10.
std::string describe_sound(const Utterance& utterance) {
  int crossings = 0;
  float loudest = 0.0F;
  for (std::size_t i = 1; i < utterance.samples.size(); ++i) {
    crossings += utterance.samples[i - 1] < 0.0F && utterance.samples[i] >= 0.0F;
    loudest = std::max(loudest, std::abs(utterance.samples[i]));
  }
  if (loudest < 0.001F) return "silence";
  return fmt::format("a tone of {:.0f} Hz", std::round(crossings / seconds_of(utterance) / 10.0) * 10.0);
}

std::string label_of_sound(const Utterance& utterance, const std::vector<HeardText>& heard) {
  std::string text;
  for (const HeardText& span : heard) {
    const bool overlaps = span.start < utterance.end && utterance.start < span.end;
    if (!overlaps || (span.source.valid() && span.source != utterance.source)) continue;
    text += (text.empty() ? "" : " ") + span.text;
  }
  return text.empty() ? describe_sound(utterance) : text;
}

}  // namespace

Result<std::vector<Prompt>> ScriptedEncoder::encode(std::span<const Medium> batch) {
  ++calls_;
  Nanoseconds total{};
  for (const Medium& medium : batch) {
    if (const Status fits = check(medium); !fits) return tl::unexpected(fits.error());
    total += cost(medium);
  }
  ScriptedCall call{ScriptedCall::Kind::kEncode, state_->clock.now(), {}, {}};
  state_->clock.sleep_for(total);
  call.end = state_->clock.now();
  state_->log_call(call);
  const auto& failing = state_->options.failing_encodes;
  if (std::find(failing.begin(), failing.end(), calls_) != failing.end())
    return fail(ErrorCode::kBadInput, fmt::format("encode call {} fails, as the script says", calls_));
  std::vector<Prompt> prompts;
  for (const Medium& medium : batch) prompts.push_back(encode_one(medium));
  return prompts;
}

Status ScriptedEncoder::check(const Medium& medium) const {
  if (const auto* frame = std::get_if<const Frame*>(&medium)) {
    if (!state_->options.sees) return fail(ErrorCode::kUnsupported, "this model doesn't see");
    if (!(*frame)->pixels || (*frame)->width < 1 || (*frame)->height < 1)
      return fail(ErrorCode::kBadInput,
                  fmt::format("a picture of {}x{} without pixels", (*frame)->width, (*frame)->height));
    return {};
  }
  if (!state_->options.hears) return fail(ErrorCode::kUnsupported, "this model doesn't hear");
  const Utterance& utterance = *std::get<const Utterance*>(medium);
  if (utterance.samples.empty() || utterance.sample_rate < 1)
    return fail(ErrorCode::kBadInput, "an utterance without samples");
  return {};
}

Nanoseconds ScriptedEncoder::cost(const Medium& medium) const {
  const ScriptedOptions& options = state_->options;
  Nanoseconds declared = options.frame_encode_cost;
  if (const auto* utterance = std::get_if<const Utterance*>(&medium))
    declared = from_seconds(to_seconds(options.utterance_encode_cost) * seconds_of(**utterance));
  return options.extra_encode_cost ? declared + options.extra_encode_cost(medium) : declared;
}

Prompt ScriptedEncoder::encode_one(const Medium& medium) {
  const ScriptedOptions& options = state_->options;
  const auto* frame = std::get_if<const Frame*>(&medium);
  MediumRow row;
  row.instance = next_instance_;
  next_instance_ = (next_instance_ + 1) % kInstances;
  if (frame) {
    row.label = state_->labels.intern(label_of(**frame).value_or("a picture"));
    row.rows = options.rows_per_frame;
  } else {
    const Utterance& utterance = *std::get<const Utterance*>(medium);
    row.modality = Modality::kAudio;
    row.label = state_->labels.intern(label_of_sound(utterance, options.heard));
    row.rows = std::max(1, static_cast<int>(std::ceil(options.rows_per_second * seconds_of(utterance))));
  }
  EmbeddingRun run;
  run.rows = std::make_shared<Matrix>(make_rows(row, options.dim));
  run.positions = row.rows;
  run.indivisible = frame && options.indivisible_media;
  Prompt prompt;
  prompt.append(TokenRun{frame ? kImage : kSound});
  prompt.pieces.emplace_back(std::move(run));
  prompt.append(TokenRun{frame ? kImageEnd : kSoundEnd});
  std::lock_guard lock(state_->mutex);
  ++(frame ? state_->frames : state_->utterances);
  return prompt;
}

std::uint64_t ScriptedEncoder::encoded_frames() const {
  std::lock_guard lock(state_->mutex);
  return state_->frames;
}

std::uint64_t ScriptedEncoder::encoded_utterances() const {
  std::lock_guard lock(state_->mutex);
  return state_->utterances;
}

int ScriptedEncoder::frame_rows(int, int) const { return state_->options.rows_per_frame; }

}  // namespace braid::engine::scripted
