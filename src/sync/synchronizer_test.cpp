#include "braid/sync/synchronizer.h"

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

class SynchronizerTest : public testing::Test {
 protected:
  Synchronizer make(SyncOptions options = {}) {
    return {options, clock_, speech_.get(), [this](Timed timed) {
              if (std::holds_alternative<StreamsEnd>(timed)) return;  // questions_test.cpp looks at it
              seen_.push_back(describe(timed));
              out_.push_back(std::move(timed));
            }};
  }
  /// What came out since the last call.
  std::vector<std::string> seen() { return std::exchange(seen_, {}); }

  VirtualClock clock_;
  std::unique_ptr<SpeechDetectorFactory> speech_ = make_energy_detector();
  std::vector<Timed> out_;
  std::vector<std::string> seen_;
};

TEST_F(SynchronizerTest, APacketWaitsForTheBoundsOfOtherStreams) {
  Synchronizer sync = make();
  sync.add_source(kA, kVideoOnly, false);
  sync.add_source(kB, kReadingsOnly, false);
  sync.push(kA, frame_at(1.0));
  EXPECT_THAT(seen(), IsEmpty());
  sync.push(kB, reading_at(0.5, "x"));
  EXPECT_THAT(seen(), ElementsAre("reading 1 at 500000 x"));
  sync.push(kB, bound(StreamKind::kReading, 1.0));
  EXPECT_THAT(seen(), ElementsAre("frame 0 at 1000000 mark 1"));
}

TEST_F(SynchronizerTest, AtEqualTimesFramesLinesReadingsUtterancesAndQuestionsFollowInThisOrder) {
  Synchronizer sync = make();
  sync.add_source(kA, {true, true, true, true}, false);
  Sound sound;
  add_tone(sound, 1.0);
  sync.ask(question("q", at(1.0)));
  sync.push(kA, block_of(sound));
  sync.push(kA, reading_at(1.0, "r"));
  sync.push(kA, line_at(0.2, 1.0, "l"));
  sync.push(kA, frame_at(1.0));
  sync.end_source(kA);
  ASSERT_EQ(out_.size(), 5U);
  EXPECT_TRUE(std::holds_alternative<Frame>(out_[0]));
  EXPECT_TRUE(std::holds_alternative<TextLine>(out_[1]));
  EXPECT_TRUE(std::holds_alternative<Reading>(out_[2]));
  EXPECT_TRUE(std::holds_alternative<Utterance>(out_[3]));
  EXPECT_TRUE(std::holds_alternative<Question>(out_[4]));
}

TEST_F(SynchronizerTest, LinesAreOrderedByTheirEnds) {
  Synchronizer sync = make();
  sync.add_source(kA, kTextOnly, false);
  sync.push(kA, line_at(0.0, 5.0, "long"));
  sync.push(kA, line_at(1.0, 2.0, "short"));
  sync.end_source(kA);
  EXPECT_THAT(seen(), ElementsAre("line 0 1000000-2000000 short", "line 0 0-5000000 long"));
}

TEST_F(SynchronizerTest, ASourceThatEndedHoldsNobody) {
  Synchronizer sync = make();
  sync.add_source(kA, kVideoOnly, false);
  sync.add_source(kB, kReadingsOnly, false);
  sync.push(kA, frame_at(1.0));
  sync.end_source(kB);
  EXPECT_EQ(seen().size(), 1U);
  sync.end_source(kB);
  sync.push(kA, frame_at(2.0));
  EXPECT_EQ(seen().size(), 1U);
}

TEST_F(SynchronizerTest, AnOpenUtteranceHoldsWhatEndsAfterItsLastSpeech) {
  Synchronizer sync = make();
  sync.add_source(kA, {true, true, false, false}, false);
  Sound sound;
  add_silence(add_tone(sound, 1.024), 1.0);
  sync.push(kA, block_of(sound, 0, 17 * 512 * 2));  // speech up to 1.024 s, silence up to 1.088 s
  sync.push(kA, frame_at(1.0, 1));
  sync.push(kA, frame_at(1.05, 2));
  EXPECT_THAT(seen(), ElementsAre("frame 0 at 1000000 mark 1"));
  sync.push(kA, frame_at(1.5, 3));
  EXPECT_THAT(seen(), IsEmpty());
  sync.push(kA, block_of(sound, 17 * 512 * 2, sound.size()));
  ASSERT_EQ(out_.size(), 4U);
  EXPECT_EQ(std::get<Frame>(out_[1]).width, 2);
  EXPECT_EQ(std::get<Utterance>(out_[2]).end, at(1.124));
  EXPECT_EQ(std::get<Frame>(out_[3]).width, 3);
}

