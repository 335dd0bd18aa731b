// The small parts of a Realtime connection.

#include <gtest/gtest.h>

#include "braid/base/virtual_clock.h"
#include "braid/engine/scripted_media.h"
#include "realtime/client_queue.h"
#include "realtime/client_secrets.h"
#include "realtime/picture_file.h"
#include "realtime/sample_for_tests.h"
#include "realtime/token_bucket.h"

namespace braid::serve {
namespace {

TEST(TokenBucket, FillsAtItsRate) {
  TokenBucket bucket(10, 5);
  const SteadyTime start{Milliseconds(1000)};
  EXPECT_TRUE(bucket.take(5, start));
  EXPECT_FALSE(bucket.take(1, start));
  EXPECT_FALSE(bucket.take(1, start + Milliseconds(90)));
  EXPECT_TRUE(bucket.take(1, start + Milliseconds(101)));
  EXPECT_FALSE(bucket.take(6, start + Milliseconds(100'000)));
}

TEST(ClientQueue, IsBoundedByCountAndBytes) {
  VirtualClock clock;
  ClientQueue queue(clock, {.inputs = 2, .bytes = 4000});
  EXPECT_TRUE(queue.post({client::Line{"a"}, {}}));
  EXPECT_EQ(queue.post({client::Line{std::string(4000, 'x')}, {}}).error().code, ErrorCode::kFull);
  EXPECT_TRUE(queue.post({client::Line{"b"}, {}}));
  EXPECT_EQ(queue.post({client::Line{"c"}, {}}).error().code, ErrorCode::kFull);
  ClientInput input;
  EXPECT_EQ(queue.take(input, std::nullopt), ClientQueue::Took::kInput);
  EXPECT_EQ(std::get<client::Line>(input.body).text, "a");
  queue.close();
  EXPECT_EQ(queue.take(input, std::nullopt), ClientQueue::Took::kClosed);
  EXPECT_EQ(queue.post({client::Line{"d"}, {}}).error().code, ErrorCode::kCancelled);
}

TEST(ClientQueue, TimeMayPass) {
  VirtualClock clock;
  ClientQueue queue(clock);
  ClientInput input;
  EXPECT_EQ(queue.take(input, clock.now() + Milliseconds(50)), ClientQueue::Took::kTimeout);
}

TEST(ClientSecrets, AreGoodForTheirTime) {
  VirtualClock clock(SteadyTime(Milliseconds(1)));
  ClientSecrets secrets(clock);
  openai::RealtimeConfig config;
  config.instructions = "Hi";
  const auto secret = secrets.make({"line-7", "", config}, std::chrono::seconds(60));
  ASSERT_TRUE(secret);
  EXPECT_TRUE(secret->starts_with("ek_"));
  ASSERT_TRUE(secrets.find(*secret));
  EXPECT_EQ(secrets.find(*secret)->owner, "line-7");
  EXPECT_EQ(secrets.find(*secret)->config.instructions, "Hi");
  EXPECT_FALSE(secrets.find("ek_other"));
  EXPECT_FALSE(secrets.find(""));
  clock.sleep_for(std::chrono::seconds(60));
  EXPECT_FALSE(secrets.find(*secret));
}

TEST(ClientSecrets, AreBounded) {
  VirtualClock clock;
  ClientSecrets secrets(clock, 3, 2);
  const auto make = [&](const char* owner) {
    return secrets.make({owner, "", {}}, std::chrono::seconds(60)).has_value();
  };
  EXPECT_TRUE(make("a"));
  EXPECT_TRUE(make("a"));
  EXPECT_FALSE(make("a"));
  EXPECT_TRUE(make("b"));
  EXPECT_FALSE(make("b"));
  clock.sleep_for(std::chrono::seconds(60));
  EXPECT_TRUE(make("a")) << "those whose time is over make room";
}

TEST(PictureFile, IsReadAsAFrame) {
  RealClock clock;
  for (const char* name : {"still1.png", "still2.jpg"}) {
    const auto frame = read_picture(read_sample(name), {}, clock);
    ASSERT_TRUE(frame) << frame.error().message;
    EXPECT_GT(frame->width, 0);
    EXPECT_TRUE(frame->pixels);
  }
}

TEST(PictureFile, JunkAndGiantsAreRefused) {
  RealClock clock;
  EXPECT_FALSE(read_picture("", {}, clock));
  EXPECT_FALSE(read_picture(std::string("\x89PNG\r\n\x1A\n", 8) + std::string(100, 'x'), {}, clock));
  const std::string png = read_sample("still1.png");
  EXPECT_FALSE(read_picture(png.substr(0, 60), {}, clock));
  ingest::IngestOptions small;
  small.limits.max_side = 16;
  EXPECT_EQ(read_picture(png, small, clock).error().code, ErrorCode::kLimit);
}

}  // namespace
}  // namespace braid::serve
