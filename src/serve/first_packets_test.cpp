#include "session/first_packets.h"

#include "session_fixture.h"

namespace braid::serve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::array<bool, kStreamKinds> streams(std::initializer_list<StreamKind> kinds) {
  std::array<bool, kStreamKinds> streams{};
  for (const StreamKind kind : kinds) streams[static_cast<std::size_t>(kind)] = true;
  return streams;
}

SteadyTime at(std::int64_t ms) { return SteadyTime(Milliseconds(ms)); }

Question asked(std::int64_t ms, std::optional<Nanoseconds> deadline = std::nullopt) {
  Question question;
  question.asked = at(ms);
  question.deadline = deadline;
  return question;
}

class FirstPacketsTest : public testing::Test {
 protected:
  bool hold(Question question, std::int64_t now) { return first.hold(question, at(now)); }
  FirstPackets first{Milliseconds(2000)};
};

TEST_F(FirstPacketsTest, APictureIsWaitedForThoughSoundCame) {
  first.add_source(streams({StreamKind::kVideo, StreamKind::kAudio}));
  first.add_source(streams({StreamKind::kAudio}));
  ASSERT_TRUE(hold(asked(0), 0));
  first.came(0, AudioBlock{});
  first.came(1, Bound{});
  EXPECT_THAT(first.due(at(10)), IsEmpty());
  first.came(1, AudioBlock{});
  first.came(0, Frame{});
  EXPECT_THAT(first.due(at(20)), SizeIs(1));
  EXPECT_FALSE(hold(asked(30), 30)) << "nothing is awaited any more";
}

TEST_F(FirstPacketsTest, NobodyWaitsLongerThanHePatientlyCan) {
  first.add_source(streams({StreamKind::kVideo}));
  ASSERT_TRUE(hold(asked(0), 0));
  ASSERT_TRUE(hold(asked(100, Milliseconds(600)), 100));
  EXPECT_EQ(first.until(), at(400));
  EXPECT_THAT(first.due(at(399)), IsEmpty());
  EXPECT_THAT(first.due(at(400)), SizeIs(1));
  EXPECT_EQ(first.until(), at(2000));
  EXPECT_THAT(first.due(at(2000)), SizeIs(1));
  EXPECT_EQ(first.until(), std::nullopt);
  EXPECT_FALSE(hold(asked(0), 2000));
}

TEST_F(FirstPacketsTest, WhatHasEndedIsNotWaitedFor) {
  first.add_source(streams({StreamKind::kVideo}));
  ASSERT_TRUE(hold(asked(0), 0));
  first.ended(0);
  EXPECT_THAT(first.due(at(1)), SizeIs(1));
}

class AskedAtOnce : public SessionTest {
 protected:
  AskedAtOnce() { options.realtime = true; }
  const Answer& answer() {
    create_and_start({.frames = 4, .interval = Milliseconds(500), .paced = true});
    Question now = question("What?");
    now.now = true;
    const QuestionId id = ask(now);
    run_to_end();
    return heard.answer(id);
  }
};

TEST_F(AskedAtOnce, TheFirstFrameIsWaitedFor) {
  options.first_packet_patience = Milliseconds(2000);
  EXPECT_THAT(answer().text, HasSubstr("f0"));
}

TEST_F(AskedAtOnce, WithoutPatienceNothingIsThereYet) {
  EXPECT_THAT(answer().text, HasSubstr("Nothing was seen"));
}

}  // namespace
}  // namespace braid::serve
