#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "braid/sync/turn_model.h"
#include "turn_reference_for_tests.h"

namespace braid::sync {
namespace {

/// Where set-up puts the model.
std::string model_path() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  const std::filesystem::path root =
      cache && *cache ? std::filesystem::path(cache) : std::filesystem::path(home ? home : "") / ".cache";
  return (root / "braid" / "models" / "smart-turn-v3.2-cpu.onnx").string();
}

TEST(SmartTurn, SaysWhatTheReferenceSays) {
  if (!std::filesystem::exists(model_path())) GTEST_SKIP() << "no " << model_path() << "; run `make model`";
  auto model = make_smart_turn(model_path());
  ASSERT_TRUE(model) << model.error().message;
  for (const test::TurnReference& reference : test::read_turn_references()) {
    const auto probability = (*model)->finished(reference.sound);
    ASSERT_TRUE(probability);
    // Its weights are 8-bit integers: runtimes differ in where they round.
    EXPECT_NEAR(*probability, reference.probability, 0.1) << reference.file;
  }
}

TEST(SmartTurn, AMissingFileIsNotFound) {
  const auto model = make_smart_turn("no/such/model.onnx");
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code, ErrorCode::kNotFound);
}

TEST(SmartTurn, AFileThatIsNoModelIsBadInput) {
  const std::string path = testing::TempDir() + "braid_no_turn_model.onnx";
  std::ofstream(path) << "this is no model";
  const auto model = make_smart_turn(path);
  std::filesystem::remove(path);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code, ErrorCode::kBadInput);
}

}  // namespace
}  // namespace braid::sync
