// What cmake/patches/llama-whisper-unpadded.patch is for: a whisper encoder that takes as many rows as were
// heard.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <random>

#include "gguf_writer.h"
#include "test_model.h"

namespace braid::engine::llama {
namespace {

constexpr int kRowSamples = 1280;             // two frames a place, four places a row, 160 samples a frame
constexpr std::size_t kPaddedRows = 375 + 2;  // 30 s, and the two around them

struct Shape {
  std::string name;
  std::vector<std::int64_t> sides;
  ggml_type type = GGML_TYPE_F32;
};

/// One layer of width 32 before rows of 576, the default model's.
std::vector<Shape> shapes() {
  constexpr int kWidth = 32, kHidden = 64, kMiddle = 16, kRow = 576, kMels = 80, kPlaces = 1500;
  std::vector<Shape> all = {{"a.conv1d.1.weight", {3, kMels, kWidth}, GGML_TYPE_F16},
                            {"a.conv1d.1.bias", {1, kWidth}},
                            {"a.conv1d.2.weight", {3, kWidth, kWidth}, GGML_TYPE_F16},
                            {"a.conv1d.2.bias", {1, kWidth}},
                            {"a.position_embd.weight", {kWidth, kPlaces}},
                            {"a.blk.0.ffn_up.weight", {kWidth, kHidden}},
                            {"a.blk.0.ffn_up.bias", {kHidden}},
                            {"a.blk.0.ffn_down.weight", {kHidden, kWidth}},
                            {"mm.a.mlp.1.weight", {4 * kWidth, kMiddle}},
                            {"mm.a.mlp.1.bias", {kMiddle}},
                            {"mm.a.mlp.2.weight", {kMiddle, kRow}}};
  for (const char* square : {"attn_q", "attn_k", "attn_v", "attn_out"})
    all.push_back({fmt::format("a.blk.0.{}.weight", square), {kWidth, kWidth}});
  for (const char* bias : {"attn_q", "attn_v", "attn_out", "ffn_down"})
    all.push_back({fmt::format("a.blk.0.{}.bias", bias), {kWidth}});
  for (const char* norm : {"a.blk.0.ln1", "a.blk.0.ln2", "a.post_ln", "mm.a.norm_pre"})
    for (const char* part : {"weight", "bias"}) all.push_back({fmt::format("{}.{}", norm, part), {kWidth}});
  for (const char* row : {"mm.a.mlp.2.bias", "v.boi", "v.eoi"}) all.push_back({row, {kRow}});
  return all;
}

void set_metadata(gguf_context* gguf, bool unpadded) {
  gguf_set_val_str(gguf, "general.architecture", "clip");
  gguf_set_val_str(gguf, "general.type", "mmproj");
  gguf_set_val_bool(gguf, "clip.has_audio_encoder", true);
  gguf_set_val_str(gguf, "clip.audio.projector_type", "glma");
  if (unpadded) gguf_set_val_bool(gguf, "clip.audio.unpadded", true);
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, std::uint32_t>>{{"embedding_length", 32},
                                                          {"attention.head_count", 2},
                                                          {"feed_forward_length", 64},
                                                          {"block_count", 1},
                                                          {"projection_dim", 576},
                                                          {"num_mel_bins", 80},
                                                          {"projector.stack_factor", 4}})
    gguf_set_val_u32(gguf, ("clip.audio." + key).c_str(), value);
  gguf_set_val_f32(gguf, "clip.audio.attention.layer_norm_epsilon", 1e-5F);
}

/// Small random weights in a file that lives as long as this.
class TinyEars {
 public:
  explicit TinyEars(bool unpadded)
      : path_(fmt::format("{}ears-{}-{}.gguf", testing::TempDir(), getpid(), unpadded)) {
    const GgufHandle gguf(gguf_init_empty());
    set_metadata(gguf.get(), unpadded);
    const std::unique_ptr<ggml_context, FreeWith<ggml_free>> tensors(
        ggml_init({.mem_size = 64 * ggml_tensor_overhead(), .mem_buffer = nullptr, .no_alloc = true}));
    std::vector<ggml_tensor*> all;
    for (const Shape& shape : shapes()) {
      const int sides = static_cast<int>(shape.sides.size());
      all.push_back(ggml_new_tensor(tensors.get(), shape.type, sides, shape.sides.data()));
      gguf_add_tensor(gguf.get(), ggml_set_name(all.back(), shape.name.c_str()));
    }
    auto writer = GgufWriter::create(path_, gguf.get());
    std::mt19937 random(1);
    for (const ggml_tensor* tensor : all) {
      std::vector<float> values(static_cast<std::size_t>(ggml_nelements(tensor)));
      for (float& value : values) value = (static_cast<float>(random()) / 4294967296.0F - 0.5F) * 0.4F;
      std::vector<std::uint8_t> bytes(ggml_nbytes(tensor));
      if (tensor->type == GGML_TYPE_F32)
        std::memcpy(bytes.data(), values.data(), bytes.size());
      else
        ggml_fp32_to_fp16_row(values.data(), reinterpret_cast<ggml_fp16_t*>(bytes.data()),
                              ggml_nelements(tensor));
      EXPECT_TRUE(writer->append(bytes.data(), bytes.size()));
    }
    EXPECT_TRUE(writer->finish());
  }
  ~TinyEars() { std::filesystem::remove(path_); }
  TinyEars(const TinyEars&) = delete;
  TinyEars& operator=(const TinyEars&) = delete;

