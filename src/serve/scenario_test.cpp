// Every scenarios/*.scn is a test of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "scenario/scenario.h"

namespace braid::serve {
namespace {

std::vector<std::string> all_scenarios() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator("scenarios"))
    if (entry.path().extension() == ".scn") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

class ScenarioFileTest : public testing::TestWithParam<std::string> {};

TEST_P(ScenarioFileTest, GivesWhatItExpects) {
  std::ifstream file(GetParam());
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto scenario = parse_scenario(text);
  ASSERT_TRUE(scenario) << GetParam() << ": " << scenario.error().message;
  for (const std::string& failure : run_scenario(*scenario)) ADD_FAILURE() << GetParam() << ": " << failure;
}

INSTANTIATE_TEST_SUITE_P(Scenarios, ScenarioFileTest, testing::ValuesIn(all_scenarios()),
                         [](const auto& test) { return std::filesystem::path(test.param).stem().string(); });

}  // namespace
}  // namespace braid::serve
