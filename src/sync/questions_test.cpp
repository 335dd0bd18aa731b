// When the synchronizer lets questions out.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "braid/base/virtual_clock.h"
#include "packets_for_tests.h"

namespace braid::sync {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr SourceId kA{0};
constexpr SourceId kB{1};

class QuestionsTest : public testing::Test {
 protected:
  QuestionsTest() {
    sync_.add_source(kA, kVideoOnly, false);
    sync_.add_source(kB, kReadingsOnly, false);
  }
  std::vector<std::string> seen() { return std::exchange(seen_, {}); }

  VirtualClock clock_;
  std::vector<std::string> seen_;
  std::vector<Question> questions_;
  Synchronizer sync_{{}, clock_, nullptr, [this](Timed timed) {
                       seen_.push_back(describe(timed));
                       if (auto* q = std::get_if<Question>(&timed)) questions_.push_back(*q);
                     }};
};

TEST_F(QuestionsTest, AQuestionAtATimeFollowsEverythingThatEndsUpToIt) {
  sync_.ask(question("q", at(2.0)));
  sync_.push(kA, frame_at(2.0));
  sync_.push(kB, reading_at(2.0, "r"));
  EXPECT_THAT(seen(), ElementsAre("frame 0 at 2000000 mark 1"));
  sync_.push(kA, frame_at(2.5));
  EXPECT_THAT(seen(), ElementsAre("reading 1 at 2000000 r"));
  sync_.push(kB, bound(StreamKind::kReading, 2.1));
  EXPECT_THAT(seen(), ElementsAre("question q asked at 2000000"));
}

TEST_F(QuestionsTest, AQuestionWithoutATimeComesLastAtTheSessionsEnd) {
  sync_.ask(question("first"));
  sync_.ask(question("second"));
  sync_.push(kA, frame_at(1.0));
  sync_.end_source(kA);
  sync_.push(kB, reading_at(3.0, "r"));
  sync_.push(kB, bound(StreamKind::kReading, 7.0));
  seen();
  sync_.end_source(kB);
  EXPECT_THAT(seen(), ElementsAre("end at 7000000", "question first asked at 7000000",
                                  "question second asked at 7000000"));
}

TEST_F(QuestionsTest, APromiseForTheEndOfTimeIsNotTheSessionsEnd) {
  sync_.ask(question("q"));
  sync_.push(kA, frame_at(1.5));
  sync_.push(kA, Bound{StreamKind::kVideo, SessionTime::max()});
  sync_.finish();
  EXPECT_THAT(seen(),
              ElementsAre("frame 0 at 1500000 mark 1", "end at 1500000", "question q asked at 1500000"));
}

TEST_F(QuestionsTest, AQuestionAtATimeAfterTheEndComesAtTheEnd) {
  sync_.ask(question("late", at(100.0)));
  sync_.ask(question("end"));
  sync_.push(kA, frame_at(1.0));
  sync_.end_source(kA);
  sync_.end_source(kB);
  EXPECT_THAT(seen(), ElementsAre("frame 0 at 1000000 mark 1", "end at 1000000",
                                  "question late asked at 1000000", "question end asked at 1000000"));
}

TEST_F(QuestionsTest, StreamsThatPromiseNothingMoreHaveEndedForAQuestionOfLater) {
  sync_.ask(question("late", at(100.0)));
  sync_.push(kA, frame_at(1.0));
  sync_.push(kA, Bound{StreamKind::kVideo, SessionTime::max()});
  sync_.push(kB, Bound{StreamKind::kReading, SessionTime::max()});
  sync_.finish();
  EXPECT_THAT(seen(),
              ElementsAre("frame 0 at 1000000 mark 1", "end at 1000000", "question late asked at 1000000"));
}

TEST_F(QuestionsTest, AnAskedTimeThatIsStillToComeIsTheMomentOfLettingOut) {
  Question early = question("q", at(100.0));
  early.asked = SteadyTime(std::chrono::seconds(100));
  sync_.ask(early);
  sync_.push(kA, frame_at(1.0));
  clock_.sleep_for(Milliseconds(1500));
  sync_.finish();
  EXPECT_EQ(questions_.back().asked, SteadyTime(Milliseconds(1500)));
  EXPECT_EQ(questions_.back().asked_at, at(1.0));
  EXPECT_EQ(questions_.back().at, at(100.0));
}

TEST_F(QuestionsTest, AQuestionAskedNowComesAtOnceAtTheFrontier) {
  sync_.push(kA, frame_at(3.0));
  sync_.push(kB, reading_at(2.0, "r"));
  seen();
  Question now = question("now");
  now.now = true;
  sync_.ask(now);
  EXPECT_THAT(seen(), ElementsAre("question now asked at 2000000"));
  EXPECT_EQ(questions_.back().at, at(2.0));
  now.at = at(2.7);
  sync_.ask(now);
  EXPECT_THAT(seen(), ElementsAre("question now asked at 2700000"));
}

TEST_F(QuestionsTest, AQuestionForATimeThatHasPassedComesAtOnce) {
  sync_.push(kA, frame_at(3.0));
  sync_.push(kB, reading_at(3.0, "r"));
  seen();
  sync_.ask(question("q", at(1.0)));
  EXPECT_THAT(seen(), ElementsAre("question q asked at 1000000"));
}

TEST_F(QuestionsTest, AskedIsTheMomentOfLettingOutUnlessTheAskerSaid) {
  sync_.ask(question("waits", at(1.0)));
  Question asked = question("asked before", at(1.0));
  asked.asked = SteadyTime(Milliseconds(10));
  sync_.ask(asked);
  clock_.sleep_for(Milliseconds(40));
  sync_.finish();
  ASSERT_EQ(questions_.size(), 2U);
  EXPECT_EQ(questions_[0].asked, SteadyTime(Milliseconds(40)));
  EXPECT_EQ(questions_[0].trace.times().sum(), Nanoseconds(0));
  EXPECT_EQ(questions_[1].asked, SteadyTime(Milliseconds(10)));
  EXPECT_EQ(questions_[1].trace.times()[Stage::kSync], Milliseconds(30));
}

TEST(Questions, AskedBeforeAnySourceIsAddedWaitForSources) {
  VirtualClock clock;
  std::vector<std::string> seen;
  Synchronizer sync({}, clock, nullptr, [&](Timed timed) { seen.push_back(describe(timed)); });
  sync.ask(question("end"));
  sync.ask(question("at", at(1.0)));
  EXPECT_THAT(seen, IsEmpty());
  sync.add_source(kA, kVideoOnly, false);
  sync.push(kA, frame_at(2.0));
  sync.end_source(kA);
  EXPECT_THAT(seen, ElementsAre("question at asked at 1000000", "frame 0 at 2000000 mark 1", "end at 2000000",
                                "question end asked at 2000000"));
}

TEST(Questions, MayBeAskedWhileSomethingComesOut) {
  VirtualClock clock;
  std::vector<std::string> seen;
  Synchronizer* self = nullptr;
  Synchronizer sync({}, clock, nullptr, [&](Timed timed) {
    seen.push_back(describe(timed));
    if (const auto* frame = std::get_if<Frame>(&timed)) self->ask(question("after frame", frame->captured));
  });
  self = &sync;
  sync.add_source(kA, kVideoOnly, false);
  sync.push(kA, frame_at(1.0));
  sync.push(kA, frame_at(2.0));
  sync.finish();
  EXPECT_THAT(seen, ElementsAre("frame 0 at 1000000 mark 1", "question after frame asked at 1000000",
                                "frame 0 at 2000000 mark 1", "question after frame asked at 2000000",
                                "end at 2000000"));
}

}  // namespace
}  // namespace braid::sync
