#include "realtime/connection_fixture.h"

namespace braid::serve {
namespace {

TEST_F(RealtimeConnectionTest, AStampedReadingIsPlacedByItsSendersClock) {
  open();
  // The sender's clock is 1,000 s ahead; the second reading is 300 ms under way.
  send(R"({"type":"input_sensor.append","source":"press","at_us":1000000000,"values":{"t":1}})");
  sleep_ms(1300);
  send(R"({"type":"input_sensor.append","source":"press","at_us":1001000000,"values":{"t":2}})");
  ask("What have you read?");
  sleep_ms(1500);
  const auto& window = last("braid.stages").at("braid").at("window").as_object();
  EXPECT_EQ(window.at("from_us"), 0);
  EXPECT_EQ(window.at("to_us"), 1'000'000);
  const auto& seen = window.at("sources").at("client").as_object();
  EXPECT_EQ(seen.at("chunks"), 2);
  EXPECT_EQ(seen.at("age_ms").to_number<double>(), 300);
  EXPECT_GE(seen.at("error_bound_ms").to_number<double>(), 20) << "nothing tells how long the path is";
  EXPECT_EQ(seen.at("missing"), false);
}

TEST_F(RealtimeConnectionTest, PingsTellHowLongAStampedPictureWasUnderWay) {
  open();
  const auto ping = [&](int at_ms, const char* more) {  // 2 ms there, 2 ms back
    sleep_ms(2);
    send(R"({"type":"clock.ping","t1_us":)" + std::to_string(1000 * at_ms) + more + "}");
    sleep_ms(2);
  };
  const auto read = [&](int at_ms) {
    sleep_ms(2);
    send(R"({"type":"input_sensor.append","source":"press","at_us":)" + std::to_string(1000 * at_ms) +
         R"(,"values":{"t":1}})");
  };
  ping(0, "");
  ping(4, R"(,"pong_us":4000,"sources":["press"])");
  for (int at = 8; at < 400; at += 2) read(at);
  const auto clocks = connection->live()->clocks().report();
  ASSERT_EQ(clocks.size(), 1U);
  EXPECT_EQ(clocks[0].name, "press");
  EXPECT_LT(clocks[0].report.error_bound, Milliseconds(3));
  EXPECT_NEAR(to_seconds(clocks[0].report.offset), 0, 0.001);
}

}  // namespace
}  // namespace braid::serve
