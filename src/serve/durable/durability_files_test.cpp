#include <chrono>
#include <fstream>
#include <iterator>

#include "durability_fixture.h"

namespace braid::serve {
namespace {

using DurabilityFilesTest = DurabilityTest;

TEST_F(DurabilityFilesTest, WhatCouldNotBeWrittenIsTriedAgain) {
  kept.max_bytes = 100;
  start();
  begin();
  clock.sleep_for(std::chrono::seconds(10));
  const auto failed = durability->counts().failed;
  clock.sleep_for(std::chrono::seconds(10));
  EXPECT_EQ(durability->counts().failed, failed + 5);
}

TEST_F(DurabilityFilesTest, FilesThatAreCutOrRemovedWhileItLivesAreMadeAnew) {
  for (const char* what : {"cut snapshot", "cut log", "no folder"}) {
    start();
    const std::string token = begin(), id = live->id(), folder = kept.state_dir + "/" + id;
    clock.sleep_for(Milliseconds(4500));
    const auto before = durability->counts();
    EXPECT_EQ(before.failed, 0U) << what;
    if (what == std::string("cut snapshot")) std::filesystem::resize_file(folder + "/snapshot", 0);
    if (what == std::string("cut log")) std::filesystem::resize_file(folder + "/log-0000000000000000", 10);
    if (what == std::string("no folder")) std::filesystem::remove_all(folder);
    clock.sleep_for(Milliseconds(4000));
    EXPECT_EQ(durability->counts().failed, 1U) << what;
    EXPECT_GT(durability->counts().written, before.written) << what;
    die();
    start();
    auto back = resume(id, token);
    ASSERT_TRUE(back) << what << back.error().message;
    EXPECT_GE(image.timeline.size(), 6U) << what;
    EXPECT_EQ(durability->counts().refused, 0U) << what;
    live = *back;
    die();
  }
}

TEST_F(DurabilityFilesTest, AStateFolderThatIsTakenAwayIsToldAndCostsNothingElse) {
  start();
  begin();
  clock.sleep_for(Milliseconds(2500));
  std::filesystem::remove_all(kept.state_dir);
  clock.sleep_for(Milliseconds(4000));
  EXPECT_GE(durability->counts().failed, 1U);
  EXPECT_FALSE(std::filesystem::exists(kept.state_dir));
  EXPECT_EQ(begin(), "");
}

TEST_F(DurabilityFilesTest, OneThatWasEndedLeavesNothing) {
  start();
  begin();
  clock.sleep_for(Milliseconds(2500));
  const std::string id = live->id();
  sessions->end(id, owner);
  live.reset();
  EXPECT_FALSE(durability->forget(id, "another"));
  EXPECT_TRUE(durability->forget(id, owner));
  EXPECT_FALSE(std::filesystem::exists(kept.state_dir + "/" + id));
  EXPECT_EQ(durability->counts().bytes, 0U);
}

TEST_F(DurabilityFilesTest, ABeginThatFailsCostsNothing) {
  const auto [id, token] = leave_one();
  const auto failed = durability->resume({id, token}, owner, SessionKind::kSources, [](const Resumed&) {
    return Result<std::shared_ptr<LiveSession>>(fail(ErrorCode::kFull, "no room", true));
  });
  EXPECT_EQ(failed.error().code, ErrorCode::kFull);
  auto back = resume(id, token);
  ASSERT_TRUE(back) << back.error().message;
  live = *back;
}

TEST_F(DurabilityFilesTest, WhatIsNotASessionsIsToldAndGoesWithTheRest) {
  kept.resume_for = std::chrono::seconds(10);
  const std::string broken = "sess_" + std::string(32, 'b'), empty = "sess_" + std::string(32, 'e');
  std::filesystem::create_directories(kept.state_dir + "/" + broken);
  std::filesystem::create_directories(kept.state_dir + "/" + empty);
  std::ofstream(kept.state_dir + "/" + broken + "/snapshot") << "no snapshot";
  start();
  EXPECT_EQ(durability->counts().refused, 1U);
  EXPECT_TRUE(durability->resumable("").empty());
  const Error told = resume(broken, "x").error(), unknown = resume(empty, "x").error();
  EXPECT_EQ(told.code, ErrorCode::kNotFound);
  EXPECT_EQ(told.message.size(), unknown.message.size());
  EXPECT_FALSE(std::filesystem::exists(kept.state_dir + "/" + empty));
  clock.sleep_for(std::chrono::seconds(13));
  EXPECT_FALSE(std::filesystem::exists(kept.state_dir + "/" + broken));
}

TEST_F(DurabilityFilesTest, WhatWaitsForItsClientCountsInThisProcessAndTheNext) {
  const auto [id, token] = leave_one();
  const auto of = [&, id = id] {
    std::uint64_t bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(kept.state_dir + "/" + id))
      bytes += file.file_size();
    return bytes;
  };
  EXPECT_GT(of(), 128U << 10);
  EXPECT_EQ(durability->counts().bytes, of());
  auto back = resume(id, token);
  ASSERT_TRUE(back) << back.error().message;
  live = *back;
  clock.sleep_for(Milliseconds(4500));
  EXPECT_EQ(durability->counts().bytes, of());
  sessions->end(live, [&, id = id] { durability->leave(id); });
  live.reset();
  sessions->wait_for_ending(clock.now() + std::chrono::seconds(10));
  EXPECT_EQ(durability->counts().bytes, of());
  EXPECT_TRUE(durability->forget(id, owner));
  EXPECT_EQ(durability->counts().bytes, 0U);
}

TEST_F(DurabilityFilesTest, WhoComesAndGoesLeavesNoMoreThanMayBeKept) {
  kept.max_bytes = kept.max_bytes_per_key = 300U << 10;  // two
  start();
  for (int i = 0; i < 6; ++i) {
    begin();
    const std::string id = live->id();
    clock.sleep_for(Milliseconds(500));
    durability->write_last(live, "");
    clock.sleep_for(Milliseconds(2500));
    sessions->end(live, [&] { durability->leave(id); });
    live.reset();
    sessions->wait_for_ending(clock.now() + std::chrono::seconds(10));
  }
  EXPECT_LE(durability->counts().bytes, kept.max_bytes);
  EXPECT_GE(durability->counts().failed, 4U);
  EXPECT_EQ(durability->resumable(owner).size(), 2U);
  std::size_t folders = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kept.state_dir))
    folders += entry.is_directory() ? 1 : 0;
  EXPECT_EQ(folders, 2U);
}

