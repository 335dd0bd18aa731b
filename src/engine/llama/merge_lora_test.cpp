#include "braid/engine/merge_lora.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>

#include "gguf_file.h"
#include "gguf_writer.h"
#include "mapped_file.h"

namespace braid::engine::llama {
namespace {

using Values = std::vector<float>;
struct Entry {
  std::int64_t columns, rows;
  Values values;
};
using Entries = std::map<std::string, Entry>;

Values wave(std::size_t n, float step) {
  Values values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = std::sin(step * static_cast<float>(i));
  return values;
}

class MergeLora : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(testing::TempDir()) /
        fmt::format("merge-{}-{}", getpid(), testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const char* name) const { return folder_ / name; }

  std::string write(const char* name, const Entries& entries, bool adapter,
                    const char* architecture = "llama") {
    const GgufHandle gguf(gguf_init_empty());
    gguf_set_val_str(gguf.get(), "general.architecture", architecture);
    if (adapter) {
      gguf_set_val_str(gguf.get(), "general.type", "adapter");
      gguf_set_val_str(gguf.get(), "adapter.type", "lora");
      gguf_set_val_f32(gguf.get(), "adapter.lora.alpha", 4.0F);
    } else {
      gguf_set_val_str(gguf.get(), "general.name", "kept");
      gguf_set_val_u32(gguf.get(), "general.file_type", 0);
    }
    const std::unique_ptr<ggml_context, FreeWith<ggml_free>> tensors(
        ggml_init({.mem_size = 32 * ggml_tensor_overhead(), .mem_buffer = nullptr, .no_alloc = true}));
    for (const auto& [tensor, entry] : entries)
      gguf_add_tensor(gguf.get(), ggml_set_name(ggml_new_tensor_2d(tensors.get(), GGML_TYPE_F32,
                                                                   entry.columns, entry.rows),
                                                tensor.c_str()));
    auto writer = GgufWriter::create(path(name), gguf.get());
    EXPECT_TRUE(writer);
    for (const auto& [tensor, entry] : entries)
      EXPECT_TRUE(writer->append(entry.values.data(), entry.values.size() * sizeof(float)));
    EXPECT_TRUE(writer->finish());
    return path(name);
  }

  std::filesystem::path folder_;
};

const Entries kBase = {{"a.weight", {64, 3, wave(192, 0.1F)}},
                       {"b.weight", {64, 2, wave(128, 0.3F)}},
                       {"norm.weight", {64, 1, wave(64, 0.7F)}},
                       {"odd.weight", {20, 2, wave(40, 0.2F)}}};
const Entries kAdapter = {{"a.weight.lora_a", {64, 2, wave(128, 0.05F)}},
                          {"a.weight.lora_b", {2, 3, wave(6, 1.0F)}}};

TEST_F(MergeLora, AddsTheScaledProductAndKeepsTheRest) {
  double progress = 0;
  const Status merged = merge_lora(write("base.gguf", kBase, false), write("lora.gguf", kAdapter, true),
                                   path("out.gguf"), [&](double share) { progress = share; });
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(progress, 1.0);
  const auto out = GgufFile::open(path("out.gguf"), "model");
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_EQ(out->text("general.name"), "kept");
  EXPECT_EQ(out->integer("general.file_type"), LLAMA_FTYPE_MOSTLY_Q8_0);
  const auto bytes = MappedFile::open(path("out.gguf"));

  const auto type_of = [&](const char* name) {
    return gguf_get_tensor_type(out->raw(), gguf_find_tensor(out->raw(), name));
  };
  EXPECT_EQ(type_of("a.weight"), GGML_TYPE_Q8_0);
  EXPECT_EQ(type_of("b.weight"), GGML_TYPE_Q8_0);
  EXPECT_EQ(type_of("norm.weight"), GGML_TYPE_F32);
  EXPECT_EQ(type_of("odd.weight"), GGML_TYPE_F32);
  const auto data_of = [&](const char* name) {
    return bytes->data() + out->tensor_at(gguf_find_tensor(out->raw(), name));
  };
  EXPECT_EQ(std::memcmp(data_of("norm.weight"), kBase.at("norm.weight").values.data(), 256), 0);

  Values got(192);
  ggml_get_type_traits(GGML_TYPE_Q8_0)->to_float(data_of("a.weight"), got.data(), 192);
  const Values& a = kAdapter.at("a.weight.lora_a").values;
  const Values& b = kAdapter.at("a.weight.lora_b").values;
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t i = 0; i < 64; ++i) {
      const float change = 4.0F / 2.0F * (b[row * 2] * a[i] + b[row * 2 + 1] * a[64 + i]);
      EXPECT_NEAR(got[row * 64 + i], kBase.at("a.weight").values[row * 64 + i] + change, 0.02)
          << row << " " << i;
    }
}

TEST_F(MergeLora, AnAdapterOfAnotherModelIsRefusedAndNothingIsLeftBehind) {
  const std::string base = write("base.gguf", kBase, false);
  Entries foreign = kAdapter;
  foreign["c.weight.lora_a"] = foreign["a.weight.lora_a"];
  foreign["c.weight.lora_b"] = foreign["a.weight.lora_b"];
  Entries wide = kAdapter;
  wide["a.weight.lora_a"] = {32, 2, wave(64, 0.1F)};
  Entries half = kAdapter;
  half.erase("a.weight.lora_b");
  Entries table = kAdapter;
  table["token_embd.weight.lora_a"] = table["a.weight.lora_a"];
  const auto code = [&](const std::string& lora) {
    return merge_lora(base, lora, path("out.gguf")).error().code;
  };
  EXPECT_EQ(code(write("foreign.gguf", foreign, true)), ErrorCode::kMismatch);
  EXPECT_EQ(code(write("wide.gguf", wide, true)), ErrorCode::kMismatch);
  EXPECT_EQ(code(write("other.gguf", kAdapter, true, "qwen2")), ErrorCode::kMismatch);
  EXPECT_EQ(code(write("half.gguf", half, true)), ErrorCode::kBadInput);
  EXPECT_EQ(code(write("table.gguf", table, true)), ErrorCode::kUnsupported);
  EXPECT_EQ(code(base), ErrorCode::kBadInput);
  EXPECT_EQ(merge_lora(write("lora.gguf", kAdapter, true), base, path("out.gguf")).error().code,
            ErrorCode::kMismatch);
  EXPECT_EQ(merge_lora(path("none.gguf"), base, path("out.gguf")).error().code, ErrorCode::kNotFound);
  for (const auto& file : std::filesystem::directory_iterator(folder_))
    EXPECT_EQ(file.path().filename().string().find("out"), std::string::npos) << file.path();
}

TEST_F(MergeLora, APlaceThatCantBeWrittenIsSaidSo) {
  const Status merged = merge_lora(write("base.gguf", kBase, false), write("lora.gguf", kAdapter, true),
                                   path("no/such/folder/out.gguf"));
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().code, ErrorCode::kResource);
}

}  // namespace
}  // namespace braid::engine::llama
