#pragma once
// What a Realtime session is set to: the GA "session" object as far as this server can do it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "braid/base/time.h"
#include "braid/openai/api_error.h"

namespace braid::openai {

enum class SoundFormat : std::uint8_t { kPcm16, kPcmu, kPcma };
const char* to_string(SoundFormat format);  ///< "audio/pcm", "audio/pcmu", "audio/pcma"
constexpr int sample_rate(SoundFormat format) { return format == SoundFormat::kPcm16 ? 24'000 : 8'000; }
constexpr int bytes_per_sample(SoundFormat format) { return format == SoundFormat::kPcm16 ? 2 : 1; }

/// When whoever speaks has finished.
struct TurnDetection {
  enum class Kind : std::uint8_t {
    kServerVad,    ///< after `silence`
    kSemanticVad,  ///< when it sounds like it, else after a silence that goes with the speaker's own pauses
  };
  enum class Eagerness : std::uint8_t { kLow, kMedium, kHigh, kAuto };  ///< kAuto: as kMedium
  Kind kind = Kind::kServerVad;
  Eagerness eagerness = Eagerness::kAuto;   ///< of kSemanticVad
  double threshold = 0.5;                   ///< probability of speech, 0..1
  Nanoseconds prefix = Milliseconds(300);   ///< sound kept before speech starts
  Nanoseconds silence = Milliseconds(500);  ///< that ends a turn; of kServerVad
  bool create_response = true;              ///< a turn's end asks
  bool interrupt_response = true;           ///< who speaks holds the open response, and then cancels it
};

/// Input is transcribed; the words are passed on as they are.
struct Transcription {
  std::string model, language, prompt;
};

/// Braid's own settings, the member "braid" of a session.
struct RealtimeBraid {
  std::optional<Nanoseconds> window;    ///< what is older isn't seen; none: the server's
  bool novelty = true;                  ///< frames that show nothing new are dropped
  std::optional<Nanoseconds> deadline;  ///< of each response
  std::string resume_token;             ///< told once, when the session begins; clients can't set it
};

/// What the server can do; what passes it is refused when it is asked for.
struct RealtimeAbilities {
  bool hears = true;  ///< sound is perceived; false: so is none of it
  bool sees = true;
  int max_output_tokens = 96;
};

struct RealtimeConfig {
  std::string id;     ///< sess_...
  std::string model;  ///< under which it was asked for; can't be changed
  std::string instructions;
  std::optional<int> max_output_tokens;  ///< none: "inf", as many as the session has room for
  SoundFormat input = SoundFormat::kPcm16;
  std::optional<TurnDetection> turns = TurnDetection{};  ///< none: the client commits
  std::optional<Transcription> transcription;
  SoundFormat output = SoundFormat::kPcm16;  ///< kept and told; no sound is made
  std::string voice = "alloy";
  double speed = 1.0;
  RealtimeBraid braid;
};

/// A name that came from elsewhere than a session object, as session.model may be: valid UTF-8, cut behind
/// the last character that ends within 256 bytes.
std::string to_model_name(std::string_view name);

/// `session`: JSON text of a session object; its fields replace those of `current`, deep, and what it doesn't
/// name stays. All or nothing: an error names the first field that can't be, as "session.audio.input.format".
Parsed<RealtimeConfig> merge_session(const RealtimeConfig& current, std::string_view session,
                                     const RealtimeAbilities& abilities);

/// The whole object, as in session.created.
std::string print_session(const RealtimeConfig& config);

/// POST /v1/realtime/client_secrets {"expires_after"?, "session"?}
struct ClientSecretRequest {
  Nanoseconds life = std::chrono::seconds(600);  ///< 10 s to 2 h
  RealtimeConfig config;
};
/// `start`: what sessions begin with where the request says nothing.
Parsed<ClientSecretRequest> parse_client_secret(std::string_view body, const RealtimeConfig& start,
                                                const RealtimeAbilities& abilities);
/// `expires_at`: Unix time, seconds.
std::string print_client_secret(std::string_view secret, std::int64_t expires_at,
                                const RealtimeConfig& config);

}  // namespace braid::openai
