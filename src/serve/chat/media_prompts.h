#pragma once
// Media of a request, as bytes, to what the model reads.

#include <optional>
#include <string>
#include <vector>

#include "braid/engine/device_arbiter.h"
#include "braid/engine/engine.h"
#include "braid/ingest/open.h"
#include "braid/sync/speech_detector.h"
#include "braid/sync/synchronizer.h"
#include "chat/media_cache.h"

namespace braid::serve {

enum class MediaKind { kPicture, kSound, kVideo };

struct MediaLimits {
  Nanoseconds max_sound = std::chrono::seconds(600);
  Nanoseconds max_video = std::chrono::seconds(600);
  int max_frames = 256;                  ///< of one video
  ingest::InputLimits input = {};        ///< of any file
  ingest::Isolation isolation = {};      ///< of their decoding
  std::size_t cache_bytes = 64U << 20U;  ///< of encoded media, kept for those who send them again
};

/// Where a medium's milliseconds went.
struct MediaTimes {
  Nanoseconds ingest{};        ///< decoding
  Nanoseconds encode_queue{};  ///< waiting for the device
  Nanoseconds encode{};
};

/// Any number of threads; each call blocks while it decodes, waits for the device and encodes.
class MediaPrompts {
 public:
  /// `speech` may be null: then sound is cut every few seconds. All outlive this.
  MediaPrompts(engine::Engine& engine, engine::DeviceArbiter& arbiter, sync::SpeechDetectorFactory* speech,
               Clock& clock, MediaLimits limits = {});

  /// A picture or a sound of a few seconds stands without a time unless `at` gives one; parts of a video or
  /// of a longer sound stand each with its own. Sound without speech gives no rows. kBadInput, kUnsupported,
  /// kLimit: the file, or the model has no such sense.
  Result<Prompt> read(MediaKind kind, const std::string& bytes, std::optional<SessionTime> at,
                      MediaTimes& times);

  /// A stretch of speech in a file, ready to be asked about.
  struct Spoken {
    SessionTime start, end;
    Prompt prompt;
  };
  struct Speech {
    std::vector<Spoken> parts;
    Nanoseconds duration{};  ///< of the file, as far as it could be read
  };
  /// All speech in a sound or video file, in pieces of a few seconds. Errors as read().
  Result<Speech> read_speech(const std::string& bytes, MediaTimes& times);

 private:
  struct Reading;
  Result<Prompt> make(MediaKind kind, const std::string& bytes, std::optional<SessionTime> at,
                      MediaTimes& times);
  Result<Prompt> encode(const engine::Medium& medium, const std::string& time, MediaTimes& times);
  bool takes(MediaKind kind) const;
  Nanoseconds longest(MediaKind kind) const {
    return kind == MediaKind::kVideo ? limits_.max_video : limits_.max_sound;
  }
  Result<std::unique_ptr<ingest::Source>> open(MediaKind kind, const std::string& path, std::size_t bytes);
  ingest::Accepted take(Packet packet, Reading& reading, sync::Synchronizer& synchronizer) const;
  Status collect(Reading& reading, const std::string& bytes);

  engine::Engine& engine_;
  engine::DeviceArbiter& arbiter_;
  sync::SpeechDetectorFactory* speech_;
  Clock& clock_;
  MediaLimits limits_;
  MediaCache cache_;
};

}  // namespace braid::serve