TEST_F(SynchronizerTest, SilenceHoldsNobody) {
  Synchronizer sync = make();
  sync.add_source(kA, {true, true, false, false}, false);
  Sound sound;
  add_silence(sound, 2.0);
  sync.push(kA, frame_at(1.999));
  sync.push(kA, block_of(sound));
  EXPECT_EQ(seen().size(), 1U);
  EXPECT_EQ(sync.frontier(), at(1.999));
}

TEST_F(SynchronizerTest, ASilentLiveSourceHoldsNobodyOnceAdvanced) {
  Synchronizer sync = make();
  sync.add_source(kA, kVideoOnly, false);
  sync.add_source(kB, kAudioOnly, true);
  sync.push(kA, frame_at(1.0));
  sync.advance_live(at(1.9));
  EXPECT_THAT(seen(), IsEmpty());
  sync.advance_live(at(2.1));
  EXPECT_EQ(seen().size(), 1U);
  sync.push(kA, frame_at(1.2));
  EXPECT_THAT(seen(), IsEmpty());
  EXPECT_EQ(sync.frontier(), at(1.1));
}

TEST_F(SynchronizerTest, ALiveSourceIsWaitedForAsLongAsItsPacketsWereLate) {
  Synchronizer sync = make();
  sync.add_source(kA, kVideoOnly, true);
  for (int i = 0; i < 200; ++i) sync.push(kA, frame_at(i * 0.1), at(i * 0.1 + 0.042));
  sync.ask(question("now?", at(20)));
  seen();
  EXPECT_THAT(sync.advance_live(at(20.04)), ElementsAre(Advance{{kA, StreamKind::kVideo}, at(19.995)}));
  EXPECT_THAT(seen(), IsEmpty());
  EXPECT_THAT(sync.advance_live(at(20.05)), ElementsAre(Advance{{kA, StreamKind::kVideo}, at(20.005)}));
  EXPECT_THAT(seen(), ElementsAre("question now? asked at 20000000"));
}

TEST_F(SynchronizerTest, RecordedAdvancesGiveTheSameOutputAgain) {
  std::vector<std::string> twice[2];
  std::vector<std::pair<int, Advance>> recorded;  // after which packet
  for (const bool live : {true, false}) {
    out_.clear();
    Synchronizer sync = make();
    sync.add_source(kA, kVideoOnly, live);
    sync.add_source(kB, kReadingsOnly, live);
    for (int i = 0; i < 300; ++i) {
      sync.push(kA, frame_at(i * 0.1), at(i * 0.1 + 0.03));
      if (i % 40 != 0) sync.push(kB, reading_at(i * 0.1 - 0.02), at(i * 0.1 + 0.03));
      if (live)
        for (const Advance& moved : sync.advance_live(at(i * 0.1 + 0.03))) recorded.emplace_back(i, moved);
      else
        for (const auto& [after, advance] : recorded)
          if (after == i) sync.advance(advance);
    }
    twice[live ? 0 : 1] = seen();
  }
  EXPECT_GT(twice[0].size(), 500U);
  EXPECT_EQ(twice[0], twice[1]);
}

TEST_F(SynchronizerTest, SpeechOfALiveSourceThatStopsSendingIsClosed) {
  Synchronizer sync = make();
  sync.add_source(kA, kAudioOnly, true);
  Sound sound;
  add_tone(sound, 1.0);
  sync.push(kA, block_of(sound));
  EXPECT_THAT(seen(), IsEmpty());
  sync.advance_live(at(2.5));
  ASSERT_EQ(out_.size(), 1U);
  EXPECT_EQ(std::get<Utterance>(out_[0]).end, at(1.0));
}

TEST_F(SynchronizerTest, ALatePacketIsSentAtOnceAndCounted) {
  Synchronizer sync = make();
  sync.add_source(kA, kVideoOnly, true);
  sync.add_source(kB, kReadingsOnly, true);
  sync.push(kA, frame_at(2.0));
  sync.advance_live(at(4.0));
  EXPECT_EQ(seen().size(), 1U);
  sync.push(kB, reading_at(1.0, "late"));
  EXPECT_THAT(seen(), ElementsAre("reading 1 at 1000000 late"));
  EXPECT_EQ(sync.counts().late, 1U);
  sync.push(kB, reading_at(2.5, "behind the frontier, ahead of what came out"));
  EXPECT_EQ(seen().size(), 1U);
  EXPECT_EQ(sync.counts().late, 2U);
  sync.push(kB, reading_at(3.5, "in time"));
  EXPECT_EQ(sync.counts().late, 2U);
}

