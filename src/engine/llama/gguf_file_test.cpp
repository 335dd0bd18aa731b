#include "gguf_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "test_model.h"

namespace braid::engine::llama {
namespace {

class GgufFileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& bytes) const {
    const auto path = folder_ / "file.gguf";
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  std::filesystem::path folder_;
};

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(GgufFileTest, AMissingFileNamesTheCommandThatPreparesIt) {
  const auto file = GgufFile::open(folder_ / "none.gguf", "model");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::kNotFound);
  EXPECT_NE(file.error().message.find("check the path"), std::string::npos);
}

TEST_F(GgufFileTest, ForeignBytesAreRefused) {
  for (const std::string& bytes : {std::string(), std::string("GG"), std::string("RIFF....WAVE"),
                                   std::string("GGUF"), "GGUF" + std::string(64, '\xff')}) {
    const auto file = GgufFile::open(write(bytes), "model");
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code, ErrorCode::kBadInput);
  }
  EXPECT_EQ(GgufFile::open(folder_, "model").error().code, ErrorCode::kBadInput);
}

TEST_F(GgufFileTest, AFileCutAnywhereIsRefused) {
  const std::string whole = bytes_of("models/nano/lora-nano.gguf");
  ASSERT_GT(whole.size(), 1000U);
  for (const std::size_t length : {100UL, 5000UL, whole.size() / 2, whole.size() - 1}) {
    const auto file = GgufFile::open(write(whole.substr(0, length)), "adapter");
    ASSERT_FALSE(file) << length;
    EXPECT_EQ(file.error().code, ErrorCode::kBadInput) << length;
  }
  EXPECT_TRUE(GgufFile::open(write(whole), "adapter"));
}

TEST_F(GgufFileTest, EncodersAndAdaptersAreToldFromModels) {
  EXPECT_TRUE(GgufFile::open(mmproj_path(), "mmproj")->is_encoder());
  EXPECT_TRUE(GgufFile::open("models/nano/lora-nano.gguf", "adapter")->is_adapter());
  EXPECT_FALSE(GgufFile::open("models/nano/lora-nano.gguf", "adapter")->is_encoder());
}

}  // namespace
}  // namespace braid::engine::llama
