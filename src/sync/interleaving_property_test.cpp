// Whatever the order in which streams arrive, the same comes out.

#include <gtest/gtest.h>

#include <algorithm>

#include "braid/base/virtual_clock.h"
#include "order.h"
#include "packets_for_tests.h"

namespace braid::sync {
namespace {

using namespace test;

/// What one stream sends, in its order.
struct Stream {
  SourceId source;
  std::vector<Packet> packets;
};

struct Session {
  std::vector<std::array<bool, kStreamKinds>> sources;
  std::vector<Stream> streams;
  std::vector<Question> questions;
  std::size_t packets_that_come_out = 0;  // utterances left out
};

double pick(std::mt19937& random, double up_to) {
  return up_to * static_cast<double>(random() % 10'000) / 10'000;
}

// Times are coarse, so that many are equal.
double step(std::mt19937& random) { return 0.1 * static_cast<double>(random() % 8); }

Packet packet_of(StreamKind kind, double time, int mark, std::mt19937& random) {
  switch (kind) {
    case StreamKind::kVideo:
      return frame_at(time, mark);
    case StreamKind::kText:
      return line_at(time, time + step(random), std::to_string(mark));
    case StreamKind::kReading:
      return reading_at(time, std::to_string(mark));
    case StreamKind::kAudio:
      break;
  }
  Sound sound;
  add_noise(sound, 0.05 + pick(random, 0.3), random() % 3 == 0 ? 0.01 : 0.4, random);
  return block_of(sound, at(time));
}

double end_of(const Packet& packet, double start) {
  const auto* block = std::get_if<AudioBlock>(&packet);
  return block ? start + to_seconds(block->duration()) : start;
}

Stream random_stream(SourceId source, StreamKind kind, std::mt19937& random, std::size_t& packets) {
  Stream stream{source, {}};
  double time = pick(random, 1.0);
  const int n = static_cast<int>(random() % 7);  // none: announced and silent
  for (int mark = 0; mark < n; ++mark) {
    const double promised = time;
    time += random() % 3 == 0 && kind == StreamKind::kAudio ? 0 : step(random);
    if (random() % 3 == 0)
      stream.packets.push_back(bound(kind, promised + (time - promised) * pick(random, 1.0)));
    stream.packets.push_back(packet_of(kind, time, mark, random));
    time = end_of(stream.packets.back(), time);
    if (kind != StreamKind::kAudio) ++packets;
  }
  if (random() % 2 == 0) stream.packets.push_back(bound(kind, time + step(random)));
  return stream;
}

Session random_session(std::mt19937& random) {
  Session session;
  for (std::int64_t source = 0, n = 1 + random() % 4; source < n; ++source) {
    auto& kinds = session.sources.emplace_back();
    for (std::size_t kind = 0; kind < kStreamKinds; ++kind) {
      kinds[kind] = random() % 2 == 0 || (kind == 0 && source == 0);  // at least one stream
      if (kinds[kind])
        session.streams.push_back(random_stream(SourceId{source}, static_cast<StreamKind>(kind), random,
                                                session.packets_that_come_out));
    }
  }
  for (std::size_t i = 0, n = random() % 5; i < n; ++i)
    session.questions.push_back(question(std::to_string(i), random() % 4 == 0
                                                                ? std::optional<SessionTime>()
                                                                : at(0.1 * double(random() % 60))));
  return session;
}

struct Outcome {
  std::vector<std::string> seen;
  std::vector<Place> places;  // of all but questions without a time
  std::size_t packets = 0;    // utterances and questions left out
  std::size_t questions = 0;
  SyncCounts counts;

  void add(const Timed& timed) {
    seen.push_back(describe(timed));
    if (std::holds_alternative<StreamsEnd>(timed)) return;
    const auto* q = std::get_if<Question>(&timed);
    if (!q || q->at) places.push_back(place_of(timed));
    if (q)
      ++questions;
    else if (!std::holds_alternative<Utterance>(timed))
      ++packets;
  }
};

/// Picks streams at random until all are sent. A source ends after its last packet, or else with the session.
Outcome play(const Session& session, SpeechDetectorFactory& speech, std::mt19937& random) {
  VirtualClock clock;
  Outcome outcome;
  Synchronizer sync({}, clock, &speech, [&](const Timed& timed) { outcome.add(timed); });
  for (std::size_t i = 0; i < session.sources.size(); ++i)
    sync.add_source(SourceId{static_cast<std::int64_t>(i)}, session.sources[i], false);
  for (const Question& q : session.questions) sync.ask(q);

  std::vector<std::size_t> sent(session.streams.size());
  std::vector<std::size_t> turns;  // each stream as often as it has packets
  for (std::size_t i = 0; i < sent.size(); ++i)
    turns.insert(turns.end(), session.streams[i].packets.size(), i);
  std::shuffle(turns.begin(), turns.end(), random);
  if (random() % 4 == 0)
    std::stable_sort(turns.begin(), turns.end(), std::greater<>());  // one stream after the other
  const bool end_early = random() % 2 == 0;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const Stream& stream = session.streams[turns[i]];
    sync.push(stream.source, stream.packets[sent[turns[i]]++]);
    const bool more =
        std::any_of(turns.begin() + static_cast<std::ptrdiff_t>(i) + 1, turns.end(),
                    [&](std::size_t turn) { return session.streams[turn].source == stream.source; });
    if (end_early && !more) sync.end_source(stream.source);
  }
  sync.finish();
  outcome.counts = sync.counts();
  return outcome;
}

TEST(InterleavingProperty, AnyArrivalOrderGivesTheSameOutputAndLosesNothing) {
  const auto speech = make_energy_detector();
  std::size_t utterances = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Session session = random_session(random);
    const Outcome reference = play(session, *speech, random);
    ASSERT_TRUE(std::is_sorted(reference.places.begin(), reference.places.end()));
    ASSERT_EQ(reference.packets, session.packets_that_come_out);
    ASSERT_EQ(reference.questions, session.questions.size());
    utterances += reference.seen.size() - reference.packets - reference.questions - 1;  // and the end
    for (int repeat = 0; repeat < 3; ++repeat) {
      const Outcome outcome = play(session, *speech, random);
      ASSERT_EQ(outcome.seen, reference.seen);
      ASSERT_EQ(outcome.counts.late, 0U);
      ASSERT_EQ(outcome.counts.overflow, 0U);
      ASSERT_EQ(outcome.counts.noise_bursts, reference.counts.noise_bursts);
    }
  }
  EXPECT_GT(utterances, 1000U);  // else the sound of the sessions tests nothing
}

}  // namespace
}  // namespace braid::sync
