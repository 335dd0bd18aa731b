#include "watch/source_specs.h"

#include <gmock/gmock.h>

namespace braid::serve {
namespace {

using testing::ElementsAre;

std::vector<std::string> names(const std::vector<std::string>& texts) {
  std::vector<std::string> names;
  const auto specs = parse_sources(texts);
  for (const auto& spec : specs.value_or(std::vector<ingest::SourceSpec>{})) names.push_back(spec.name);
  return names;
}

TEST(SourceSpecs, NamesMadeFromTargetsAreNumberedWhereTheyAreTaken) {
  EXPECT_THAT(names({"a/clip.mp4", "b/clip.mp4", "c/clip.mp4"}), ElementsAre("clip", "clip-2", "clip-3"));
  EXPECT_THAT(names({"clip.mp4", "clip-2.mp4", "b/clip.mp4"}), ElementsAre("clip", "clip-2", "clip-3"));
}

TEST(SourceSpecs, AGivenNameIsKeptAndTheOthersGiveWay) {
  EXPECT_THAT(names({"clip.mp4", "name=clip,file=other.mp4"}), ElementsAre("clip-2", "clip"));
}

TEST(SourceSpecs, OneNameGivenTwiceIsRefused) {
  const auto refused = parse_sources({"name=press,file=a.csv", "name=press,file=b.csv"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace braid::serve