TEST_F(DurabilityFilesTest, WhatALaterVersionWentOnWithIsLeftAsItIs) {
  kept.resume_for = std::chrono::seconds(10);
  for (const char* file : {"snapshot", "log-0000000000000000"}) {
    start();
    const std::string token = begin(), id = live->id(), path = kept.state_dir + "/" + id + "/" + file;
    clock.sleep_for(Milliseconds(4500));
    die();
    std::fstream later(path, std::ios::in | std::ios::out | std::ios::binary);
    later.seekp(8);
    later.put(2);
    later.close();
    const auto bytes = [&] {
      std::ifstream in(path, std::ios::binary);
      return std::string(std::istreambuf_iterator<char>(in), {});
    };
    const std::string before = bytes();
    start();
    EXPECT_EQ(durability->counts().refused, 1U) << file;
    EXPECT_GT(durability->counts().bytes, before.size()) << file;
    EXPECT_EQ(resume(id, token).error().code, ErrorCode::kNotFound) << file;
    EXPECT_FALSE(durability->forget(id, owner)) << file;
    clock.sleep_for(std::chrono::seconds(20));
    EXPECT_EQ(bytes(), before) << file;
    std::filesystem::remove_all(kept.state_dir + "/" + id);
    die();
  }
}

}  // namespace
}  // namespace braid::serve
