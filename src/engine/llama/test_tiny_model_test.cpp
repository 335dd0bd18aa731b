// Helpers of the other tests here; the name keeps them out of the library.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "gguf_writer.h"
#include "test_tiny_model.h"

namespace braid::engine::llama {

namespace {

struct Shape {
  std::string name;
  std::int64_t columns, rows;  // rows 1: a vector of ones
};

std::vector<Shape> shapes(int dim, int layers) {
  std::vector<Shape> all = {{"token_embd.weight", dim, kTinyVocabulary},
                            {"output_norm.weight", dim, 1},
                            {"output.weight", dim, kTinyVocabulary}};
  for (int i = 0; i < layers; ++i) {
    const std::string block = fmt::format("blk.{}.", i);
    for (const char* square : {"attn_q.weight", "attn_output.weight"})
      all.push_back({block + square, dim, dim});
    for (const char* half : {"attn_k.weight", "attn_v.weight"}) all.push_back({block + half, dim, dim / 2});
    for (const char* wide : {"ffn_gate.weight", "ffn_up.weight"}) all.push_back({block + wide, dim, 2 * dim});
    all.push_back({block + "ffn_down.weight", 2 * dim, dim});
    for (const char* norm : {"attn_norm.weight", "ffn_norm.weight"}) all.push_back({block + norm, dim, 1});
  }
  return all;
}

void set_metadata(gguf_context* gguf, int dim, int layers) {
  gguf_set_val_str(gguf, "general.architecture", "llama");
  gguf_set_val_str(gguf, "general.name", "tiny");
  gguf_set_val_str(gguf, "tokenizer.ggml.model", "none");
  const auto number = [&](const char* key, int value) {
    gguf_set_val_u32(gguf, key, static_cast<std::uint32_t>(value));
  };
  number("llama.vocab_size", kTinyVocabulary);
  number("llama.context_length", 2048);
  number("llama.embedding_length", dim);
  number("llama.block_count", layers);
  number("llama.feed_forward_length", 2 * dim);
  number("llama.attention.head_count", dim / 16);
  number("llama.attention.head_count_kv", dim / 32);
  gguf_set_val_f32(gguf, "llama.attention.layer_norm_rms_epsilon", 1e-5F);
}

}  // namespace

void write_tiny_model(const std::string& path, int dim, unsigned seed) {
  constexpr int kLayers = 2;
  const GgufHandle gguf(gguf_init_empty());
  set_metadata(gguf.get(), dim, kLayers);
  const std::unique_ptr<ggml_context, FreeWith<ggml_free>> tensors(
      ggml_init({.mem_size = 64 * ggml_tensor_overhead(), .mem_buffer = nullptr, .no_alloc = true}));
  for (const Shape& shape : shapes(dim, kLayers)) {
    ggml_tensor* tensor = shape.rows == 1
                              ? ggml_new_tensor_1d(tensors.get(), GGML_TYPE_F32, shape.columns)
                              : ggml_new_tensor_2d(tensors.get(), GGML_TYPE_F32, shape.columns, shape.rows);
    gguf_add_tensor(gguf.get(), ggml_set_name(tensor, shape.name.c_str()));
  }
  auto writer = GgufWriter::create(path, gguf.get());
  ASSERT_TRUE(writer);
  std::mt19937 random(seed);
  for (const Shape& shape : shapes(dim, kLayers)) {
    std::vector<float> values(static_cast<std::size_t>(shape.columns * shape.rows), 1.0F);
    if (shape.rows > 1)
      for (float& value : values)  // not std::normal_distribution: its draws differ between libraries
        value = (static_cast<float>(random()) / 4294967296.0F - 0.5F) * 0.4F;
    ASSERT_TRUE(writer->append(values.data(), values.size() * sizeof(float)));
  }
  ASSERT_TRUE(writer->finish());
}

TinyModel::TinyModel(int dim, int cells) {
  options_.model = fmt::format("{}tiny-{}-{}.gguf", testing::TempDir(), getpid(), dim);
  options_.cells = cells;
  options_.max_sequences = 4;
  options_.max_step_rows = 128;
  options_.threads = 1;
  write_tiny_model(options_.model, dim);
  file_ = std::make_unique<GgufFile>(*GgufFile::open(options_.model, "model"));
  auto model = load_model(options_, *file_);
  if (!model) throw std::runtime_error(model.error().message);
  model_ = std::move(*model);
}

TinyModel::~TinyModel() { std::filesystem::remove(options_.model); }

std::unique_ptr<LlamaDecoder> TinyModel::decoder(bool one_pass) const {
  auto decoder = make_decoder(options_, model_);
  if (!decoder) throw std::runtime_error(decoder.error().message);
  if (one_pass) (*decoder)->use_table(*TokenTable::open(*file_, kTinyVocabulary));
  return std::move(*decoder);
}

}  // namespace braid::engine::llama
