#include "braid/openai/realtime_config.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace braid::openai {
namespace {

RealtimeConfig merged(std::string_view session, const RealtimeConfig& current = {}) {
  auto config = merge_session(current, session, {});
  EXPECT_TRUE(config) << config.error().message;
  return config.value_or(RealtimeConfig{});
}

std::string refused(std::string_view session) {
  const auto config = merge_session({}, session, {});
  return config ? "taken" : config.error().param + " " + config.error().code;
}

std::string with(std::string_view fields) { return R"({"type":"realtime",)" + std::string(fields) + "}"; }

TEST(RealtimeConfig, WhatIsNotNamedStays) {
  const auto first =
      merged(with(R"("instructions":"Hi","audio":{"input":{"format":{"type":"audio/pcmu"}}})"));
  EXPECT_EQ(first.input, SoundFormat::kPcmu);
  const auto second =
      merged(with(R"("audio":{"input":{"turn_detection":{"type":"server_vad","threshold":0.7}}})"), first);
  EXPECT_EQ(second.instructions, "Hi");
  EXPECT_EQ(second.input, SoundFormat::kPcmu);
  EXPECT_EQ(second.turns->threshold, 0.7);
  EXPECT_EQ(second.turns->silence, Milliseconds(500));
  const auto third =
      merged(with(R"("audio":{"input":{"turn_detection":{"silence_duration_ms":900}}})"), second);
  EXPECT_EQ(third.turns->threshold, 0.7) << "merged at every depth";
  EXPECT_EQ(third.turns->silence, Milliseconds(900));
}

TEST(RealtimeConfig, TurnsEndBySilenceOrByTheirSound) {
  const auto semantic =
      merged(with(R"("audio":{"input":{"turn_detection":{"type":"semantic_vad","eagerness":"low"}}})"));
  EXPECT_EQ(semantic.turns->kind, TurnDetection::Kind::kSemanticVad);
  EXPECT_EQ(semantic.turns->eagerness, TurnDetection::Eagerness::kLow);
  const auto printed = boost::json::parse(print_session(semantic)).at_pointer("/audio/input/turn_detection");
  EXPECT_EQ(printed, boost::json::parse(R"({"type":"semantic_vad","eagerness":"low","create_response":true,)"
                                        R"("interrupt_response":true})"));
  const auto back = merged(with(R"("audio":{"input":{"turn_detection":{"type":"server_vad"}}})"), semantic);
  EXPECT_EQ(back.turns->kind, TurnDetection::Kind::kServerVad);
  EXPECT_EQ(refused(with(R"("audio":{"input":{"turn_detection":{"eagerness":"very"}}})")),
            "audio.input.turn_detection.eagerness invalid_value");
}

TEST(RealtimeConfig, NullTurnsOff) {
  RealtimeConfig config;
  config.transcription = Transcription{"whisper-1", "", ""};
  config.braid.deadline = Milliseconds(100);
  config = merged(
      with(R"("audio":{"input":{"turn_detection":null,"transcription":null}},"braid":{"deadline_ms":null})"),
      config);
  EXPECT_FALSE(config.turns);
  EXPECT_FALSE(config.transcription);
  EXPECT_FALSE(config.braid.deadline);
}

TEST(RealtimeConfig, BraidsOwnSettings) {
  const auto config = merged(with(R"("braid":{"window_s":30,"novelty":false,"deadline_ms":800.5})"));
  EXPECT_EQ(config.braid.window, std::chrono::seconds(30));
  EXPECT_FALSE(config.braid.novelty);
  EXPECT_EQ(config.braid.deadline, Microseconds(800'500));
}

TEST(RealtimeConfig, WhatCantBeDoneIsRefusedByName) {
  EXPECT_EQ(refused("{}"), "type missing_required_parameter");
  EXPECT_EQ(refused(R"({"type":"transcription"})"), "type unsupported_value");
  EXPECT_EQ(refused(with(R"("output_modalities":["audio"])")), "output_modalities[0] unsupported_value");
  EXPECT_EQ(refused(with(R"("audio":{"input":{"turn_detection":{"type":"telepathy"}}})")),
            "audio.input.turn_detection.type invalid_value");
  EXPECT_EQ(refused(with(R"("audio":{"input":{"noise_reduction":{"type":"near_field"}}})")),
            "audio.input.noise_reduction unsupported_value");
  EXPECT_EQ(refused(with(R"("audio":{"input":{"format":{"type":"audio/pcm","rate":16000}}})")),
            "audio.input.format.rate unsupported_value");
  EXPECT_EQ(refused(with(R"("tools":[{"type":"function","name":"f"}])")), "tools unsupported_value");
  EXPECT_EQ(refused(with(R"("tools":[],"tool_choice":"required")")), "tool_choice unsupported_value");
  EXPECT_EQ(refused(with(R"("include":["item.input_audio_transcription.logprobs"])")),
            "include unsupported_value");
  EXPECT_EQ(refused(with(R"("prompt":{"id":"p"})")), "prompt unsupported_value");
  EXPECT_EQ(refused(with(R"("braid":{"windows_s":3})")), "braid.windows_s unknown_parameter");
  EXPECT_EQ(refused(with(R"("max_output_tokens":1e308)")), "max_output_tokens unsupported_value");
  EXPECT_EQ(refused(with(R"("max_output_tokens":0)")), "max_output_tokens integer_below_min_value");
  EXPECT_EQ(refused(with(R"("truncation":"disabled")")), "truncation unsupported_value");
  EXPECT_EQ(refused(with(R"("max_output_tokens":"many")")), "max_output_tokens invalid_value");
  EXPECT_EQ(refused(with(R"("audio":{"input":{"turn_detection":{"threshold":2}}})")),
            "audio.input.turn_detection.threshold decimal_above_max_value");
}

TEST(RealtimeConfig, AClientMaySendItsSessionBackWithTheToken) {
  EXPECT_EQ(refused(with(R"("of_tomorrow":1,"braid":{"novelty":true,"resume_token":"t"})")), "taken");
}

TEST(RealtimeConfig, AModelIsChosenOnce) {
  EXPECT_EQ(merged(with(R"("model":"gpt-realtime")")).model, "gpt-realtime");
  RealtimeConfig running;
  running.id = "sess_1";
  running.model = "nano";
  EXPECT_TRUE(merge_session(running, with(R"("model":"nano")"), {}));
  EXPECT_FALSE(merge_session(running, with(R"("model":"other")"), {}));
}

TEST(RealtimeConfig, WhatIsPrintedIsTaken) {
  RealtimeConfig config =
      merged(with(R"("instructions":"a\"b","max_output_tokens":5,"braid":{"window_s":30},)"
                  R"("audio":{"input":{"transcription":{"model":"whisper-1"}}})"));
  config.id = "sess_1";
  const std::string text = print_session(config);
  const RealtimeConfig again = merged(text, config);
  EXPECT_EQ(print_session(again), text);
  EXPECT_EQ(boost::json::parse(text).at("max_output_tokens"), 5);
}

TEST(RealtimeConfig, ASecretIsAskedFor) {
  const auto plain = parse_client_secret("", {}, {});
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->life, std::chrono::seconds(600));
  const auto asked = parse_client_secret(
      R"({"expires_after":{"anchor":"created_at","seconds":20},"session":{"type":"realtime","instructions":"Hi"}})",
      {}, {});
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_EQ(asked->life, std::chrono::seconds(20));
  EXPECT_EQ(asked->config.instructions, "Hi");
  EXPECT_FALSE(parse_client_secret(R"({"expires_after":{"seconds":9}})", {}, {}));
  const auto printed = boost::json::parse(print_client_secret("ek_1", 99, asked->config));
  EXPECT_EQ(printed.at("value"), "ek_1");
  EXPECT_EQ(printed.at("expires_at"), 99);
}

}  // namespace
}  // namespace braid::openai
