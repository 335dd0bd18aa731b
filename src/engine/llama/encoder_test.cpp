#include "encoder.h"

#include <gtest/gtest.h>
#include <mtmd-helper.h>

#include <cmath>

#include "media.h"
#include "test_model.h"

namespace braid::engine::llama {
namespace {

constexpr SequenceId kTimeline{0};
// Logits span about 40. With Q8_0 weights activations are rounded to 8 bits too, so another step shape or
// order of sums moves single logits by up to 1.5; a wrong position or row moves them by 5 and more.
constexpr float kTolerance = 1.5F;

class EncoderTest : public testing::Test {
 protected:
  EncoderTest() : engine_(load(small_options())) {}
  Encoder& encoder() { return *engine_.encoder; }
  Engine engine_;
};

/// What llama.cpp's own helper makes of the same prompt, on a context of its own.
class Oracle {
 public:
  Oracle() {
    llama_model_params model_params = llama_model_default_params();
    model_.reset(llama_model_load_from_file(model_path().c_str(), model_params));
    llama_context_params params = llama_context_default_params();
    params.n_ctx = 1024;
    params.n_threads = params.n_threads_batch = usable_cores();
    context_.reset(llama_init_from_model(model_.get(), params));
    mtmd_context_params mtmd_params = mtmd_context_params_default();
    mtmd_params.print_timings = mtmd_params.warmup = false;
    mtmd_params.n_threads = usable_cores();
    mtmd_.reset(mtmd_init_from_file(mmproj_path().c_str(), model_.get(), mtmd_params));
  }

  std::vector<float> logits(const std::string& prompt, const std::string& file) {
    const BitmapHandle bitmap(
        mtmd_helper_bitmap_init_from_file(mtmd_.get(), file.c_str(), false, mtmd_helper_init_opt_default())
            .bitmap);
    const mtmd_bitmap* bitmaps[] = {bitmap.get()};
    const mtmd_input_text text{prompt.data(), prompt.size(), false, true};
    const ChunksHandle chunks(mtmd_input_chunks_init());
    EXPECT_EQ(mtmd_tokenize(mtmd_.get(), chunks.get(), &text, bitmaps, 1), 0);
    EXPECT_EQ(mtmd_helper_eval_chunks(mtmd_.get(), context_.get(), chunks.get(), 0, 0, 512, true, &end_), 0);
    return read();
  }
  std::vector<float> next(Token token) {
    llama_batch batch = llama_batch_get_one(&token, 1);
    EXPECT_EQ(llama_decode(context_.get(), batch), 0);
    return read();
  }
  int end() const { return end_; }

