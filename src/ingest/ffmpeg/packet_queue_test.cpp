#include "packet_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace braid::ingest::ffmpeg {
namespace {

using ::testing::ElementsAre;

SessionTime at_ms(int ms) { return SessionTime(Milliseconds(ms)); }

void push(PacketQueue& queue, StreamKind stream, int at, int due, int bytes = 0) {
  PacketPtr packet = queue.blank();
  EXPECT_EQ(bytes > 0 ? av_new_packet(packet.get(), bytes) : 0, 0);
  queue.push({std::move(packet), stream, at_ms(at), at_ms(due), {}});
}

void push(PacketQueue& queue, StreamKind stream, int at) { push(queue, stream, at, at); }

int pop_ms(PacketQueue& queue) {
  PacketQueue::Entry entry = queue.pop();
  const auto ms = static_cast<int>(entry.at.time_since_epoch() / Milliseconds(1));
  queue.recycle(std::move(entry.packet));
  return ms;
}

TEST(PacketQueue, MovesTheNewestPacketOfAStreamWithItsTimes) {
  PacketQueue queue(Milliseconds(100));
  queue.move_newest(StreamKind::kVideo, Milliseconds(1), {1, 1000});
  PacketPtr packet = queue.blank();
  packet->pts = 7;
  queue.push({std::move(packet), StreamKind::kVideo, at_ms(40), at_ms(40), {}});
  push(queue, StreamKind::kAudio, 40);
  queue.move_newest(StreamKind::kVideo, Milliseconds(500), {1, 1000});
  EXPECT_EQ(pop_ms(queue), 40);
  const PacketQueue::Entry moved = queue.pop();
  EXPECT_EQ(moved.at, at_ms(540));
  EXPECT_EQ(moved.packet->pts, 507);
}

TEST(PacketQueue, IsReadyOnceTheNewestPacketIsFarEnoughAhead) {
  PacketQueue queue(Milliseconds(100));
  EXPECT_FALSE(queue.ready());
  push(queue, StreamKind::kVideo, 0);
  push(queue, StreamKind::kAudio, 99);
  EXPECT_FALSE(queue.ready());
  push(queue, StreamKind::kAudio, 100);
  EXPECT_TRUE(queue.ready());
  pop_ms(queue);
  EXPECT_FALSE(queue.ready());
}

TEST(PacketQueue, ReadsOnWhereAStreamIsExpectedForAsLongAsThereIsRoom) {
  PacketQueue queue(Milliseconds(100));
  queue.expect(StreamKind::kAudio);
  for (int i = 0; i < 300; ++i) push(queue, StreamKind::kVideo, i);
  EXPECT_FALSE(queue.ready());
  push(queue, StreamKind::kAudio, 0);
  EXPECT_TRUE(queue.ready());
  pop_ms(queue);
  EXPECT_EQ(pop_ms(queue), 0);
  EXPECT_FALSE(queue.ready());
  push(queue, StreamKind::kVideo, 300, 300, static_cast<int>(PacketQueue::kMaxBytes));
  EXPECT_TRUE(queue.ready());
}

TEST(PacketQueue, IsReadyWhenItHoldsTooMuch) {
  PacketQueue queue(std::chrono::hours(1));
  push(queue, StreamKind::kVideo, 0, 0, static_cast<int>(PacketQueue::kMaxBytes / 2));
  EXPECT_FALSE(queue.ready());
  push(queue, StreamKind::kVideo, 1, 1, static_cast<int>(PacketQueue::kMaxBytes / 2));
  EXPECT_TRUE(queue.ready());
}

TEST(PacketQueue, GivesWhatIsDueFirst) {
  PacketQueue queue(Nanoseconds{});
  push(queue, StreamKind::kAudio, 0, 64);
  push(queue, StreamKind::kAudio, 64, 128);
  push(queue, StreamKind::kVideo, 40);
  push(queue, StreamKind::kVideo, 80);
  const std::vector<int> order = {pop_ms(queue), pop_ms(queue), pop_ms(queue), pop_ms(queue)};
  EXPECT_THAT(order, ElementsAre(40, 0, 80, 64));
  EXPECT_TRUE(queue.empty());
}

TEST(PacketQueue, PromisesNothingBeforeWhatIsQueuedOrMayYetBeRead) {
  PacketQueue queue(Nanoseconds{});
  push(queue, StreamKind::kVideo, 5000);
  EXPECT_EQ(queue.nothing_before(StreamKind::kAudio), at_ms(4000));
  EXPECT_EQ(queue.nothing_before(StreamKind::kVideo), at_ms(4000));
  push(queue, StreamKind::kAudio, 3500);
  EXPECT_EQ(queue.nothing_before(StreamKind::kAudio), at_ms(3500));
}

TEST(PacketQueue, KeepsEachStreamsOrderWhateverIsPushedAndPopped) {
  std::mt19937 random(5);
  PacketQueue queue(Nanoseconds{});
  std::array<int, 2> pushed{}, popped{};
  for (int i = 0; i < 5000; ++i) {
    const std::size_t stream = random() % 2;
    if (queue.empty() || random() % 2) {
      push(queue, static_cast<StreamKind>(stream), ++pushed[stream]);
      continue;
    }
    PacketQueue::Entry entry = queue.pop();
    EXPECT_EQ(entry.at, at_ms(++popped[static_cast<std::size_t>(entry.stream)]));
    queue.recycle(std::move(entry.packet));
  }
}

}  // namespace
}  // namespace braid::ingest::ffmpeg
