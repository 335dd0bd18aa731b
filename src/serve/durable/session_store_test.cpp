#include "durable/session_store.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace braid::serve {
namespace {

class SessionStoreTest : public testing::Test {
 protected:
  SessionStoreTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "braid-session-XXXXXX").string();
    folder = mkdtemp(pattern.data());
    model.name = "m";
    model.dim = 64;
    model.vocabulary = 100;
  }
  ~SessionStoreTest() override {
    store.reset();
    std::filesystem::remove_all(folder);
  }
  void open() {
    store.reset();
    auto opened = SessionStore::open(folder, charge);
    ASSERT_TRUE(opened) << opened.error().message;
    store = std::move(*opened);
  }
  /// Perceived at that second.
  static kv::Kept chunk(int at, std::size_t rows = 8) {
    auto chunk = std::make_shared<Chunk>();
    chunk->id = ChunkId{at};
    chunk->modality = Modality::kVision;
    chunk->start = chunk->end = SessionTime(std::chrono::seconds(at));
    chunk->prompt.append(TokenRun{1, 2, at});
    EmbeddingRun run;
    run.rows = std::make_shared<Matrix>(rows, 64);
    run.positions = static_cast<int>(rows);
    const_cast<Matrix&>(*run.rows).values[0] = static_cast<float>(at);
    chunk->prompt.pieces.emplace_back(run);
    return chunk;
  }
  static kv::Kept turns(int at) {
    kv::Turns turns;
    turns.prompt.append(TokenRun{7, 8});
    turns.at = SessionTime(std::chrono::seconds(at));
    return std::make_shared<const kv::Turns>(std::move(turns));
  }
  Result<std::size_t> write() {
    SavedSession saved;
    saved.id = "sess_1";
    saved.model = fingerprint_of(model);
    image.now = SessionTime(std::chrono::seconds(++writes));
    return store->write(std::move(saved), image, SteadyTime{}, 1000);
  }
  std::uint64_t log_bytes() const {
    std::uint64_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().filename().string().starts_with("log-")) bytes += entry.file_size();
    return bytes;
  }

  std::string folder;
  engine::EngineInfo model;
  store::Budget budget{{.bytes = 8U << 20, .bytes_per_owner = 8U << 20}};
  std::shared_ptr<store::Charge> charge = std::make_shared<store::Charge>(budget, "owner");
  std::unique_ptr<SessionStore> store;
  SessionImage image;
  int writes = 0;
};

TEST_F(SessionStoreTest, AnImageComesBackAsItWas) {
  open();
  image.timeline = {chunk(1), turns(2), chunk(3)};
  image.evicted = 5;
  image.next_question = 2;
  ASSERT_EQ(*write(), 0U);
  open();
  const auto loaded = store->load(model);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->image.now, image.now);
  EXPECT_EQ(loaded->image.evicted, 5U);
  EXPECT_EQ(loaded->image.next_question, 2);
  ASSERT_EQ(loaded->image.timeline.size(), 3U);
  const auto& said = *std::get<std::shared_ptr<const kv::Turns>>(loaded->image.timeline[1]);
  EXPECT_EQ(said.at, SessionTime(std::chrono::seconds(2)));
  EXPECT_EQ(std::get<TokenRun>(said.prompt.pieces.at(0)), (TokenRun{7, 8}));
  const Chunk& last = *std::get<std::shared_ptr<const Chunk>>(loaded->image.timeline[2]);
  EXPECT_EQ(last.id.value, 3);
  EXPECT_EQ(last.modality, Modality::kVision);
  EXPECT_EQ(last.end, SessionTime(std::chrono::seconds(3)));
  EXPECT_EQ(std::get<TokenRun>(last.prompt.pieces[0]), (TokenRun{1, 2, 3}));
  EXPECT_EQ(std::get<EmbeddingRun>(last.prompt.pieces[1]).rows->values[0], 3.0F);
}

