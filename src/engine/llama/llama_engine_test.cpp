#include "braid/engine/llama_engine.h"

#include <gtest/gtest.h>

#include "test_model.h"
#include "test_tiny_model.h"

namespace braid::engine::llama {
namespace {

Error refusal(const LlamaOptions& options) {
  const auto engine = load_llama(options);
  EXPECT_FALSE(engine);
  return engine ? Error{} : engine.error();
}

TEST(LoadLlama, SaysWhatTheModelIsAndCanDo) {
  const EngineInfo info = load(small_options()).info;
  EXPECT_EQ(info.family, "llama");
  EXPECT_EQ(info.dim, 576);
  EXPECT_EQ(info.vocabulary, 49152);
  EXPECT_EQ(info.trained_context, 8192);
  EXPECT_EQ(info.cells, 1024);
  EXPECT_TRUE(info.sees && info.hears && info.one_pass && info.can_hide_ranges && info.can_forget);
  EXPECT_FALSE(info.indivisible_media);
  EXPECT_EQ(info.audio_sample_rate, 16000);
  EXPECT_EQ(info.max_frame_side, 1280);
}

TEST(LoadLlama, WithoutMmprojThereIsNoEncoder) {
  LlamaOptions options = small_options();
  options.mmproj.clear();
  const Engine engine = load(options);
  EXPECT_EQ(engine.encoder, nullptr);
  EXPECT_FALSE(engine.info.sees || engine.info.hears);
}

TEST(LoadLlama, CountsNothingOfItsWarmUp) {
  const Engine engine = load(small_options());
  EXPECT_EQ(engine.decoder->counters().steps, 0U);
  EXPECT_EQ(engine.encoder->encoded_frames(), 0U);
}

TEST(LoadLlama, FilesInEachOthersPlacesAreRefusedWithTheRightPlace) {
  LlamaOptions options = small_options();
  options.model = mmproj_path();
  EXPECT_EQ(refusal(options).code, ErrorCode::kMismatch);
  EXPECT_NE(refusal(options).message.find("--mmproj"), std::string::npos);
  options.model = "models/nano/lora-nano.gguf";
  EXPECT_NE(refusal(options).message.find("--lora"), std::string::npos);
  options = small_options();
  options.mmproj = model_path();
  EXPECT_EQ(refusal(options).code, ErrorCode::kMismatch);
  options = small_options();
  options.lora = mmproj_path();
  EXPECT_EQ(refusal(options).code, ErrorCode::kMismatch);
}

TEST(LoadLlama, MissingAndForeignFilesAreRefused) {
  LlamaOptions options = small_options();
  options.mmproj = "models/nano/none.gguf";
  EXPECT_EQ(refusal(options).code, ErrorCode::kNotFound);
  options.mmproj = sample_path("still2.jpg");
  EXPECT_EQ(refusal(options).code, ErrorCode::kBadInput);
  options = small_options();
  options.model = "";
  EXPECT_EQ(refusal(options).code, ErrorCode::kUsage);
}

TEST(LoadLlama, OptionsOutOfRangeAreRefused) {
  for (int LlamaOptions::*field : {&LlamaOptions::cells, &LlamaOptions::max_sequences,
                                   &LlamaOptions::max_step_rows, &LlamaOptions::threads})
    for (const int value : {-1, 1 << 30}) {
      LlamaOptions options = small_options();
      options.*field = value;
      EXPECT_EQ(refusal(options).code, ErrorCode::kUsage);
    }
}

TEST(LoadLlama, AnMmprojOfAnotherModelIsRefusedWithWhatIsNeeded) {
  const TinyModel other(64);
  LlamaOptions options = other.options();
  options.mmproj = mmproj_path();
  const auto encoder = make_encoder(options, other.model());
  ASSERT_FALSE(encoder);
  EXPECT_EQ(encoder.error().code, ErrorCode::kMismatch);
  EXPECT_NE(encoder.error().message.find("n_embd = 64"), std::string::npos) << encoder.error().message;
  EXPECT_NE(encoder.error().message.find("made for it"), std::string::npos) << encoder.error().message;
}

TEST(LoadLlama, AnAdapterOfAnotherModelIsRefused) {
  const TinyModel other(64);
  LlamaOptions options = other.options();
  options.lora = "models/nano/lora-nano.gguf";
  const auto decoder = make_decoder(options, other.model());
  ASSERT_FALSE(decoder);
  EXPECT_EQ(decoder.error().code, ErrorCode::kMismatch);
}

TEST(LoadLlama, AModelWithoutTokenizerIsRefused) {
  const TinyModel bare(64);
  EXPECT_EQ(refusal(bare.options()).code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace braid::engine::llama
