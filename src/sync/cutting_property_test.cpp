// What must hold of the utterance cutter for any sound.

#include <gtest/gtest.h>

#include "sound_for_tests.h"
#include "utterance_cutter.h"

namespace braid::sync {
namespace {

using namespace test;

/// Bursts of noise of any loudness with pauses between, some longer than an utterance may be.
Sound random_sound(std::mt19937& random) {
  Sound sound;
  for (int i = 0; i < 6; ++i) {
    const double burst = static_cast<double>(random() % (i % 3 == 0 ? 9000 : 1200)) / 1000;
    for (double left = burst; left > 0; left -= 0.1)
      add_noise(sound, std::min(left, 0.1), 0.02 + 0.5 * static_cast<double>(random() % 100) / 100, random);
    add_silence(sound, static_cast<double>(random() % 900) / 1000);
  }
  return sound;
}

struct Cutting {
  std::vector<Utterance> utterances;
  SyncCounts counts;

  void cut(const Sound& sound, std::mt19937& random, std::size_t largest_block) {
    UtteranceCutter cutter({}, make_energy_detector()->make(), counts);
    for (std::size_t from = 0; from < sound.size();) {
      const std::size_t to = from + 1 + random() % largest_block;
      const SessionTime bound = cutter.bound();
      const std::size_t known = utterances.size();
      cutter.push(block_of(sound, from, to), utterances);
      for (std::size_t i = known; i < utterances.size(); ++i)
        ASSERT_GE(utterances[i].end, bound) << "utterance " << i;
      ASSERT_GE(cutter.bound(), bound) << "sample " << from;
      from = to;
    }
    cutter.finish(utterances);
  }
};

void expect_equal(const std::vector<Utterance>& a, const std::vector<Utterance>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].start, b[i].start) << "utterance " << i;
    EXPECT_EQ(a[i].end, b[i].end) << "utterance " << i;
    EXPECT_EQ(a[i].samples, b[i].samples) << "utterance " << i;
  }
}

TEST(CuttingProperty, TheSizesOfBlocksDoNotMatter) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Sound sound = random_sound(random);
    Cutting whole;
    whole.cut(sound, random, 1 + sound.size() * 2);
    for (const std::size_t largest : {1U, 37U, 512U, 5000U}) {
      if (largest == 1 && seed >= 4) continue;
      Cutting pieces;
      pieces.cut(sound, random, largest);
      expect_equal(pieces.utterances, whole.utterances);
      EXPECT_EQ(pieces.counts.noise_bursts, whole.counts.noise_bursts);
    }
  }
}

TEST(CuttingProperty, UtterancesAreOrderedDisjointAndBounded) {
  for (unsigned seed = 100; seed < 160; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Sound sound = random_sound(random);
    Cutting cutting;
    cutting.cut(sound, random, 3000);
    SessionTime last = kSessionStart;
    for (const Utterance& utterance : cutting.utterances) {
      EXPECT_GE(utterance.start, last);
      EXPECT_GT(utterance.end, utterance.start);
      EXPECT_LE(utterance.end - utterance.start, Milliseconds(6000));
      EXPECT_EQ(utterance.samples.size() * SoundRun::kSample, utterance.end - utterance.start);
      last = utterance.end;
    }
    EXPECT_LE(last, kSessionStart + sound.size() * SoundRun::kSample);
  }
}

}  // namespace
}  // namespace braid::sync
