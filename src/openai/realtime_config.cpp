#include "braid/openai/realtime_config.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "braid/base/utf8.h"
#include "realtime_fields.h"
#include "realtime_print.h"

namespace braid::openai {

namespace {

using Kind = JsonNode::Kind;

constexpr std::size_t kMaxWord = 256;                // bytes
constexpr std::size_t kMaxInstructions = 16U << 10;  // bytes
constexpr std::size_t kMaxSession = 256U << 10;      // bytes
constexpr JsonBounds kBounds{4096, 16};
constexpr double kMaxSeconds = 7 * 86'400.0;
constexpr double kMaxDeadlineMs = 24.0 * 3600 * 1000;
constexpr std::int64_t kMaxPaddingMs = 2000, kMinSilenceMs = 100, kMaxSilenceMs = 10'000;

/// One update of one session; the fields are read in the order of the GA documentation.
class Merge {
 public:
  Merge(FieldReader& reader, const RealtimeAbilities& abilities, RealtimeConfig& config)
      : reader_(reader), abilities_(abilities), config_(config) {}

  void session(JsonIndex at) {
    if (reader_.required(at, "type")) kind(at);
    if (const auto audio = reader_.object(at, "audio")) {
      if (const auto input = reader_.object(*audio, "input")) sound_in(*input);
      if (const auto output = reader_.object(*audio, "output")) sound_out(*output);
    }
    if (const auto text = reader_.string(at, "instructions", kMaxInstructions)) config_.instructions = *text;
    read_token_limit(reader_, at, abilities_, config_.max_output_tokens);
    model(at);
    read_output_modalities(reader_, at);
    read_no_tools(reader_, at);
    impossible(at);
    if (const auto braid = reader_.object(at, "braid")) own(*braid);
  }

 private:
  void kind(JsonIndex at) {
    const auto kind = reader_.word(at, "type", {"realtime", "transcription"});
    if (kind && *kind == "transcription")
      refuse_unsupported(reader_, *reader_.doc().member(at, "type"),
                         "there are no sessions that only transcribe; set audio.input.transcription.");
  }

  void model(JsonIndex at) {
    const auto model = reader_.string(at, "model", kMaxWord);
    if (!model || *model == config_.model) return;
    if (config_.id.empty())
      config_.model = *model;  // made before there is a session
    else
      refuse_unsupported(reader_, *reader_.doc().member(at, "model"), "a session's model can't be changed.");
  }

  std::optional<SoundFormat> format(JsonIndex at) {
    const auto object = reader_.object(at, "format");
    if (!object) return std::nullopt;
    const auto type = reader_.word(*object, "type", {"audio/pcm", "audio/pcmu", "audio/pcma"});
    const auto rate = reader_.integer(*object, "rate");
    if (!type) return std::nullopt;
    const SoundFormat format = *type == "audio/pcm"    ? SoundFormat::kPcm16
                               : *type == "audio/pcmu" ? SoundFormat::kPcmu
                                                       : SoundFormat::kPcma;
    if (rate && *rate != sample_rate(format))
      refuse_unsupported(reader_, *reader_.doc().member(*object, "rate"),
                         fmt::format("{} comes at {} Hz.", *type, sample_rate(format)));
    return format;
  }

  void sound_in(JsonIndex at) {
    if (const auto input = format(at)) config_.input = *input;
    if (const auto reduction = reader_.doc().member(at, "noise_reduction"))
      refuse_unsupported(reader_, *reduction, "sound is taken as it comes; leave it out.");
    transcription(at);
    if (explicit_null(reader_.doc(), at, "turn_detection")) config_.turns.reset();
    if (const auto turns = reader_.object(at, "turn_detection")) turn_detection(*turns);
  }

  void transcription(JsonIndex at) {
    if (explicit_null(reader_.doc(), at, "transcription")) config_.transcription.reset();
    const auto object = reader_.object(at, "transcription");
    if (!object) return;
    Transcription to = config_.transcription.value_or(Transcription{});
    if (const auto model = reader_.string(*object, "model", kMaxWord)) to.model = *model;
    if (const auto language = reader_.string(*object, "language", kMaxWord)) to.language = *language;
    if (const auto prompt = reader_.string(*object, "prompt", kMaxInstructions)) to.prompt = *prompt;
    if (!abilities_.hears) refuse_unsupported(reader_, *object, "the model that is served takes no sound.");
    config_.transcription = std::move(to);
  }

  void turn_detection(JsonIndex at) {
    TurnDetection to = config_.turns.value_or(TurnDetection{});
    if (!config_.turns && !reader_.required(at, "type")) return;
    if (const auto type = reader_.word(at, "type", {"server_vad", "semantic_vad"}))
      to.kind = *type == "server_vad" ? TurnDetection::Kind::kServerVad : TurnDetection::Kind::kSemanticVad;
    if (!abilities_.hears) return refuse_unsupported(reader_, at, "this server hears no speech; set null.");
    if (const auto eagerness = reader_.word(at, "eagerness", {"low", "medium", "high", "auto"}))
      to.eagerness = *eagerness == "low"      ? TurnDetection::Eagerness::kLow
                     : *eagerness == "medium" ? TurnDetection::Eagerness::kMedium
                     : *eagerness == "high"   ? TurnDetection::Eagerness::kHigh
                                              : TurnDetection::Eagerness::kAuto;
    if (const auto threshold = reader_.decimal(at, "threshold", 0, 1)) to.threshold = *threshold;
    if (const auto ms = reader_.integer(at, "prefix_padding_ms", 0, kMaxPaddingMs))
      to.prefix = Milliseconds(*ms);
    if (const auto ms = reader_.integer(at, "silence_duration_ms", kMinSilenceMs, kMaxSilenceMs))
      to.silence = Milliseconds(*ms);
    if (const auto on = reader_.boolean(at, "create_response")) to.create_response = *on;
    if (const auto on = reader_.boolean(at, "interrupt_response")) to.interrupt_response = *on;
    if (const auto idle = reader_.doc().member(at, "idle_timeout_ms"))
      refuse_unsupported(reader_, *idle, "nobody is prompted to speak; leave it out.");
    config_.turns = to;
  }

