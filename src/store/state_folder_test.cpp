#include "braid/store/state_folder.h"

#include "braid/store/budget.h"
#include "folder_for_tests.h"

namespace braid::store {
namespace {

using StateFolderTest = FolderTest;

const std::string kA = "sess_" + std::string(32, 'a'), kB = "sess_" + std::string(32, 'b');

TEST_F(StateFolderTest, EachSessionHasAFolderThatOthersCannotSee) {
  auto state = StateFolder::open(path("state"));
  ASSERT_TRUE(state) << state.error().message;
  const auto made = state->make(kB);
  ASSERT_TRUE(made);
  ASSERT_TRUE(state->make(kA));
  ASSERT_TRUE(state->make(kA));  // again
  EXPECT_EQ(mode_of(path("state")), 0700U);
  EXPECT_EQ(mode_of(*made), 0700U);
  EXPECT_EQ(state->names(), (std::vector<std::string>{kA, kB}));
  for (const char* ours : {"/snapshot", "/snapshot.new", "/log-0000000000000a00"}) write(*made + ours, "x");
  ASSERT_TRUE(state->remove(kB));
  ASSERT_TRUE(state->remove(kB));
  EXPECT_EQ(state->names(), (std::vector<std::string>{kA}));
}

TEST_F(StateFolderTest, NamesLeadNowhereElse) {
  auto state = StateFolder::open(path("state"));
  write(path("theirs"), "x");
  for (const std::string name :
       {"", ".", "..", "../theirs", "a/b", "a\\b", ".lock", "ä", "sess_", "photos"}) {
    EXPECT_EQ(state->make(name).error().code, ErrorCode::kUsage) << name;
    EXPECT_TRUE(state->remove(name)) << name;
  }
  EXPECT_FALSE(state->make(kA + "a"));
  EXPECT_FALSE(state->make("sess_" + std::string(32, 'A')));
  EXPECT_FALSE(state->make(std::string_view("sess_a\0b", 8)));
  EXPECT_TRUE(std::filesystem::exists(path("theirs")));
  std::filesystem::create_symlink(folder, path("state") + "/" + kB);
  EXPECT_FALSE(state->make(kB));
  EXPECT_TRUE(state->remove(kB));
  EXPECT_TRUE(std::filesystem::exists(path("theirs")));
  EXPECT_TRUE(state->names().empty());
}

TEST_F(StateFolderTest, AFolderThatHoldsOtherThingsIsRefusedAndStaysAsItIs) {
  for (const char* theirs : {"thesis.txt", ".lock", "work/a.c"}) {
    const std::string home = path("home");
    std::filesystem::create_directories(home + "/work");
    if (std::string_view(theirs) != "work/a.c") std::filesystem::remove(home + "/work");
    std::filesystem::permissions(home, std::filesystem::perms(0755));
    write(home + "/" + theirs, "mine");
    const auto state = StateFolder::open(home);
    ASSERT_FALSE(state) << theirs;
    EXPECT_EQ(state.error().code, ErrorCode::kUsage) << theirs;
    EXPECT_NE(state.error().message.find("name an empty folder"), std::string::npos) << state.error().message;
    EXPECT_EQ(bytes_of(home + "/" + theirs), "mine");
    EXPECT_EQ(mode_of(home), 0755U);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(home), {}), 1) << theirs;
    std::filesystem::remove_all(home);
  }
}

TEST_F(StateFolderTest, OneOfBeforeTheMarkIsOurs) {
  std::filesystem::create_directories(path("state") + "/" + kA);
  write(path("state") + "/.lock", "");
  std::filesystem::create_directories(path("state") + "/lost+found");
  const auto state = StateFolder::open(path("state"));
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_EQ(state->names(), (std::vector<std::string>{kA}));
  EXPECT_TRUE(std::filesystem::exists(path("state") + "/braid-state"));
}

