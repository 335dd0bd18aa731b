#include "realtime/turn_detector.h"

#include <gtest/gtest.h>

#include <string>

#include "braid/engine/scripted_media.h"

namespace braid::serve {
namespace {

class TurnDetectorTest : public testing::Test {
 protected:
  /// Sound in pieces of a frame and a bit; all changes, as text.
  void append(int ms, bool speech, int piece = 700) {
    const auto block = engine::make_tone({}, Milliseconds(ms), {}, 440, speech ? 0.3F : 0.0F);
    std::span<const float> rest(block.samples);
    while (!rest.empty()) {
      const auto now = rest.first(std::min<std::size_t>(rest.size(), static_cast<std::size_t>(piece)));
      rest = rest.subspan(now.size());
      buffer.append(now);
      while (const auto change = detector.next(buffer))
        log += (change->started ? "[" : "]") + std::to_string(change->at / 16) + " ";
    }
  }

  std::unique_ptr<sync::SpeechDetectorFactory> speech = sync::make_energy_detector();
  SoundBuffer buffer;
  TurnDetector detector{speech->make()};
  std::string log;
};

TEST_F(TurnDetectorTest, ATurnStartsWithItsPrefixAndStopsAfterSilence) {
  detector.configure(openai::TurnDetection{}, buffer);
  append(960, false);
  append(1024, true);
  append(960, false);
  EXPECT_EQ(log, "[660 ]2496 ");
  EXPECT_FALSE(detector.speaking());
}

TEST_F(TurnDetectorTest, TheCutDoesNotMatter) {
  detector.configure(openai::TurnDetection{}, buffer);
  append(960, false, 37);
  append(1024, true, 5000);
  append(960, false, 511);
  EXPECT_EQ(log, "[660 ]2496 ");
}

TEST_F(TurnDetectorTest, AShortNoiseIsNoTurn) {
  detector.configure(openai::TurnDetection{}, buffer);
  append(960, false);
  append(96, true);
  append(960, false);
  EXPECT_EQ(log, "");
}

TEST_F(TurnDetectorTest, PausesShorterThanTheSilenceBelongToTheTurn) {
  detector.configure(openai::TurnDetection{}, buffer);
  for (int i = 0; i < 3; ++i) {
    append(512, true);
    append(448, false);
  }
  EXPECT_EQ(log, "[0 ");
  append(200, false);
  EXPECT_EQ(log, "[0 ]2944 ");
}

TEST_F(TurnDetectorTest, TimeIsCountedAcrossCommits) {
  detector.configure(openai::TurnDetection{}, buffer);
  append(992, false);
  buffer.drop_before(buffer.end());
  detector.forget(buffer);
  append(512, true);
  EXPECT_EQ(log, "[992 ") << "no prefix before what was committed";
}

TEST_F(TurnDetectorTest, OffNobodySpeaks) {
  append(2000, true);
  EXPECT_EQ(log, "");
  detector.configure(openai::TurnDetection{}, buffer);
  append(992, false);
  EXPECT_EQ(log, "") << "sound from before it was switched on";
}

TEST_F(TurnDetectorTest, OnlyWhatMayBecomeATurnIsKept) {
  detector.configure(openai::TurnDetection{}, buffer);
  append(5000, false);
  buffer.drop_before(detector.needed_from(buffer));
  EXPECT_LT(buffer.end() - buffer.begin(), 16 * 500);
  append(1000, true);
  EXPECT_EQ(detector.needed_from(buffer), buffer.begin());
}

}  // namespace
}  // namespace braid::serve
