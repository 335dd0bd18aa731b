#include <gmock/gmock.h>

#include <random>

#include "braid/base/virtual_clock.h"
#include "braid/retrieve/memory.h"
#include "folder_for_tests.h"

namespace braid::retrieve {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAreArray;

class GraphTest : public FolderTest {
 protected:
  void SetUp() override { memory = std::move(*Memory::open(folder, {}, clock)); }

  void fill(std::vector<Record> records) {
    for (Record& record : records) ASSERT_TRUE(memory->add(std::move(record)));
    ASSERT_TRUE(memory->flush());
  }
  Found ask(const std::string& question, int limit = 100) {
    const calendar::Asker asker{{}, at_s(100'000)};
    const auto asked = find_asked_event(question, asker);
    EXPECT_TRUE(asked) << question;
    SearchQuery query;
    query.limit = limit;
    query.text = asked->rest;
    query.event = asked->event;
    auto found = memory->search(query);
    EXPECT_TRUE(found) << found.error().message;
    return found.value_or(Found{});
  }
  std::vector<std::string> texts(const std::string& question, int limit = 100) {
    std::vector<std::string> texts;
    for (const Hit& hit : ask(question, limit).hits) texts.push_back(hit.record.text);
    return texts;
  }
  std::vector<std::string> around(std::int64_t id, const AroundQuery& query) {
    std::vector<std::string> lines;
    const auto found = memory->around(id, query);
    EXPECT_TRUE(found) << found.error().message;
    for (const Neighbour& one : found.value_or(std::vector<Neighbour>{}))
      lines.push_back(std::string(to_string(one.edge)) + " " + one.record.text);
    return lines;
  }

  VirtualClock clock;
  std::unique_ptr<Memory> memory;
};

Record said_by(const char* source, Record record) {
  record.source = source;
  return record;
}

TEST_F(GraphTest, WhatWasNearAnEventIsFoundWhateverItsWordsAre) {
  fill({record_at(900, "a forklift passes"), record_at(950, "somebody opens the gate"),
        record_at(990, "sparks at the torch"), record_at(1000, "weld alarm at station 3"),
        record_at(1005, "the line stops"), record_at(1500, "shift change")});
  EXPECT_THAT(texts("what happened just before the weld alarm?"),
              ElementsAre("sparks at the torch", "somebody opens the gate"));
  EXPECT_THAT(texts("Before the weld alarm, what did the camera see?", 1),
              ElementsAre("sparks at the torch"));
  // Words that fit count for more than what was nearer.
  EXPECT_THAT(texts("was there a forklift before the weld alarm", 1), ElementsAre("a forklift passes"));
  EXPECT_THAT(texts("what happened right after the weld alarm"), ElementsAre("the line stops"));
  EXPECT_THAT(texts("what was there since the weld alarm"), ElementsAre("the line stops", "shift change"));
  EXPECT_THAT(texts("what happened in the 20 seconds before the weld alarm"),
              ElementsAre("sparks at the torch"));
}

TEST_F(GraphTest, TheAnswerSaysWhichEventItTookAndWhichRange) {
  fill({record_at(990, "sparks"), record_at(1000, "weld alarm at station 3", 5)});
  const Found found = ask("what was seen just before the weld alarm?");
  ASSERT_TRUE(found.relative_to);
  EXPECT_EQ(found.relative_to->record->id, 2);
  EXPECT_EQ(found.relative_to->asked.phrase, "just before the weld alarm");
  EXPECT_EQ(found.from, at_s(940));
  EXPECT_EQ(found.to, at_s(1000));
  EXPECT_STREQ(found.parts[0].name, "event");
  EXPECT_STREQ(found.parts[3].name, "graph");
  EXPECT_GT(found.hits[0].shares.graph, 0);
}

TEST_F(GraphTest, WithoutSuchAnEventItIsSaidAndNothingIsRestricted) {
  fill({record_at(990, "sparks at the torch"), record_at(1000, "weld alarm")});
  const Found found = ask("were there sparks just before the flood?");
  EXPECT_FALSE(found.relative_to->record);
  EXPECT_EQ(found.from, UtcTime::min());
  EXPECT_EQ(found.hits.size(), 1U);
  // Of another one of which a word fits, neither.
  EXPECT_FALSE(ask("what was before the alarm of the basement pump").relative_to->record);
}

TEST_F(GraphTest, ATimeSaysWhichOfSeveralSuchEventsIsMeantElseItIsTheLatest) {
  fill({record_at(100, "a cat"), record_at(110, "door alarm"), record_at(5000, "a dog"),
        record_at(5010, "door alarm")});
  EXPECT_THAT(texts("what was just before the door alarm?"), ElementsAre("a dog"));
  EXPECT_THAT(texts("what was just before the door alarm at 00:01?"), IsEmpty());
  EXPECT_THAT(texts("what was just before the door alarm at 1970-01-01T00:01:50Z?"), ElementsAre("a cat"));
}

TEST_F(GraphTest, DuringIsWhatOverlaps) {
  fill({record_at(90, "before", 5), record_at(95, "into it", 10), record_at(110, "within"),
        record_at(100, "night shift", 20), record_at(119, "out of it", 10), record_at(120, "behind")});
  EXPECT_THAT(texts("what happened during the night shift?"),
              UnorderedElementsAreArray({"into it", "within", "out of it"}));
}

TEST_F(GraphTest, CausesThatRulesGaveCountBeforeWhatMerelyWasNear) {
  Record alarm = record_at(1000, "weld alarm");
  alarm.links = {{LinkKind::kCausedBy, 1}};
  fill({record_at(10, "the gas valve was left open")});
  fill({record_at(990, "sparks"), alarm});
  EXPECT_EQ(memory->get(3)->links, (std::vector<RecordLink>{{LinkKind::kCausedBy, 1}}));
  EXPECT_THAT(texts("what preceded the weld alarm?"), ElementsAre("the gas valve was left open", "sparks"));
}

TEST_F(GraphTest, AroundARecordIsWhatIsLinkedAndThenTheNearest) {
  Record frame = record_at(1001, "frame");
  frame.links = {{LinkKind::kBelongsTo, 1}};
  Record old = record_at(10, "valve");
  Record alarm = said_by("plc", record_at(1000, "alarm", 4));
  fill({alarm});
  fill({frame, old, record_at(990, "spark"), record_at(1010, "stop")});
  Record repair = record_at(90'000, "repair");
  repair.links = {{LinkKind::kCausedBy, 1}};
  fill({repair, record_at(90'010, "restart")});
  EXPECT_THAT(around(1, {}), ElementsAre("has frame", "causes repair", "after stop", "before spark"));
  EXPECT_THAT(around(6, {.hops = 2}),
              ElementsAre("caused_by alarm", "after restart", "has frame", "after stop", "before spark"));
  EXPECT_THAT(around(1, {.reach = std::chrono::seconds(7)}),
              ElementsAre("has frame", "causes repair", "after stop"));
  EXPECT_FALSE(memory->around(99, {}));
  EXPECT_FALSE(memory->around(1, {.hops = 3}));
}

TEST_F(GraphTest, LinksGoWithTheirRecords) {
  Record second = record_at(20, "second");
  second.links = {{LinkKind::kCausedBy, 1}};
  fill({record_at(10, "first"), second});
  ASSERT_TRUE(memory->prune(at_s(15)));
  EXPECT_THAT(around(2, {}), IsEmpty());
  Record many = record_at(30, "many");
  many.links.resize(kMaxLinks + 1);
  EXPECT_EQ(memory->add(many).error().code, ErrorCode::kLimit);
}

/// Against comparing all records, on a day of generated ones.
TEST_F(GraphTest, OfAGeneratedDayTheNeighboursAreThoseOfABruteForceComparison) {
  std::mt19937 chance(6);
  std::vector<Record> all;
  for (int i = 0; i < 600; ++i)
    all.push_back(said_by(i % 3 ? "gate" : "line",
                          record_at(static_cast<std::int64_t>(chance() % 20'000), "part " + std::to_string(i),
                                    static_cast<std::int64_t>(chance() % 30))));
  std::vector<Record> alarms;
  for (int i = 0; i < 20; ++i)
    alarms.push_back(record_at(1000 * i + 500, "jam number n" + std::to_string(i) + "x", i % 5));
  fill(all);
  fill(alarms);
  for (int i = 0; i < 20; ++i) {
    const UtcTime from = alarms[static_cast<std::size_t>(i)].start - std::chrono::seconds(60);
    const UtcTime to = alarms[static_cast<std::size_t>(i)].start;
    std::vector<std::string> expected;
    for (const Record& record : all)
      if (record.start < to && (record.end > from || record.start >= from)) expected.push_back(record.text);
    EXPECT_THAT(texts("what happened just before jam number n" + std::to_string(i) + "x"),
                UnorderedElementsAreArray(expected));
  }
}

}  // namespace
}  // namespace braid::retrieve