TEST_F(StateFolderTest, WhatOthersPutThereStays) {
  ASSERT_TRUE(StateFolder::open(path("state")));
  const std::string notes = path("state") + "/notes", inside = path("state") + "/" + kA;
  std::filesystem::create_directories(notes);
  std::filesystem::create_directories(inside + "/log-0000000000000001");  // a folder isn't ours either
  write(notes + "/snapshot", "mine");
  write(inside + "/readme", "mine");
  write(inside + "/snapshot", "a session's");
  auto state = StateFolder::open(path("state"));
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_EQ(state->names(), (std::vector<std::string>{kA}));
  EXPECT_EQ(state->remove(kA).error().code, ErrorCode::kUsage);
  EXPECT_TRUE(state->remove("notes"));
  EXPECT_EQ(bytes_of(notes + "/snapshot"), "mine");
  EXPECT_EQ(bytes_of(inside + "/readme"), "mine");
  EXPECT_FALSE(std::filesystem::exists(inside + "/snapshot"));
  EXPECT_TRUE(std::filesystem::exists(inside + "/log-0000000000000001"));
}

TEST_F(StateFolderTest, ThatItWasTakenAwayIsNoticed) {
  auto state = StateFolder::open(path("state"));
  EXPECT_TRUE(state->is_there());
  std::filesystem::remove_all(path("state"));
  EXPECT_EQ(state->is_there().error().code, ErrorCode::kResource);
  EXPECT_FALSE(state->make(kA));
  const auto later = StateFolder::open(path("state"));  // another process's
  ASSERT_TRUE(later);
  EXPECT_FALSE(state->make(kA));
  EXPECT_TRUE(later->names().empty());
}

TEST_F(StateFolderTest, TheWholeMayLieElsewhere) {
  std::filesystem::create_directory(path("elsewhere"));
  std::filesystem::permissions(path("elsewhere"), std::filesystem::perms(0750));
  std::filesystem::create_directory_symlink(path("elsewhere"), path("state"));
  auto state = StateFolder::open(path("state"));
  ASSERT_TRUE(state) << state.error().message;
  const auto made = state->make(kA);
  ASSERT_TRUE(made);
  EXPECT_EQ(state->names().size(), 1U);
  EXPECT_EQ(mode_of(path("elsewhere")), 0750U);  // as it was made
  EXPECT_EQ(mode_of(*made), 0700U);
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

TEST(Budget, AChargeIsGivenBackWithWhoHasIt) {
  Budget budget({.bytes = 100, .bytes_per_owner = 60});
  {
    Charge charge(budget, "a");
    ASSERT_TRUE(charge.set(50));
    EXPECT_FALSE(charge.set(61));
    EXPECT_EQ(charge.bytes(), 50U);
    ASSERT_TRUE(charge.set(20));
    EXPECT_EQ(budget.taken(), 20U);
    charge.settle(150);  // it is there
    EXPECT_EQ(budget.taken(), 150U);
    EXPECT_FALSE(budget.take("b", 1));
    EXPECT_FALSE(charge.set(151));
    ASSERT_TRUE(charge.set(30));
  }
  EXPECT_EQ(budget.taken(), 0U);
  EXPECT_TRUE(budget.take("a", 60));
}

TEST_F(StateFolderTest, TheBytesOfASessionAreThoseOfItsFiles) {
  auto state = StateFolder::open(path("state"));
  const std::string inside = *state->make(kA);
  EXPECT_EQ(state->bytes(kA), 0U);
  write(inside + "/snapshot", std::string(100, 'x'));
  write(inside + "/log-0000000000000000", std::string(20, 'x'));
  write(inside + "/log-0000000000000014", std::string(3, 'x'));
  write(inside + "/readme", "mine");
  std::filesystem::create_directory(inside + "/log-0000000000000017");
  std::filesystem::create_symlink(path("elsewhere"), inside + "/log-0000000000000018");
  EXPECT_EQ(state->bytes(kA), 123U);
  EXPECT_EQ(state->bytes("sess_none"), 0U);
}

}  // namespace
}  // namespace braid::store
