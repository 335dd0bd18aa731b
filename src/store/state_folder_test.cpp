#include "braid/store/state_folder.h"

#include "braid/store/budget.h"
#include "folder_for_tests.h"

namespace braid::store {
namespace {

using StateFolderTest = FolderTest;

TEST_F(StateFolderTest, EachSessionHasAFolderThatOthersCannotSee) {
  auto state = StateFolder::open(path("state"));
  ASSERT_TRUE(state) << state.error().message;
  const auto made = state->make("sess_b");
  ASSERT_TRUE(made);
  ASSERT_TRUE(state->make("sess_a"));
  ASSERT_TRUE(state->make("sess_a"));  // again
  EXPECT_EQ(mode_of(path("state")), 0700U);
  EXPECT_EQ(mode_of(*made), 0700U);
  EXPECT_EQ(state->names(), (std::vector<std::string>{"sess_a", "sess_b"}));
  write(*made + "/snapshot", "x");
  ASSERT_TRUE(state->remove("sess_b"));
  ASSERT_TRUE(state->remove("sess_b"));
  EXPECT_EQ(state->names(), (std::vector<std::string>{"sess_a"}));
}

TEST_F(StateFolderTest, NamesLeadNowhereElse) {
  auto state = StateFolder::open(path("state"));
  write(path("theirs"), "x");
  for (const std::string name : {"", ".", "..", "../theirs", "a/b", "a\\b", ".lock", "ä"}) {
    EXPECT_EQ(state->make(name).error().code, ErrorCode::kUsage) << name;
    EXPECT_TRUE(state->remove(name)) << name;
  }
  EXPECT_FALSE(state->make(std::string(65, 'a')));
  EXPECT_FALSE(state->make(std::string_view("a\0b", 3)));
  EXPECT_TRUE(std::filesystem::exists(path("theirs")));
  std::filesystem::create_symlink(folder, path("state") + "/link");
  EXPECT_FALSE(state->make("link"));
  EXPECT_TRUE(state->names().empty());
}

TEST_F(StateFolderTest, TheWholeMayLieElsewhere) {
  std::filesystem::create_directory(path("elsewhere"));
  std::filesystem::create_directory_symlink(path("elsewhere"), path("state"));
  auto state = StateFolder::open(path("state"));
  ASSERT_TRUE(state) << state.error().message;
  ASSERT_TRUE(state->make("sess_a"));
  EXPECT_EQ(state->names().size(), 1U);
  EXPECT_EQ(mode_of(path("elsewhere")), 0700U);
}

TEST_F(StateFolderTest, OneProcessAtATimeHasIt) {
  {
    auto state = StateFolder::open(path("state"));
    ASSERT_TRUE(state);
    EXPECT_EQ(StateFolder::open(path("state")).error().code, ErrorCode::kFull);
  }
  EXPECT_TRUE(StateFolder::open(path("state") + "/"));
  EXPECT_EQ(StateFolder::open(path("no/state")).error().code, ErrorCode::kNotFound);
  write(path("file"), "");
  EXPECT_EQ(StateFolder::open(path("file")).error().code, ErrorCode::kUsage);
}

TEST(Budget, NobodyKeepsMoreThanTheirs) {
  Budget budget({.bytes = 100, .bytes_per_owner = 60});
  EXPECT_TRUE(budget.take("a", 60));
  EXPECT_EQ(budget.take("a", 1).error().code, ErrorCode::kLimit);
  EXPECT_TRUE(budget.take("b", 40));
  EXPECT_FALSE(budget.take("c", 1));
  EXPECT_FALSE(budget.take("c", ~0ULL));
  budget.give("a", 30);
  EXPECT_TRUE(budget.take("c", 30));
  EXPECT_EQ(budget.taken(), 100U);
  budget.give("nobody", 5);
  EXPECT_EQ(budget.taken(), 100U);
}

}  // namespace
}  // namespace braid::store