 private:
  std::vector<float> read() {
    const float* values = llama_get_logits_ith(context_.get(), -1);
    return {values, values + llama_vocab_n_tokens(llama_model_get_vocab(model_.get()))};
  }
  ModelHandle model_;
  ContextHandle context_;
  MtmdHandle mtmd_;
  llama_pos end_ = 0;
};

void expect_same_answer(const Engine& engine, const Prompt& prompt, const std::string& whole,
                        const std::string& file) {
  Oracle oracle;
  std::vector<float> expected = oracle.logits(whole, file);
  Prefilled ours = prefill(*engine.decoder, kTimeline, prompt, 0, 256);
  ASSERT_EQ(ours.end, oracle.end());
  for (int i = 0; i < 12; ++i) {
    ASSERT_LT(largest_difference(ours.logits, expected), kTolerance) << "token " << i;
    const Token token = argmax(expected);
    if (top_gap(expected) > kTolerance) {
      ASSERT_EQ(argmax(ours.logits), token) << i;
    }
    if (engine.tokenizer->ends_generation(token)) break;
    expected = oracle.next(token);
    Prompt one;
    one.append({token});
    ours = prefill(*engine.decoder, kTimeline, one, ours.end);
  }
}

TEST_F(EncoderTest, APictureAnswersAsWithLlamaCppsOwnHelper) {
  const Frame frame = picture(sample_path("still2.jpg"));
  const ChatFormat& chat = engine_.tokenizer->chat();
  expect_same_answer(engine_, turn(engine_, "[0.0s]", &frame, "What do you see?"),
                     chat.begin + "[0.0s]<__media__>\nWhat do you see?" + chat.end_of_question,
                     sample_path("still2.jpg"));
}

TEST_F(EncoderTest, SpeechAnswersAsWithLlamaCppsOwnHelper) {
  const Utterance utterance = sound(sample_path("utterance2.wav"));
  const ChatFormat& chat = engine_.tokenizer->chat();
  expect_same_answer(engine_, turn(engine_, "[1.0-3.9s]", &utterance, "What did the speaker say?"),
                     chat.begin + "[1.0-3.9s]<__media__>\nWhat did the speaker say?" + chat.end_of_question,
                     sample_path("utterance2.wav"));
}

TEST_F(EncoderTest, SamplesAreAnsweredInTheExpectedWords) {
  const auto ask = [&](const Medium& medium, const std::string& question) {
    engine_.decoder->free(kTimeline);
    return answer(engine_, kTimeline,
                  prefill(*engine_.decoder, kTimeline, turn(engine_, "", medium, question), 0));
  };
  const Frame still = picture(sample_path("still2.jpg"));
  EXPECT_EQ(ask(&still, "What do you see?"), "I see a dog and a pizza.");
  EXPECT_NE(ask(&still, "Which object is on the left?").find("dog"), std::string::npos);
  const Utterance speech = sound(sample_path("utterance2.wav"));
  EXPECT_NE(ask(&speech, "What did the speaker say?").find("seven three zero five"), std::string::npos);
  const Frame blank = plain_picture(256, 256);
  EXPECT_EQ(ask(&blank, "What do you see?").find("dog"), std::string::npos);
}

TEST_F(EncoderTest, SeveralPicturesAtOnceGiveTheRowsThatEachGivesAlone) {
  const Frame a = picture(sample_path("still2.jpg"));
  const Frame b = plain_picture(a.width, a.height);
  const Medium both[] = {&a, &b, &a};
  const auto together = encoder().encode(both);
  ASSERT_TRUE(together) << together.error().message;
  ASSERT_EQ(together->size(), 3U);
  const auto values = [](const Prompt& prompt) {
    return std::get<EmbeddingRun>(prompt.pieces[0]).rows->values;
  };
  for (int i = 0; i < 3; ++i) {
    const auto alone = encoder().encode({&both[i], 1});
    ASSERT_TRUE(alone);
    EXPECT_LT(largest_difference(values((*together)[static_cast<std::size_t>(i)]), values((*alone)[0])),
              0.01F);
  }
  EXPECT_GT(largest_difference(values((*together)[0]), values((*together)[1])), 0.1F);
  EXPECT_EQ(encoder().encoded_frames(), 6U);
  EXPECT_EQ(encoder().encoded_utterances(), 0U);
}

TEST_F(EncoderTest, MediaOfAnyShapeAreEncodedOrRefusedButNeverEndTheProcess) {
  for (const auto& [width, height] : std::vector<std::pair<int, int>>{
           {1, 1}, {2, 1}, {1, 3}, {8192, 1}, {1, 8192}, {17, 16384}, {255, 257}, {3840, 2160}}) {
    const Frame frame = plain_picture(width, height, width % 5);
    const Medium medium = &frame;
    const auto encoded = encoder().encode({&medium, 1});
    ASSERT_TRUE(encoded) << width << "x" << height << ": " << encoded.error().message;
    EXPECT_EQ((*encoded)[0].rows(), encoder().frame_rows(width, height)) << width << "x" << height;
  }
  const Frame large = plain_picture(16385, 1);
  const Medium too_large = &large;
  EXPECT_EQ(encoder().encode({&too_large, 1}).error().code, ErrorCode::kLimit);
  EXPECT_EQ(encoder().frame_rows(16385, 1), 0);
  for (const std::size_t samples : {1U, 2U, 159U, 161U, 3199U, 16001U, 16000U * 20U}) {
    Utterance utterance;
    utterance.samples.assign(samples, 0.1F);
    const Medium medium = &utterance;
    const auto encoded = encoder().encode({&medium, 1});
    ASSERT_TRUE(encoded) << samples << ": " << encoded.error().message;
    for (const Piece& piece : (*encoded)[0].pieces)
      if (const auto* run = std::get_if<EmbeddingRun>(&piece)) {
        EXPECT_GT(run->rows->rows, 0U);
        for (const float value : run->rows->values) ASSERT_TRUE(std::isfinite(value)) << samples;
      }
  }
  const Utterance nothing;
  const Medium empty = &nothing;
  EXPECT_EQ(encoder().encode({&empty, 1}).error().code, ErrorCode::kBadInput);
}

TEST_F(EncoderTest, SoundOfAnotherRateIsHeardAllTheSame) {
  Utterance speech = sound(sample_path("utterance2.wav"));
  speech.samples = resample(speech.samples, 16000, 48000);
  speech.sample_rate = 48000;
  const std::string text = answer(
      engine_, kTimeline,
      prefill(*engine_.decoder, kTimeline, turn(engine_, "", &speech, "What did the speaker say?"), 0));
  EXPECT_NE(text.find("seven three zero five"), std::string::npos) << text;
}

}  // namespace
}  // namespace braid::engine::llama
