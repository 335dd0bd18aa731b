#include "reopening.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "braid/base/virtual_clock.h"

namespace braid::ingest::ffmpeg {
namespace {

constexpr Nanoseconds kSecond = std::chrono::seconds(1);
constexpr std::array<bool, kStreamKinds> kAny = {true, true, true, true};

TEST(Backoff, DoublesUpToTenSecondsAndBeginsAnewAfterALineThatHeld) {
  Backoff backoff;
  std::vector<std::int64_t> waits_ms;
  waits_ms.reserve(7);
  const auto next = [&](Nanoseconds held) { return backoff.next(held) / Milliseconds(1); };
  for (int i = 0; i < 7; ++i) waits_ms.push_back(next({}));
  EXPECT_THAT(waits_ms, ::testing::ElementsAre(500, 1000, 2000, 4000, 8000, 10000, 10000));
  EXPECT_EQ(next(9 * kSecond), 10000);
  EXPECT_EQ(next(11 * kSecond), 500);
}

class ReopeningTest : public ::testing::Test {
 protected:
  /// Of an address that nobody answers at.
  Reopening reopening(const std::string& more) {
    return {*parse_source_spec(more + "url=rtsp://127.0.0.1:1/x"), {}, clock, stopped};
  }

  VirtualClock clock;
  std::shared_ptr<std::atomic<bool>> stopped = std::make_shared<std::atomic<bool>>(false);
  Pacer pacer{clock};
  std::vector<Error> told;
  Reopening::Complain complain = [this](const Error& error) { return told.push_back(error), true; };
};

TEST_F(ReopeningTest, IsForLiveAddressesUnlessTheSourceSaysOtherwise) {
  const auto wanted = [&](const char* spec) {
    return Reopening(*parse_source_spec(spec), {}, clock, stopped).wanted();
  };
  EXPECT_TRUE(wanted("rtsp://camera/1"));
  EXPECT_TRUE(wanted("live=1,url=http://camera/stream"));
  EXPECT_TRUE(wanted("reconnect=5,url=rtsp://camera/1"));
  EXPECT_FALSE(wanted("reconnect=0,url=rtsp://camera/1"));
  EXPECT_FALSE(wanted("http://server/film.mp4"));
  EXPECT_FALSE(wanted("v4l2:/dev/video0"));
  EXPECT_FALSE(wanted("live=1,file=-"));
}

TEST_F(ReopeningTest, GivesUpWhenItHasTriedForAsLongAsTheSourceSays) {
  Reopening again = reopening("reconnect=10,");
  const auto line = again.open(pacer, kAny, complain);
  ASSERT_FALSE(line);
  EXPECT_EQ(line.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(clock.now(), SteadyTime(Milliseconds(500 + 1000 + 2000 + 4000 + 8000)));
  EXPECT_THAT(told, ::testing::SizeIs(1)) << "one failure, five times";
}

TEST_F(ReopeningTest, StopsAtOnceWhileItWaits) {
  Reopening again = reopening("");
  Status status;
  Thread runner(clock, "source", [&] {
    auto line = again.open(pacer, kAny, complain);
    if (!line) status = tl::unexpected(line.error());
  });
  clock.sleep_for(60 * kSecond);
  *stopped = true;
  pacer.stop();
  runner.join();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(clock.now(), SteadyTime(60 * kSecond));
}

}  // namespace
}  // namespace braid::ingest::ffmpeg