TEST_F(SynchronizerTest, MoreThanMaxHeldSendsTheOldestOnInOrder) {
  SyncOptions options;
  options.max_held = 3;
  Synchronizer sync = make(options);
  sync.add_source(kA, kVideoOnly, false);
  sync.add_source(kB, kReadingsOnly, false);
  for (int i = 1; i <= 5; ++i) sync.push(kA, frame_at(i, i));
  EXPECT_THAT(seen(), ElementsAre("frame 0 at 1000000 mark 1", "frame 0 at 2000000 mark 2"));
  EXPECT_EQ(sync.counts().overflow, 2U);
  EXPECT_EQ(sync.counts().late, 0U);
  sync.push(kB, reading_at(1.5, "behind"));
  EXPECT_THAT(seen(), ElementsAre("reading 1 at 1500000 behind"));
  EXPECT_EQ(sync.counts().late, 1U);
  sync.push(kB, reading_at(2.5, "in time"));
  EXPECT_THAT(seen(), ElementsAre("reading 1 at 2500000 in time"));
  sync.finish();
  EXPECT_THAT(seen(), ElementsAre("frame 0 at 3000000 mark 3", "frame 0 at 4000000 mark 4",
                                  "frame 0 at 5000000 mark 5"));
}

TEST_F(SynchronizerTest, DamageComesOutInOrder) {
  Synchronizer sync = make();
  sync.add_source(kA, kVideoOnly, false);
  sync.push(kA, frame_at(1.0));
  sync.push(kA, Damage{kA, at(1.5), {ErrorCode::kBadInput, "torn packet"}});
  seen();
  sync.push(kA, frame_at(2.0));
  EXPECT_THAT(seen(), ElementsAre("damage 0 at 1500000 torn packet", "frame 0 at 2000000 mark 1"));
}

TEST_F(SynchronizerTest, TheHungriestSourceIsTheFurthestBehind) {
  Synchronizer sync = make();
  EXPECT_EQ(sync.hungriest(), std::nullopt);
  sync.add_source(kA, {true, true, false, false}, false);
  sync.add_source(kB, kReadingsOnly, false);
  EXPECT_EQ(sync.hungriest(), kA);
  sync.push(kA, frame_at(5.0));
  sync.push(kB, reading_at(1.0));
  EXPECT_EQ(sync.hungriest(), kA);  // its sound has not come
  sync.push(kA, bound(StreamKind::kAudio, 2.0));
  EXPECT_EQ(sync.hungriest(), kB);
  sync.end_source(kB);
  EXPECT_EQ(sync.hungriest(), kA);
  sync.end_source(kA);
  EXPECT_EQ(sync.hungriest(), std::nullopt);
}

TEST_F(SynchronizerTest, StampsSayHowLongSyncHeldAPacket) {
  Synchronizer sync = make();
  sync.add_source(kA, kVideoOnly, false);
  sync.add_source(kB, kReadingsOnly, false);
  sync.push(kA, frame_at(1.0));
  clock_.sleep_for(Milliseconds(30));
  sync.push(kB, bound(StreamKind::kReading, 2.0));
  ASSERT_EQ(out_.size(), 1U);
  EXPECT_EQ(std::get<Frame>(out_[0]).trace.times()[Stage::kSync], Milliseconds(30));
}

TEST_F(SynchronizerTest, SoundWithoutADetectorIsCountedAndHoldsNobody) {
  speech_.reset();
  Synchronizer sync = make();
  sync.add_source(kA, {true, true, false, false}, false);
  Sound sound;
  add_tone(sound, 1.0);
  sync.push(kA, block_of(sound));
  sync.push(kA, block_of(sound, at(1.0)));
  sync.push(kA, frame_at(0.9));
  EXPECT_EQ(seen().size(), 1U);
  sync.finish();
  EXPECT_THAT(seen(), IsEmpty());
  EXPECT_EQ(sync.counts().unheard, 2U);
}

TEST_F(SynchronizerTest, PacketsOfUnknownSourcesAndStreamsAreHarmless) {
  Synchronizer sync = make();
  sync.push(kB, frame_at(1.0));
  sync.end_source(kB);
  sync.add_source(kA, kVideoOnly, false);
  sync.push(kA, reading_at(2.0));
  sync.push(kA, bound(static_cast<StreamKind>(200), 5.0));
  Sound sound;
  add_tone(sound, 1.0);
  sync.push(kA, block_of(sound));
  sync.finish();
  EXPECT_EQ(seen().size(), 2U);
}

}  // namespace
}  // namespace braid::sync
