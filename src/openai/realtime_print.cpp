#include "realtime_print.h"

#include <array>

namespace braid::openai {

namespace {

void append_format(JsonOut& out, SoundFormat format) {
  out.name("format").begin_object().name("type").string(to_string(format));
  if (format == SoundFormat::kPcm16) out.name("rate").integer(sample_rate(format));
  out.end_object();
}

void append_token_limit(JsonOut& out, const std::optional<int>& limit) {
  out.name("max_output_tokens");
  limit ? out.integer(*limit) : out.string("inf");
}

void append_turns(JsonOut& out, const std::optional<TurnDetection>& turns) {
  out.name("turn_detection");
  if (!turns) {
    out.null();
    return;
  }
  static constexpr std::array<const char*, 4> kEagerness = {"low", "medium", "high", "auto"};
  out.begin_object().name("type");
  if (turns->kind == TurnDetection::Kind::kSemanticVad) {
    out.string("semantic_vad")
        .name("eagerness")
        .string(kEagerness[static_cast<std::size_t>(turns->eagerness)]);
  } else {
    out.string("server_vad").name("threshold").real(turns->threshold);
    out.name("prefix_padding_ms").integer(turns->prefix / Milliseconds(1));
    out.name("silence_duration_ms").integer(turns->silence / Milliseconds(1));
    out.name("idle_timeout_ms").null();
  }
  out.name("create_response").boolean(turns->create_response);
  out.name("interrupt_response").boolean(turns->interrupt_response).end_object();
}

void append_audio(JsonOut& out, const RealtimeConfig& config) {
  out.name("audio").begin_object().name("input").begin_object();
  append_format(out, config.input);
  out.name("noise_reduction").null().name("transcription");
  if (config.transcription) {
    out.begin_object().name("model").string(config.transcription->model);
    out.name("language").string_or_null(config.transcription->language);
    out.name("prompt").string(config.transcription->prompt).end_object();
  } else {
    out.null();
  }
  append_turns(out, config.turns);
  out.end_object().name("output").begin_object();
  append_format(out, config.output);
  out.name("voice").string(config.voice).name("speed").real(config.speed).end_object().end_object();
}

void append_braid(JsonOut& out, const RealtimeBraid& braid) {
  out.name("braid").begin_object().name("window_s");
  braid.window ? out.real(to_seconds(*braid.window)) : out.null();
  out.name("novelty").boolean(braid.novelty).name("deadline_ms").ms(braid.deadline);
  if (!braid.resume_token.empty()) out.name("resume_token").string(braid.resume_token);
  out.end_object();
}

void append_part(JsonOut& out, const ItemPart& part) {
  static constexpr std::array<const char*, 4> kTypes = {"input_text", "input_audio", "input_image",
                                                        "output_text"};
  out.begin_object().name("type").string(kTypes[static_cast<std::size_t>(part.kind)]);
  if (part.kind == ItemPart::Kind::kInputAudio) {
    out.name("transcript");
    part.transcript ? out.string(*part.transcript) : out.null();
  } else if (part.kind != ItemPart::Kind::kInputImage) {
    out.name("text").string(part.text);
  }
  out.end_object();
}

void append_usage(JsonOut& out, const Usage& usage) {
  out.begin_object().name("total_tokens").integer(usage.prompt + usage.completion);
  out.name("input_tokens").integer(usage.prompt).name("output_tokens").integer(usage.completion);
  out.name("input_token_details").begin_object().name("cached_tokens").integer(usage.cached).end_object();
  out.name("output_token_details").begin_object().name("text_tokens").integer(usage.completion);
  out.name("audio_tokens").integer(0).end_object().end_object();
}

void append_status(JsonOut& out, const ResponseState& response) {
  out.name("status").string(response.status).name("status_details");
  if (response.reason.empty() && !response.error) {
    out.null();
    return;
  }
  out.begin_object().name("type").string(response.status);
  if (!response.reason.empty()) out.name("reason").string(response.reason);
  if (response.error) {
    out.name("error").begin_object().name("type").string(response.error->type);
    out.name("code").string_or_null(response.error->code).name("message").string(response.error->message);
    out.end_object();
  }
  out.end_object();
}

}  // namespace

void append_session(JsonOut& out, const RealtimeConfig& config) {
  out.begin_object().name("type").string("realtime").name("object").string("realtime.session");
  out.name("id").string(config.id).name("model").string(config.model);
  out.name("output_modalities").begin_array().string("text").end_array();
  out.name("instructions").string(config.instructions);
  out.name("tools").begin_array().end_array().name("tool_choice").string("auto");
  append_token_limit(out, config.max_output_tokens);
  out.name("tracing").null().name("truncation").string("auto").name("prompt").null();
  out.name("include").null();
  append_audio(out, config);
  append_braid(out, config.braid);
  out.end_object();
}

std::string print_session(const RealtimeConfig& config) {
  JsonOut out;
  append_session(out, config);
  return out.take();
}

void append_item(JsonOut& out, const Item& item) {
  static constexpr std::array<const char*, 3> kRoles = {"system", "user", "assistant"};
  static constexpr std::array<const char*, 3> kStates = {"in_progress", "completed", "incomplete"};
  out.begin_object().name("id").string(item.id).name("object").string("realtime.item");
  out.name("type").string("message").name("status").string(kStates[static_cast<std::size_t>(item.state)]);
  out.name("role").string(kRoles[static_cast<std::size_t>(item.role)]).name("content").begin_array();
  for (const ItemPart& part : item.content) append_part(out, part);
  out.end_array().end_object();
}

std::string metadata_text(const std::vector<std::pair<std::string, std::string>>& metadata) {
  std::string text = "{";
  for (const auto& [key, value] : metadata) {
    if (text.size() > 1) text += ',';
    append_quoted(text, key);
    text += ':';
    append_quoted(text, value);
  }
  return text += '}';
}

void append_response(JsonOut& out, const ResponseState& response, const Item* output) {
  out.begin_object().name("object").string("realtime.response").name("id").string(response.id);
  append_status(out, response);
  out.name("output").begin_array();
  if (output != nullptr) append_item(out, *output);
  out.end_array().name("conversation_id").string(response.conversation);
  out.name("output_modalities").begin_array().string("text").end_array();
  append_token_limit(out, response.max_output_tokens);
  out.name("usage");
  response.usage ? append_usage(out, *response.usage) : static_cast<void>(out.null());
  out.name("metadata");
  response.metadata.empty() ? out.null() : out.raw(metadata_text(response.metadata));
  out.end_object();
}

}  // namespace braid::openai
