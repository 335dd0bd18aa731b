#include "braid/retrieve/memory.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "braid/base/virtual_clock.h"
#include "folder_for_tests.h"
#include "sqlite/database.h"

namespace braid::retrieve {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class MemoryTest : public FolderTest {
 protected:
  std::unique_ptr<Memory> open(MemoryOptions options = {}) {
    auto memory = Memory::open(folder, options, clock);
    EXPECT_TRUE(memory) << memory.error().message;
    return memory ? std::move(*memory) : nullptr;
  }
  static std::vector<std::string> texts(Memory& memory, const SearchQuery& query) {
    std::vector<std::string> texts;
    const auto found = memory.search(query);
    EXPECT_TRUE(found) << found.error().message;
    if (found)
      for (const Hit& hit : found->hits) texts.push_back(hit.record.text);
    return texts;
  }
  static void fill(Memory& memory, std::vector<Record> records) {
    for (Record& record : records) ASSERT_TRUE(memory.add(std::move(record)));
    ASSERT_TRUE(memory.flush());
  }

  VirtualClock clock;
};

TEST_F(MemoryTest, WhatWasAddedIsFoundByItsWordsAfterTheCommitInterval) {
  auto memory = open();
  ASSERT_TRUE(memory->add(record_at(10, "the press stopped")));
  ASSERT_TRUE(memory->add(record_at(20, "a cat on the belt")));
  EXPECT_THAT(texts(*memory, {.text = "press"}), IsEmpty());
  clock.sleep_for(Milliseconds(51));
  EXPECT_THAT(texts(*memory, {.text = "press"}), ElementsAre("the press stopped"));
  EXPECT_EQ(memory->stats()->committed, 2U);
}

TEST_F(MemoryTest, VectorsAreKeptWithTheirRecordsAndForgottenWithThem) {
  {
    auto memory = open({.segment_records = 2});
    for (int i = 0; i < 5; ++i) {
      Record record = record_at(10 * i, "seen");
      record.vectors = {{"vision:small", {1.F, static_cast<float>(i)}}};
      if (i == 1) record.vectors.push_back({"vision:large", {1.F, 2.F, 3.F}});
      if (i == 3) record.vectors = {{"vision:small", {1.F}}};  // another model of that name
      ASSERT_TRUE(memory->add(std::move(record)));
    }
    ASSERT_TRUE(memory->flush());
    EXPECT_FALSE(memory->add([] {
      Record record = record_at(1, "seen");
      record.vectors = {{"vision:small", {}}};
      return record;
    }()));
  }
  const auto count = [this](const char* sql) {
    auto rows = Database::open(folder + "/rows.sqlite", Database::Mode::kRead);
    return rows->number(sql).value();
  };
  EXPECT_EQ(count("SELECT count(*) FROM vectors_1"), 4);
  EXPECT_EQ(count("SELECT length(vector) FROM vectors_2"), 12);
  ASSERT_TRUE(open({.segment_records = 2})->prune(at_s(25)));
  EXPECT_EQ(count("SELECT min(id) FROM vectors_1"), 5);
  EXPECT_EQ(count("SELECT count(*) FROM vectors_2"), 0);
}

/// Texts by three letters: cars, pets and all else.
Result<std::vector<float>> embed(const std::vector<std::string>& texts) {
  std::vector<float> vectors;
  for (const std::string& text : texts) {
    const bool car = text.find("car") != std::string::npos || text.find("automobile") != std::string::npos;
    const bool pet = text.find("cat") != std::string::npos || text.find("kitten") != std::string::npos;
    for (const bool is : {car, pet, !car && !pet}) vectors.push_back(is ? 1.F : 0.F);
  }
  return vectors;
}

TEST_F(MemoryTest, MeaningFindsWhatWordsDoNot) {
  auto memory = open({.embedder = std::make_shared<Embedder>("text:test", embed, clock)});
  fill(*memory,
       {record_at(1, "a kitten sleeps"), record_at(2, "an automobile stops"), record_at(3, "a lamp")});
  ASSERT_TRUE(memory->settle());
  EXPECT_THAT(texts(*memory, {.text = "where is the cat"}), ElementsAre("a kitten sleeps"));
  EXPECT_EQ(memory->stats()->embedded, 3U);
  const auto found = memory->search({.text = "cars"});
  ASSERT_EQ(found->parts.size(), 3U);
  EXPECT_STREQ(found->parts[1].name, "vectors");
  EXPECT_EQ(found->parts[1].verdict, PartVerdict::kMet);
  EXPECT_EQ(found->hits[0].record.text, "an automobile stops");
  // Who has no embedder finds by words alone.
  EXPECT_THAT(texts(*open({.read_only = true}), {.text = "cat"}), IsEmpty());
}

TEST_F(MemoryTest, WhatHadNoVectorYetGetsItFromTheNextWriter) {
  fill(*open(), {record_at(1, "a kitten sleeps"), record_at(2, "a kitten wakes")});
  auto memory = open({.embedder = std::make_shared<Embedder>("text:test", embed, clock)});
  ASSERT_TRUE(memory->settle());
  EXPECT_THAT(texts(*memory, {.text = "cat"}), testing::SizeIs(2));
}

TEST_F(MemoryTest, WhatACameraShowsAgainIsOneRecordThatLasts) {
  auto memory = open({.embedder = std::make_shared<Embedder>("text:test", embed, clock)});
  const auto seen = [](std::int64_t at, const char* text, const char* source = "door") {
    Record record = record_at(at, text);
    record.source = source;
    record.kind = RecordKind::kVision;
    return record;
  };
  Record said = seen(9, "a cat");
  said.kind = RecordKind::kAudio;
  fill(*memory, {seen(0, "a cat"), seen(2, "a cat sits"), seen(4, "a car"), seen(6, "the cat"),
                 seen(8, "a cat", "yard"), said, seen(30, "a cat")});
  ASSERT_TRUE(memory->settle());
  const auto found =
      memory->search({.text = "cat", .filter = {.sources = {"door"}, .kinds = {RecordKind::kVision}}});
  ASSERT_EQ(found->hits.size(), 2U);
  const auto first = memory->get(1);
  EXPECT_EQ(first->end, at_s(6));
  EXPECT_EQ(first->count, 3);
  EXPECT_FALSE(memory->get(2));
  EXPECT_EQ(memory->stats()->records, 5);
  EXPECT_EQ(memory->stats()->merged, 2U);
  // What was merged is found at its own time.
  EXPECT_THAT(texts(*memory, {.filter = {.from = at_s(5), .to = at_s(7), .sources = {"door"}}}),
              ElementsAre("a cat"));
  ASSERT_TRUE(memory->prune(at_s(7)));
  EXPECT_EQ(memory->stats()->records, 3);
}

TEST_F(MemoryTest, AnEmbedderThatFailsOrIsLateLeavesTheWords) {
  bool fails = true;
  const Embed other = [&](const std::vector<std::string>& asked) -> Result<std::vector<float>> {
    if (fails) return fail(ErrorCode::kInternal, "broken");
    clock.sleep_for(Milliseconds(300));
    return embed(asked);
  };
  auto memory = open({.embedder = std::make_shared<Embedder>("text:test", other, clock)});
  fill(*memory, {record_at(1, "a kitten sleeps")});
  EXPECT_FALSE(memory->settle());
  fails = false;
  const auto found = memory->search({.text = "kitten", .deadline = Milliseconds(200)});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(found->degraded());
  EXPECT_EQ(found->parts[1].verdict, PartVerdict::kLate);
  EXPECT_EQ(found->hits[0].record.text, "a kitten sleeps");
}

TEST_F(MemoryTest, OneOfAnEarlierFormatIsReadAndWrittenOn) {
  const std::string third = "DROP TABLE links; PRAGMA user_version=3";
  const std::string second =
      third +
      "; ALTER TABLE records DROP COLUMN session; ALTER TABLE records DROP COLUMN began_ns; PRAGMA "
      "user_version=2";
  for (const std::string& older : {third, second, second + "; DROP TABLE spaces; PRAGMA user_version=1"}) {
    std::filesystem::remove_all(folder);
    fill(*open(), {record_at(10, "old")});
    {
      auto rows = Database::open(folder + "/rows.sqlite", Database::Mode::kWrite);
      ASSERT_TRUE(rows->run(older));
    }
    EXPECT_THAT(texts(*open({.read_only = true}), {.text = "old"}), ElementsAre("old"));
    auto memory = open();
    Record record = record_at(20, "new");
    record.vectors = {{"vision:small", {1.F}}};
    record.session = "sess_1";
    record.session_began = at_s(12);
    record.links = {{LinkKind::kBelongsTo, 1}};
    fill(*memory, {record});
    EXPECT_EQ(memory->get(2)->links, record.links);
    EXPECT_THAT(texts(*memory, {.text = "old new"}), testing::SizeIs(2));
    EXPECT_EQ(memory->get(2)->session, "sess_1");
    EXPECT_EQ(memory->get(2)->session_began, at_s(12));
    EXPECT_EQ(memory->get(1)->session, "");
  }
}

TEST_F(MemoryTest, OfTooMuchTheOldestIsForgotten) {
  const std::uint64_t most = 300'000;
  auto memory = open({.max_bytes = most, .segment_records = 64});
  for (int i = 0; i < 600; ++i) {
    ASSERT_TRUE(memory->add(record_at(i, "word" + std::to_string(i) + std::string(1000, 'x'))));
    if (i % 10 == 0) clock.sleep_for(Milliseconds(200));
  }
  clock.sleep_for(Milliseconds(200));
  const auto stats = memory->stats();
  EXPECT_GT(stats->forgotten, 300U);
  EXPECT_EQ(stats->records + static_cast<std::int64_t>(stats->forgotten), 600);
  EXPECT_GT(stats->records, 50);
  EXPECT_THAT(texts(*memory, {.limit = 1}), ElementsAre(testing::StartsWith("word599")));
  EXPECT_EQ(stats->first, at_s(600 - stats->records)) << "none is left out between";
  memory.reset();
  EXPECT_LT(std::filesystem::file_size(folder + "/rows.sqlite"), 3 * most) << "pages are used again";
}

TEST_F(MemoryTest, WordsAreFoundInOtherForms) {
  auto memory = open();
  fill(*memory, {record_at(10, "two presses were stopping"), record_at(20, "Übergabe beendet")});
  EXPECT_THAT(texts(*memory, {.text = "which press stopped?"}), ElementsAre("two presses were stopping"));
  EXPECT_THAT(texts(*memory, {.text = "ubergabe"}), ElementsAre("Übergabe beendet"));
}

TEST_F(MemoryTest, OperatorsOfTheFullTextAreWords) {
  auto memory = open();
  fill(*memory, {record_at(10, "near miss AND stop")});
  EXPECT_THAT(texts(*memory, {.text = "\"NEAR( miss* OR text: ^ - NOT\""}),
              ElementsAre("near miss AND stop"));
}

TEST_F(MemoryTest, ARangeHoldsWhatTouchesItAndItsEndDoesNotBelongToIt) {
  auto memory = open();
  fill(*memory, {record_at(10, "weld one", 5), record_at(20, "weld two"), record_at(30, "weld three")});
  const auto in = [&](std::int64_t from, std::int64_t to) {
    auto found = texts(*memory, {.text = "weld", .filter = {.from = at_s(from), .to = at_s(to)}});
    std::sort(found.begin(), found.end());
    return found;
  };
  EXPECT_THAT(in(14, 20), ElementsAre("weld one"));
  EXPECT_THAT(in(15, 20), IsEmpty());
  EXPECT_THAT(in(20, 21), ElementsAre("weld two"));
  EXPECT_THAT(in(21, 30), IsEmpty());
  EXPECT_THAT(in(0, 31), ElementsAre("weld one", "weld three", "weld two"));
}

TEST_F(MemoryTest, SourcesAndKindsAreFiltered) {
  auto memory = open();
  Record spoken = record_at(10, "alarm");
  spoken.kind = RecordKind::kAudio;
  Record other = record_at(20, "alarm two");
  other.source = "camera";
  fill(*memory, {spoken, other});
  EXPECT_THAT(texts(*memory, {.text = "alarm", .filter = {.sources = {"camera", "no'ne"}}}),
              ElementsAre("alarm two"));
  EXPECT_THAT(texts(*memory, {.text = "alarm", .filter = {.kinds = {RecordKind::kAudio}}}),
              ElementsAre("alarm"));
}

TEST_F(MemoryTest, WithoutWordsTheNewestOfTheRangeComeFirst) {
  auto memory = open();
  fill(*memory, {record_at(30, "c"), record_at(10, "a"), record_at(20, "b")});
  EXPECT_THAT(texts(*memory, {.limit = 2}), ElementsAre("c", "b"));
  EXPECT_THAT(texts(*memory, {.filter = {.to = at_s(30)}}), ElementsAre("b", "a"));
}

TEST_F(MemoryTest, OfTwoThatFitAsWellTheNewerComesFirst) {
  auto memory = open();
  fill(*memory, {record_at(20, "the gate opened"), record_at(10, "the gate opened")});
  const auto found = memory->search({.text = "gate"});
  ASSERT_EQ(found->hits.size(), 2U);
  EXPECT_EQ(found->hits.front().record.start, at_s(20));
}

TEST_F(MemoryTest, RecordsOfManySegmentsAreFoundTogether) {
  auto memory = open({.segment_records = 3});
  std::vector<Record> records;
  for (int i = 0; i < 20; ++i) records.push_back(record_at(i, "step " + std::to_string(i)));
  fill(*memory, records);
  EXPECT_EQ(memory->stats()->segments, 7);
  EXPECT_EQ(texts(*memory, {.text = "step", .limit = 100}).size(), 20U);
  EXPECT_THAT(texts(*memory, {.text = "17"}), ElementsAre("step 17"));
}

TEST_F(MemoryTest, WordsThatNearlyAllHaveDoNotHideARareOne) {
  auto memory = open();
  std::vector<Record> records;
  for (int i = 0; i < 500; ++i) records.push_back(record_at(i, "temperature normal normal"));
  records.push_back(record_at(500, "temperature and vibration"));
  fill(*memory, records);
  EXPECT_THAT(texts(*memory, {.text = "temperature vibration"}), ElementsAre("temperature and vibration"));
  EXPECT_EQ(texts(*memory, {.text = "temperature normal"}).size(), 10U);
}

TEST_F(MemoryTest, ItGoesOnWhereItWasAfterAnotherOpen) {
  fill(*open(), {record_at(10, "before")});
  auto memory = open();
  fill(*memory, {record_at(20, "after")});
  EXPECT_THAT(texts(*memory, {}), ElementsAre("after", "before"));
  EXPECT_EQ(memory->get(2)->text, "after");
  EXPECT_EQ(memory->get(3).error().code, ErrorCode::kNotFound);
}

TEST_F(MemoryTest, OneWritesAndOthersRead) {
  auto memory = open();
  EXPECT_EQ(Memory::open(folder, {}, clock).error().code, ErrorCode::kFull);
  auto reader = open({.read_only = true});
  fill(*memory, {record_at(10, "seen by both")});
  EXPECT_THAT(texts(*reader, {}), ElementsAre("seen by both"));
  EXPECT_EQ(reader->add(record_at(1, "x")).error().code, ErrorCode::kUsage);
}

TEST_F(MemoryTest, PruningForgetsSegmentsAndPartsOfThem) {
  auto memory = open({.segment_records = 4});
  std::vector<Record> records;
  for (int i = 0; i < 10; ++i) records.push_back(record_at(i, "step " + std::to_string(i)));
  fill(*memory, records);
  EXPECT_EQ(*memory->prune(at_s(6)), 6);
  const auto stats = *memory->stats();
  EXPECT_EQ(stats.records, 4);
  EXPECT_EQ(stats.segments, 2);
  EXPECT_EQ(stats.first, at_s(6));
  EXPECT_THAT(texts(*memory, {.text = "5"}), IsEmpty());
  EXPECT_EQ(memory->search({.text = "step"})->parts.front().candidates, 4) << "the full text forgets too";
  EXPECT_THAT(texts(*memory, {.text = "6"}), ElementsAre("step 6"));
  fill(*memory, {record_at(11, "step 11")});
  EXPECT_EQ(texts(*memory, {.text = "step"}).size(), 5U);
}

TEST_F(MemoryTest, WhatCannotBeKeptIsRefused) {
  auto memory = open({.max_waiting = 2});
  EXPECT_EQ(memory->add(record_at(1, "")).error().code, ErrorCode::kBadInput);
  EXPECT_EQ(memory->add(record_at(1, "backwards", -1)).error().code, ErrorCode::kBadInput);
  EXPECT_EQ(memory->add(record_at(1, std::string(kMaxRecordText + 1, 'x'))).error().code, ErrorCode::kLimit);
  EXPECT_TRUE(memory->add(record_at(1, "one")));
  EXPECT_TRUE(memory->add(record_at(2, "two")));
  const Status third = memory->add(record_at(3, "three"));
  EXPECT_EQ(third.error().code, ErrorCode::kFull);
  EXPECT_TRUE(third.error().retryable);
  EXPECT_EQ(memory->stats()->refused, 1U);
  EXPECT_EQ(memory->search({.limit = 0}).error().code, ErrorCode::kUsage);
}

TEST_F(MemoryTest, ASearchThatMissesItsDeadlineSaysSo) {
  auto memory = open();
  std::vector<Record> records;
  for (int i = 0; i < 3000; ++i) records.push_back(record_at(i, "alpha beta " + std::to_string(i % 7)));
  fill(*memory, records);
  const auto found = memory->search({.text = "alpha 3", .deadline = Nanoseconds(-1)});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(found->degraded());
  EXPECT_EQ(found->parts.front().verdict, PartVerdict::kLate);
  EXPECT_FALSE(memory->search({.text = "alpha 3"})->degraded());
}

TEST_F(MemoryTest, FilesThatAreNoMemoryAreRefused) {
  EXPECT_EQ(Memory::open(folder, {.read_only = true}, clock).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(Memory::open(folder + "/deeper", {}, clock).error().code, ErrorCode::kNotFound);
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/rows.sqlite") << std::string(5000, 'x');
  EXPECT_EQ(Memory::open(folder, {}, clock).error().code, ErrorCode::kBadInput);
}

}  // namespace
}  // namespace braid::retrieve
