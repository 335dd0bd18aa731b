#include "memory/memories.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "braid/base/virtual_clock.h"
#include "memory/session_memory.h"

namespace braid::serve {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

UtcTime at_s(std::int64_t seconds) { return UtcTime(std::chrono::seconds(seconds)); }

class MemoriesTest : public testing::Test {
 protected:
  MemoriesTest() {
    std::string pattern = (fs::temp_directory_path() / "braid-memories-XXXXXX").string();
    parent = mkdtemp(pattern.data());
    open();
  }
  ~MemoriesTest() override {
    memories.reset();
    fs::remove_all(parent);
  }
  void open() {
    memories.reset();
    auto opened = Memories::open(parent + "/m", {}, clock);
    ASSERT_TRUE(opened) << opened.error().message;
    memories = std::move(*opened);
  }
  void keep(const std::string& owner, const std::string& text) {
    auto one = memories->of(owner);
    ASSERT_TRUE(one) << one.error().message;
    retrieve::Record record;
    record.text = text;
    ASSERT_TRUE((*one)->memory()->add(std::move(record)));
    ASSERT_TRUE((*one)->memory()->flush());
  }
  std::vector<std::string> found(const std::string& owner) {
    std::vector<std::string> texts;
    auto one = memories->of(owner);
    if (!one) return {one.error().message};
    const auto hits = (*one)->memory()->search({});
    if (!hits) return {hits.error().message};
    for (const retrieve::Hit& hit : hits->hits) texts.push_back(hit.record.text);
    return texts;
  }

  VirtualClock clock;
  std::string parent;
  std::unique_ptr<Memories> memories;
};

TEST_F(MemoriesTest, AKeyFindsNothingOfAnother) {
  keep("", "the server's own");
  keep("anna", "of anna");
  keep("../anna", "of another anna");
  for (int time = 0; time < 2; ++time) {
    EXPECT_THAT(found(""), ElementsAre("the server's own"));
    EXPECT_THAT(found("anna"), ElementsAre("of anna"));
    EXPECT_THAT(found("../anna"), ElementsAre("of another anna"));
    EXPECT_THAT(found("ben"), IsEmpty());
    open();
  }
  EXPECT_TRUE(fs::exists(parent + "/m/keys/anna/rows.sqlite"));
  EXPECT_FALSE(fs::exists(parent + "/m/anna"));
  EXPECT_EQ(fs::status(parent + "/m/keys").permissions(), fs::perms::owner_all);
}

TEST_F(MemoriesTest, ANameThatIsTooLongHasNone) {
  EXPECT_EQ(memories->of(std::string(100, '/')).error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(memories->counts().failing, 1U);
}

TEST_F(MemoriesTest, OneThatCannotBeOpenedIsCountedUntilItCan) {
  fs::create_directories(parent + "/m/keys");
  std::ofstream(parent + "/m/keys/anna") << "a file";
  EXPECT_FALSE(memories->of("anna"));
  EXPECT_FALSE(memories->of("anna"));
  EXPECT_EQ(memories->counts().failing, 1U);
  fs::remove(parent + "/m/keys/anna");
  EXPECT_TRUE(memories->of("anna"));
  EXPECT_EQ(memories->counts().failing, 0U);
}

TEST_F(MemoriesTest, ThoseThatNobodyUsesAreClosedAndStillCounted) {
  const auto used = memories->of("used");
  for (int i = 0; i < 40; ++i) keep("anna" + std::to_string(i), "x");
  const MemoryCounts counts = memories->counts();
  EXPECT_LT(counts.open, 22U);
  EXPECT_EQ(counts.written, 40U);
  EXPECT_EQ(*memories->of("used"), *used) << "it wasn't closed";
}

TEST(SessionMemoryTest, WhatTheSessionItselfStillSeesIsToldApart) {
  VirtualClock clock;
  std::string pattern = (fs::temp_directory_path() / "braid-session-memory-XXXXXX").string();
  const std::string folder = mkdtemp(pattern.data());
  auto opened = retrieve::Memory::open(folder, {}, clock);
  ASSERT_TRUE(opened);
  const std::shared_ptr<retrieve::Memory> memory = std::move(*opened);
  const auto keep = [&](const char* session, std::int64_t began_s, std::int64_t end_s, const char* source) {
    retrieve::Record record;
    record.session = session;
    record.session_began = at_s(began_s);
    record.start = record.end = at_s(end_s);
    record.text = "weld";
    record.source = source;
    ASSERT_TRUE(memory->add(std::move(record)));
  };
  keep("ours", 1000, 1005, "what came back");
  keep("ours", 1000, 1010, "what was lost");
  keep("ours", 1100, 1120, "since");
  keep("other", 1100, 1120, "another session");
  ASSERT_TRUE(memory->flush());
  SessionMemory session(memory, {.session = "ours", .resumed_at = SessionTime(std::chrono::seconds(8))});
  session.begin(at_s(1100));
  Question question;
  question.text = "weld";
  session.recall(question);
  std::map<std::string, std::optional<SessionTime>> seen;
  for (const Evidence& one : question.evidence) seen[one.source] = one.perceived_at;
  ASSERT_EQ(seen.size(), 4U);
  EXPECT_EQ(seen["what came back"], SessionTime(std::chrono::seconds(5)));
  EXPECT_EQ(seen["what was lost"], std::nullopt);
  EXPECT_EQ(seen["since"], SessionTime(std::chrono::seconds(20)));
  EXPECT_EQ(seen["another session"], std::nullopt);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace braid::serve