TEST_F(SessionStoreTest, AnEmbeddingIsWrittenOnceInThisProcessAndTheNext) {
  open();
  image.timeline = {chunk(1), chunk(2)};
  ASSERT_TRUE(write());
  const auto after_first = log_bytes();
  EXPECT_GT(after_first, 2 * 8 * 64 * sizeof(float));
  ASSERT_TRUE(write());
  EXPECT_EQ(log_bytes(), after_first);
  open();
  image.timeline = store->load(model)->image.timeline;
  image.timeline.push_back(chunk(3));
  ASSERT_TRUE(write());
  EXPECT_EQ(log_bytes() - 24, (after_first - 24) / 2 * 3);
  EXPECT_EQ(store->load(model)->image.timeline.size(), 3U);
}

TEST_F(SessionStoreTest, TheLogIsTrimmedWithTheWindowAndWhatEitherSlotNeedsStays) {
  open();
  for (int at = 0; at < 200; ++at) {
    image.timeline.push_back(chunk(at % 90, 256));  // 64 KiB each
    if (image.timeline.size() > 8) image.timeline.erase(image.timeline.begin());
    ASSERT_EQ(*write(), 0U) << at;
    ASSERT_LT(log_bytes(), 6U << 20) << at;
  }
  const auto loaded = store->load(model);
  EXPECT_TRUE(loaded->refused.empty());
  EXPECT_EQ(loaded->image.timeline.size(), 8U);
}

TEST_F(SessionStoreTest, WhatFindsNoRoomIsLeftOutUntilThereIsSome) {
  open();
  ASSERT_TRUE(budget.take("owner", (8U << 20) - (200U << 10)));
  image.timeline = {chunk(1), chunk(2, 512)};  // the second: 128 KiB
  ASSERT_EQ(*write(), 1U);
  EXPECT_EQ(store->load(model)->image.timeline.size(), 1U);
  budget.give("owner", 1U << 20);
  ASSERT_EQ(*write(), 0U);
  EXPECT_EQ(store->load(model)->image.timeline.size(), 2U);
  EXPECT_EQ(budget.taken(), (8U << 20) - (200U << 10) - (1U << 20) + store->bytes());
}

TEST_F(SessionStoreTest, WhatIsOnTheDiskCountsWhetherItIsOpenOrNotAndNothingElseDoes) {
  open();
  image.timeline = {chunk(1)};
  ASSERT_TRUE(write());
  const auto kept = log_bytes() + std::filesystem::file_size(folder + "/snapshot");
  EXPECT_EQ(budget.taken(), kept);
  store.reset();
  EXPECT_EQ(budget.taken(), kept);
  open();
  EXPECT_EQ(budget.taken(), kept);
  store.reset();
  charge.reset();
  EXPECT_EQ(budget.taken(), 0U);
}

TEST_F(SessionStoreTest, ASnapshotThatFailsTakesNoRoom) {
  open();
  std::filesystem::create_directory(folder + "/snapshot.new");  // in its way
  image.timeline = {chunk(1)};
  EXPECT_FALSE(write());
  EXPECT_FALSE(store->has_snapshot());
  EXPECT_EQ(budget.taken(), log_bytes());
  std::filesystem::remove(folder + "/snapshot.new");
  ASSERT_TRUE(write());
  EXPECT_TRUE(store->has_snapshot());
  EXPECT_EQ(budget.taken(), store->bytes());
}

TEST_F(SessionStoreTest, AnAlteredRecordCostsItsChunkAlone) {
  open();
  image.timeline = {chunk(1), chunk(2), chunk(3)};
  ASSERT_TRUE(write());
  const std::string log = folder + "/log-0000000000000000";
  std::fstream file(log, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(log_bytes() / 2));
  file.put('!');
  file.close();
  open();
  const auto loaded = store->load(model);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->image.timeline.size(), 2U);
  EXPECT_EQ(loaded->refused.size(), 1U);
}

TEST_F(SessionStoreTest, AnotherModelsSessionIsRefused) {
  open();
  image.timeline = {chunk(1)};
  ASSERT_TRUE(write());
  model.vocabulary = 101;
  EXPECT_EQ(store->load(model).error().code, ErrorCode::kMismatch);
}

}  // namespace
}  // namespace braid::serve