  void sound_out(JsonIndex at) {
    if (const auto output = format(at)) config_.output = *output;
    if (const auto speed = reader_.decimal(at, "speed", 0.25, 1.5)) config_.speed = *speed;
    const auto voice = reader_.doc().member(at, "voice");
    if (voice && reader_.node(*voice).kind == Kind::kObject)
      refuse_unsupported(reader_, *voice, "there are no voices of one's own.");
    else if (const auto name = reader_.string(at, "voice", kMaxWord))
      config_.voice = *name;
  }

  /// What would promise something that isn't done.
  void impossible(JsonIndex at) {
    for (const char* name : {"prompt", "reasoning", "tracing"})
      if (const auto there = reader_.doc().member(at, name))
        refuse_unsupported(reader_, *there, "this server has no such thing; leave it out.");
    if (const auto include = reader_.array(at, "include"); include && reader_.doc().children(*include) > 0)
      refuse_unsupported(reader_, *include, "transcripts come without log probabilities; leave it empty.");
    reader_.boolean(at, "parallel_tool_calls");
    const auto truncation = reader_.doc().member(at, "truncation");
    if (truncation &&
        (reader_.node(*truncation).kind != Kind::kString || reader_.node(*truncation).text != "auto"))
      refuse_unsupported(reader_, *truncation, "the window turns over by itself; \"auto\" is taken.");
  }

  void own(JsonIndex at) {
    // The token is what session.created told, and is passed over when a client sends its session back.
    static constexpr std::array<std::string_view, 4> kKeys = {"window_s", "novelty", "deadline_ms",
                                                              "resume_token"};
    reader_.only(at, kKeys);
    RealtimeBraid& braid = config_.braid;
    if (const auto seconds = reader_.decimal(at, "window_s", 1, kMaxSeconds))
      braid.window = from_seconds(*seconds);
    if (explicit_null(reader_.doc(), at, "window_s")) braid.window.reset();
    if (const auto novelty = reader_.boolean(at, "novelty")) braid.novelty = *novelty;
    if (const auto ms = reader_.decimal(at, "deadline_ms", 0.001, kMaxDeadlineMs))
      braid.deadline = from_seconds(*ms / 1000);
    if (explicit_null(reader_.doc(), at, "deadline_ms")) braid.deadline.reset();
  }

  FieldReader& reader_;
  const RealtimeAbilities& abilities_;
  RealtimeConfig& config_;
};

}  // namespace

std::string to_model_name(std::string_view name) {
  std::string valid = to_valid_utf8(name);
  if (valid.size() <= kMaxWord) return valid;
  std::size_t end = kMaxWord;
  while ((static_cast<unsigned char>(valid[end]) & 0xC0U) == 0x80U) --end;  // within a character
  valid.resize(end);
  return valid;
}

const char* to_string(SoundFormat format) {
  static constexpr std::array<const char*, 3> kNames = {"audio/pcm", "audio/pcmu", "audio/pcma"};
  return kNames[static_cast<std::size_t>(format)];
}

void merge_session(FieldReader& reader, JsonIndex at, const RealtimeAbilities& abilities,
                   RealtimeConfig& config) {
  Merge(reader, abilities, config).session(at);
}

Parsed<RealtimeConfig> merge_session(const RealtimeConfig& current, std::string_view session,
                                     const RealtimeAbilities& abilities) {
  const Parsed<JsonDoc> doc = parse_object(session, kMaxSession, kBounds);
  if (!doc) return tl::unexpected(doc.error());
  FieldReader reader(*doc);
  RealtimeConfig config = current;
  merge_session(reader, 0, abilities, config);
  if (reader.failed()) return tl::unexpected(reader.take_error());
  return config;
}

Parsed<ClientSecretRequest> parse_client_secret(std::string_view body, const RealtimeConfig& start,
                                                const RealtimeAbilities& abilities) {
  const Parsed<JsonDoc> doc = parse_object(body.empty() ? "{}" : body, kMaxSession, kBounds);
  if (!doc) return tl::unexpected(doc.error());
  FieldReader reader(*doc);
  ClientSecretRequest request;
  request.config = start;
  if (const auto after = reader.object(0, "expires_after")) {
    reader.word(*after, "anchor", {"created_at"});
    if (const auto seconds = reader.integer(*after, "seconds", 10, 7200))
      request.life = std::chrono::seconds(*seconds);
  }
  if (const auto session = reader.object(0, "session"))
    merge_session(reader, *session, abilities, request.config);
  if (reader.failed()) return tl::unexpected(reader.take_error());
  return request;
}

std::string print_client_secret(std::string_view secret, std::int64_t expires_at,
                                const RealtimeConfig& config) {
  JsonOut out;
  out.begin_object().name("value").string(secret).name("expires_at").integer(expires_at);
  append_session(out.name("session"), config);
  out.end_object();
  return out.take();
}

}  // namespace braid::openai