  LlamaOptions options() const {
    LlamaOptions options = small_options();
    options.mmproj = path_;
    return options;
  }

 private:
  std::string path_;
};

/// Rows of a sound of so many samples; all of them numbers.
std::size_t rows_of(Encoder& encoder, std::size_t samples) {
  Utterance utterance;
  std::mt19937 random(2);
  for (std::size_t i = 0; i < samples; ++i)
    utterance.samples.push_back(static_cast<float>(random()) / 4294967296.0F - 0.5F);
  const Medium medium = &utterance;
  const auto encoded = encoder.encode({&medium, 1});
  if (!encoded) {
    ADD_FAILURE() << encoded.error().message;
    return 0;
  }
  std::size_t rows = 0;
  for (const Piece& piece : (*encoded)[0].pieces)
    if (const auto* run = std::get_if<EmbeddingRun>(&piece)) {
      rows += run->rows->rows;
      for (const float value : run->rows->values) EXPECT_TRUE(std::isfinite(value)) << samples;
    }
  return rows;
}

TEST(UnpaddedSound, TakesARowForEach80MillisecondsThatWereHeard) {
  const TinyEars ears(true);
  const Engine engine = load(ears.options());
  EXPECT_EQ(rows_of(*engine.encoder, 25 * kRowSamples), 25U + 2);
  EXPECT_EQ(rows_of(*engine.encoder, 25 * kRowSamples + 1), 26U + 2);
  EXPECT_EQ(rows_of(*engine.encoder, 3 * kRowSamples - 1), 3U + 2);
  EXPECT_EQ(rows_of(*engine.encoder, 375 * kRowSamples), kPaddedRows);
}

TEST(UnpaddedSound, GoesOnInAnotherChunkAfter30Seconds) {
  const TinyEars ears(true);
  const Engine engine = load(ears.options());
  EXPECT_EQ(rows_of(*engine.encoder, 376 * kRowSamples), kPaddedRows + 1 + 2);
  EXPECT_EQ(rows_of(*engine.encoder, 1500 * kRowSamples), 4 * kPaddedRows);
}

TEST(UnpaddedSound, WithoutTheKeyASoundIsPaddedTo30SecondsAsUpstreamDoes) {
  const TinyEars ears(false);
  const Engine engine = load(ears.options());
  EXPECT_EQ(rows_of(*engine.encoder, 25 * kRowSamples), kPaddedRows);
}

}  // namespace
}  // namespace braid::engine::llama
