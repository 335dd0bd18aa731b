#include "realtime/turn_detector.h"

#include <gtest/gtest.h>

#include <string>

#include "braid/engine/scripted_media.h"

namespace braid::serve {
namespace {

class TurnDetectorTest : public testing::Test {
 protected:
  /// Sound in pieces of a frame and a bit; all changes, as text.
  void append(int ms, bool speech, int piece = 700) { append_at(ms, speech ? 0.3F : 0.0F, piece); }
  void append_at(int ms, float amplitude, int piece = 700) {
    const auto block = engine::make_tone({}, Milliseconds(ms), {}, 440, amplitude);
    std::span<const float> rest(block.samples);
    while (!rest.empty()) {
      const auto now = rest.first(std::min<std::size_t>(rest.size(), static_cast<std::size_t>(piece)));
      rest = rest.subspan(now.size());
      buffer.append(now);
      while (const auto change = detector.next(buffer)) {
        using Kind = TurnDetector::Change::Kind;
        const std::string at = std::to_string(change->at / 16) + " ";
        if (change->kind == Kind::kVoice && over_an_answer) detector.contest();
        if (change->kind == Kind::kStarted) log += "[" + at;
        if (change->kind == Kind::kStopped) log += "]" + at;
        if (change->kind == Kind::kBackchannel) log += "~" + at;
        if (change->kind == Kind::kVoice && over_an_answer) log += "(" + at;
        if (change->kind == Kind::kQuiet && over_an_answer) log += ")" + at;
      }
    }
  }

  std::unique_ptr<sync::SpeechDetectorFactory> speech = sync::make_energy_detector();
  SoundBuffer buffer;
  TurnDetector detector{speech->make()};
  std::string log;
  bool over_an_answer = false;
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

TEST_F(TurnDetectorTest, ShortSpeechOverAnAnswerIsABackchannel) {
  over_an_answer = true;
  detector.configure(openai::TurnDetection{}, buffer);
  append(960, false);
  append(352, true);
  append(960, false);
  EXPECT_EQ(log, "(960 ~1568 ");
  EXPECT_FALSE(detector.noticing());
}

TEST_F(TurnDetectorTest, LongSpeechOverAnAnswerIsATurn) {
  over_an_answer = true;
  detector.configure(openai::TurnDetection{}, buffer);
  append(960, false);
  append(512, true);
  EXPECT_EQ(log, "(960 [660 ") << "half a second after it began";
  append(960, false);
  EXPECT_EQ(log, "(960 [660 ]1984 ");
}

TEST_F(TurnDetectorTest, AWordAndWhatFollowsItAreOneInterruption) {
  over_an_answer = true;
  detector.configure(openai::TurnDetection{}, buffer);
  append(960, false);
  append(256, true);
  append(224, false);
  append(64, true);
  EXPECT_EQ(log, "(960 [660 ");
}

TEST_F(TurnDetectorTest, AWordAsLoudAsTheLoudPartsOfATurnIsNoShout) {
  detector.configure(openai::TurnDetection{}, buffer);
  append(960, false);
  for (int syllable = 0; syllable < 12; ++syllable) {  // as people speak: loud for a third of the time
    append_at(64, 0.3F);
    append_at(128, 0.05F);
  }
  append(960, false);
  log.clear();
  over_an_answer = true;
  append_at(352, 0.45F);
  append(960, false);
  EXPECT_EQ(log.substr(0, 1) + log.substr(log.find('~'), 1), "(~") << log;
}

TEST_F(TurnDetectorTest, WhoShoutsInterrupts) {
  detector.configure(openai::TurnDetection{}, buffer);
  append_at(1024, 0.1F);
  append(960, false);
  over_an_answer = true;
  log.clear();
  append_at(160, 0.9F);
  EXPECT_EQ(log, "(1984 [1684 ");
}

TEST_F(TurnDetectorTest, ANoiseOverAnAnswerHoldsItForMoments) {
  over_an_answer = true;
  detector.configure(openai::TurnDetection{}, buffer);
  append(960, false);
  append(96, true);
  append(960, false);
  EXPECT_EQ(log, "(960 )1152 ");
}

/// Says what a test wants to hear.
class Oracle final : public sync::TurnModel {
 public:
  std::optional<float> finished(std::span<const float> turn) override {
    asked.push_back(static_cast<int>(turn.size()) / 16);
    return says;
  }
  std::optional<float> says = 1.0F;
  std::vector<int> asked;  // ms
};

class SemanticTurns : public TurnDetectorTest {
 protected:
  SemanticTurns() {
    turns.kind = openai::TurnDetection::Kind::kSemanticVad;
    detector = TurnDetector(speech->make(), &oracle);
    detector.configure(turns, buffer);
  }

  Oracle oracle;
  openai::TurnDetection turns;
};

TEST_F(SemanticTurns, EndAsSoonAsTheModelIsSure) {
  append(1024, true);
  append(960, false);
  EXPECT_EQ(log, "[0 ]1216 ");
  EXPECT_EQ(oracle.asked, std::vector<int>{1216});
}

TEST_F(SemanticTurns, NeedLessTheLongerNothingIsSaid) {
  oracle.says = 0.35F;
  append(1024, true);
  append(960, false);
  EXPECT_EQ(log, "[0 ]1312 ");
  EXPECT_EQ(oracle.asked, (std::vector<int>{1216, 1312}));
}

TEST_F(SemanticTurns, GoOnWhileTheModelIsSureThatMoreComes) {
  oracle.says = 0.01F;
  append(1024, true);
  append(704, false);
  append(512, true);
  append(960, false);
  EXPECT_EQ(log, "[0 ]3040 ") << "800 ms after the last word";
}

TEST_F(SemanticTurns, WaitAsLongAsTheSpeakerPausesWhereNobodyIsSure) {
  oracle.says = std::nullopt;
  append(1024, true);
  append(960, false);
  EXPECT_EQ(log, "[0 ]1440 ") << "400 ms, for nothing is known of the speaker";
  log.clear();
  for (int pause : {288, 384}) {
    append(512, true);
    append(pause, false);
  }
  append(512, true);
  append(960, false);
  EXPECT_EQ(log.substr(log.find(']')), "]4672 ") << "a quarter more than 384 ms";
}

TEST_F(SemanticTurns, EagernessShiftsWhatCounts) {
  oracle.says = 0.4F;
  turns.eagerness = openai::TurnDetection::Eagerness::kHigh;
  detector.configure(turns, buffer);
  append(1024, true);
  append(2048, false);
  EXPECT_EQ(log, "[0 ]1216 ");
  log.clear();
  oracle.says = 0.1F;
  turns.eagerness = openai::TurnDetection::Eagerness::kLow;
  detector.configure(turns, buffer);
  append(1024, true);
  append(2048, false);
  EXPECT_EQ(log.substr(log.find(']')), "]5696 ");
}

TEST_F(SemanticTurns, WhatBreaksOffOverAnAnswerIsNoBackchannel) {
  over_an_answer = true;
  oracle.says = 0.01F;
  append(960, false);
  append(352, true);
  append(256, false);
  EXPECT_EQ(log, "(960 [660 ");
}

}  // namespace
}  // namespace braid::serve
