#include "braid/engine/model_facts.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include "test_families.h"

namespace braid::engine::llama {
namespace {

double heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

/// What a context takes, beside what was told.
void expect_told(const LlamaOptions& options) {
  const auto told = model_facts(options);
  ASSERT_TRUE(told) << told.error().message;
  const auto file = open_model_files(options);
  const auto model = load_model(options, *file);
  ASSERT_TRUE(model);
  const double before = heap_bytes();
  const auto decoder = make_decoder(options, *model);
  ASSERT_TRUE(decoder);
  const double taken = heap_bytes() - before;
  const auto expected = static_cast<double>(told->cache_bytes + told->work_bytes);
  // Beside it stand the logits, twice, and some 25 MB of graphs and of books on cells.
  const double logits = 2.0 * 64 * llama_vocab_n_tokens(llama_model_get_vocab(model->get())) * sizeof(float);
  EXPECT_GT(taken, expected);
  EXPECT_LT(taken, expected + logits + 40e6) << taken << " taken, " << expected << " told";
}

TEST(ModelFacts, TheMemoryToldIsWhatLlamaCppTakes) {
  LlamaOptions nano;
  nano.model = model_path();
  nano.cells = 8192;
  expect_told(nano);
  for (const char* name : {"gemma3", "lfm2vl", "qwen3vl"}) {
    LlamaOptions options = family_options({name});
    options.cells = 65536;
    expect_told(options);
  }
}

TEST(ModelFacts, ACacheGrowsWithItsCellsAndNothingElseDoes) {
  LlamaOptions options = family_options({"text"});
  options.cells = 1024;
  const auto small = model_facts(options);
  options.cells = 4096;
  const auto large = model_facts(options);
  ASSERT_TRUE(small && large);
  EXPECT_EQ(small->cache_bytes, 1024U * 2 * (32 + 32) * 2);  // layers, a key and a value of one head, F16
  EXPECT_EQ(large->cache_bytes, 4 * small->cache_bytes);
  EXPECT_EQ(large->weight_bytes, small->weight_bytes);
}

TEST(ModelFacts, AHeaderTellsWhatAFileIs) {
  const auto encoders = read_gguf(mmproj_path());
  ASSERT_TRUE(encoders);
  EXPECT_EQ(encoders->kind, GgufFacts::Kind::kEncoders);
  EXPECT_EQ(encoders->family, "nemotron_v2_vl + dots3note_a");
  EXPECT_EQ(read_gguf("models/nano/lora-nano.gguf")->kind, GgufFacts::Kind::kAdapter);
  EXPECT_EQ(read_gguf(cached_model("all-MiniLM-L6-v2.gguf"))->kind, GgufFacts::Kind::kEmbedder);
  const auto model = read_gguf(family_options({"text-q8_0"}).model);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->quantisation, "F32") << "the tables outweigh the layers of so small a model";
  EXPECT_EQ(model->trained_context, 4096);
  EXPECT_EQ(read_gguf("README.md").error().code, ErrorCode::kBadInput);
}

}  // namespace
}  // namespace braid::engine::llama
