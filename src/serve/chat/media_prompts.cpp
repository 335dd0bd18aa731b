#include "chat/media_prompts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "braid/encode/prompt_format.h"
#include "chat/memory_file.h"

namespace braid::serve {

namespace {

// About the longest sound that speech models of this kind are made for in one piece.
constexpr Nanoseconds kOnePiece = Milliseconds(6000);

constexpr SourceId kOnlySource{0};

const char* to_string(MediaKind kind) {
  return kind == MediaKind::kPicture ? "picture" : kind == MediaKind::kSound ? "sound" : "video";
}

bool holds(const ingest::SourceInfo& info, StreamKind kind) {
  return info.streams[static_cast<std::size_t>(kind)];
}

/// Its client knows no file of that path, and no program to look into it with.
Error unreadable(MediaKind kind, std::size_t bytes, const std::string& path, const Error& why) {
  static constexpr std::array<const char*, 3> kCures = {"a JPEG, PNG or WebP file", "a WAV, MP3 or FLAC file",
                                                        "an MP4, WebM or Matroska file"};
  std::string reason = why.message.substr(0, why.message.rfind("; "));
  const std::string named = path + ": ";
  for (std::size_t at = reason.find(named); at != std::string::npos; at = reason.find(named))
    reason.erase(at, named.size());
  return {why.code == ErrorCode::kNotFound ? ErrorCode::kBadInput : why.code,
          fmt::format("this is no {} that can be read ({} bytes: {}); send {}, whole", to_string(kind), bytes,
                      reason, kCures[static_cast<std::size_t>(kind)]),
          why.retryable};
}

void append_line(Prompt& prompt, const engine::Tokenizer& tokenizer, const Prompt& line) {
  if (prompt.rows() > 0) prompt.append(tokenizer.tokenize("\n", false));
  prompt.append(line);
}

}  // namespace

/// What came out of a file.
struct MediaPrompts::Reading {
  MediaKind kind;
  std::vector<Frame> frames;
  std::vector<Utterance> utterances;
  std::vector<float> samples;  // of a sound, whole
  std::optional<Error> damage;
  SessionTime end;  // of its sound
};

MediaPrompts::MediaPrompts(engine::Engine& engine, engine::DeviceArbiter& arbiter,
                           sync::SpeechDetectorFactory* speech, Clock& clock, MediaLimits limits)
    : engine_(engine),
      arbiter_(arbiter),
      speech_(speech),
      clock_(clock),
      limits_(std::move(limits)),
      cache_(limits_.cache_bytes) {}

Result<std::unique_ptr<ingest::Source>> MediaPrompts::open(MediaKind kind, const std::string& path,
                                                           std::size_t bytes) {
  ingest::SourceSpec spec;
  spec.name = to_string(kind);
  spec.target = path;
  spec.kind = kind == MediaKind::kVideo   ? ingest::SourceKind::kMedia
              : kind == MediaKind::kSound ? ingest::SourceKind::kAudio
                                          : ingest::SourceKind::kVideo;
  ingest::IngestOptions options;
  options.limits = limits_.input;
  options.isolation = limits_.isolation;
  options.max_frame_side = engine_.info.max_frame_side;
  options.frame_slots = static_cast<std::size_t>(limits_.max_frames) + 1;
  auto source = ingest::open_source(spec, options, clock_);
  if (!source) return tl::unexpected(unreadable(kind, bytes, path, source.error()));
  const Nanoseconds duration = (*source)->info().duration;
  if (kind != MediaKind::kPicture && duration > longest(kind))
    return fail(ErrorCode::kLimit,
                fmt::format("the {} lasts {} s; a request may bring {}", to_string(kind),
                            duration / std::chrono::seconds(1), longest(kind) / std::chrono::seconds(1)));
  return source;
}

ingest::Accepted MediaPrompts::take(Packet packet, Reading& reading, sync::Synchronizer& synchronizer) const {
  if (const auto* damage = std::get_if<Damage>(&packet)) reading.damage = damage->error;
  if (auto* frame = std::get_if<Frame>(&packet)) {
    if (frame->captured.time_since_epoch() > longest(reading.kind)) return ingest::Accepted::kClosed;
    if (static_cast<int>(reading.frames.size()) < limits_.max_frames)
      reading.frames.push_back(std::move(*frame));
    // A picture file may hold many (GIF); the first is what is meant.
    return reading.kind == MediaKind::kPicture ? ingest::Accepted::kClosed : ingest::Accepted::kTaken;
  }
  auto* block = std::get_if<AudioBlock>(&packet);
  if (!block) return ingest::Accepted::kTaken;
  const Nanoseconds start = block->start.time_since_epoch();
  if (start > longest(reading.kind)) return ingest::Accepted::kClosed;
  reading.end = block->start + block->duration();
  if (reading.kind == MediaKind::kSound && start < kOnePiece + Milliseconds(500))
    reading.samples.insert(reading.samples.end(), block->samples.begin(), block->samples.end());
  synchronizer.push(kOnlySource, std::move(*block));
  return ingest::Accepted::kTaken;
}

Status MediaPrompts::collect(Reading& reading, const std::string& bytes) {
  auto file = MemoryFile::holding(bytes);
  if (!file) return tl::unexpected(file.error());
  auto source = open(reading.kind, file->path(), bytes.size());
  if (!source) return tl::unexpected(source.error());
  const ingest::SourceInfo& info = (*source)->info();
  sync::Synchronizer synchronizer({}, clock_, engine_.info.hears ? speech_ : nullptr,
                                  [&reading](sync::Timed item) {
                                    if (auto* heard = std::get_if<Utterance>(&item))
                                      reading.utterances.push_back(std::move(*heard));
                                  });
  synchronizer.add_source(kOnlySource, info.streams, false);
  const Status ran = (*source)->run(
      kOnlySource, [&](Packet packet) { return take(std::move(packet), reading, synchronizer); });
  synchronizer.end_source(kOnlySource);
  synchronizer.finish();
  const auto failed = [&](const Error& why) {
    return tl::unexpected(unreadable(reading.kind, bytes.size(), file->path(), why));
  };
  if (!ran && reading.frames.empty() && reading.samples.empty()) return failed(ran.error());
  const bool nothing = reading.kind == MediaKind::kSound
                           ? !holds(info, StreamKind::kAudio)
                           : reading.frames.empty() && reading.utterances.empty();
  if (nothing && reading.damage) return failed(*reading.damage);
  if (nothing && reading.kind != MediaKind::kVideo)
    return failed({ErrorCode::kBadInput, "there is none in it"});
  return {};
}

Result<Prompt> MediaPrompts::encode(const engine::Medium& medium, const std::string& time,
                                    MediaTimes& times) {
  const SteadyTime asked = clock_.now();
  auto turn = arbiter_.take(engine::DeviceArbiter::Work::kEncode);
  const SteadyTime begun = clock_.now();
  times.encode_queue += begun - asked;
  auto made = engine_.encoder->encode(std::array{medium});
  times.encode += clock_.now() - begun;
  if (!made) return tl::unexpected(made.error());
  Prompt prompt;
  if (!time.empty()) prompt.append(engine_.tokenizer->tokenize(time, false));
  prompt.append(made->front());
  return prompt;
}

bool MediaPrompts::takes(MediaKind kind) const {
  const engine::EngineInfo& model = engine_.info;
  if (!engine_.encoder) return false;
  if (kind == MediaKind::kVideo) return model.sees || model.hears;
  return kind == MediaKind::kPicture ? model.sees : model.hears;
}

Result<MediaPrompts::Speech> MediaPrompts::read_speech(const std::string& bytes, MediaTimes& times) {
  if (!takes(MediaKind::kSound))
    return fail(
        ErrorCode::kUnsupported,
        fmt::format("the model {} takes no sound: serve one with an mmproj for it", engine_.info.name));
  Reading reading{MediaKind::kSound, {}, {}, {}, {}, {}};
  const SteadyTime begun = clock_.now();
  if (auto collected = collect(reading, bytes); !collected) return tl::unexpected(collected.error());
  times.ingest += clock_.now() - begun;
  Speech speech;
  speech.duration = reading.end.time_since_epoch();
  for (const Utterance& utterance : reading.utterances) {
    auto prompt = encode(&utterance, "", times);
    if (!prompt) return tl::unexpected(prompt.error());
    speech.parts.push_back({utterance.start, utterance.end, std::move(*prompt)});
  }
  return speech;
}

Result<Prompt> MediaPrompts::read(MediaKind kind, const std::string& bytes, std::optional<SessionTime> at,
                                  MediaTimes& times) {
  if (!takes(kind))
    return fail(ErrorCode::kUnsupported,
                fmt::format("the model {} takes no {}: serve one with an mmproj for it", engine_.info.name,
                            to_string(kind)));
  const SteadyTime begun = clock_.now();
  const MediaKey key =
      media_key(bytes, fmt::format("{} {}", to_string(kind), at ? at->time_since_epoch().count() : -1));
  auto kept = cache_.find(key);
  times.ingest += clock_.now() - begun;
  if (kept) return std::move(*kept);
  auto made = make(kind, bytes, at, times);
  if (made) cache_.keep(key, *made);
  return made;
}

Result<Prompt> MediaPrompts::make(MediaKind kind, const std::string& bytes, std::optional<SessionTime> at,
                                  MediaTimes& times) {
  Reading reading{kind, {}, {}, {}, {}, {}};
  const SteadyTime begun = clock_.now();
  if (auto collected = collect(reading, bytes); !collected) return tl::unexpected(collected.error());
  times.ingest += clock_.now() - begun;

  Prompt prompt;
  const Nanoseconds offset = at ? at->time_since_epoch() : Nanoseconds{};
  if (kind == MediaKind::kPicture)
    return encode(&reading.frames.front(), at ? encode::time_text(*at) : "", times);
  const auto length = Nanoseconds(static_cast<std::int64_t>(reading.samples.size()) * 1'000'000'000 / 16000);
  if (kind == MediaKind::kSound && length <= kOnePiece) {
    if (reading.utterances.empty() && speech_) return prompt;
    Utterance whole;
    whole.end = SessionTime(length);
    whole.samples = std::move(reading.samples);
    return encode(&whole, at ? encode::span_text(*at, *at + length) : "", times);
  }
  // In order of end time, as a session's timeline has them.
  auto frame = reading.frames.begin();
  auto heard = reading.utterances.begin();
  while (frame != reading.frames.end() || heard != reading.utterances.end()) {
    const bool picture =
        frame != reading.frames.end() && (heard == reading.utterances.end() || frame->captured <= heard->end);
    if (picture ? !engine_.info.sees : !engine_.info.hears) {
      picture ? static_cast<void>(++frame) : static_cast<void>(++heard);
      continue;
    }
    auto line = picture
                    ? encode(&*frame, encode::time_text(frame->captured + offset), times)
                    : encode(&*heard, encode::span_text(heard->start + offset, heard->end + offset), times);
    if (!line) return line;
    append_line(prompt, *engine_.tokenizer, *line);
    picture ? static_cast<void>(++frame) : static_cast<void>(++heard);
  }
  return prompt;
}

}  // namespace braid::serve
