// The drift protocol's own tests; what all clients must agree on is in tests/data/drift.json.
#include "braid/sync/drift_clock.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <fstream>
#include <sstream>

#include "clock/path_for_tests.h"

namespace braid::sync {
namespace {

using namespace test;
namespace json = boost::json;

json::value read_table() {
  std::ifstream file("tests/data/drift.json");
  std::stringstream text;
  text << file.rdbuf();
  return json::parse(text.str());
}

// ["ping", t1, t2, t3, t4] or ["expect", client time, open, offset or null, bound or null, closed, refused,
// ping after]
void play(DriftClock& clock, const json::array& step) {
  const auto number = [&](std::size_t i) { return step.at(i).to_number<std::int64_t>(); };
  if (step.at(0) == "ping") return clock.exchange(number(1), number(2), number(3), number(4));
  const auto offset = clock.offset(static_cast<double>(number(1)));
  EXPECT_EQ(clock.is_open(), step.at(2).as_bool());
  ASSERT_EQ(offset.has_value(), !step.at(3).is_null());
  if (offset) {
    EXPECT_NEAR(offset->us, step.at(3).to_number<double>(), 1e-3);
    EXPECT_NEAR(offset->bound_us, step.at(4).to_number<double>(), 1e-3);
  }
  EXPECT_EQ(clock.closed(), number(5));
  EXPECT_EQ(clock.refused(), number(6));
  EXPECT_EQ(clock.ping_after_ms(), number(7));
}

TEST(DriftClock, AgreesWithTheTableOfCasesThatAllClientsShare) {
  const json::value table = read_table();
  ASSERT_GE(table.as_array().size(), 8U);
  for (const json::value& one : table.as_array()) {
    SCOPED_TRACE(one.at("name").as_string().c_str());
    DriftClock clock;
    int number = 0;
    for (const json::value& step : one.at("steps").as_array()) {
      SCOPED_TRACE(number++);
      play(clock, step.as_array());
    }
  }
}

TEST(DriftClock, TheTruthIsWithinTheBoundOnEveryPath) {
  for (const PathKind& path : kPaths) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      SCOPED_TRACE(std::string(path.name) + " " + std::to_string(seed));
      Dice dice(seed);
      DriftClock clock;
      const SenderClock client{1'700'000'000'000'000'000, dice.between(-100, 100)};
      for (std::int64_t now = 0; now < 60'000'000'000;
           now += clock.ping_after_ms() * std::int64_t{1'000'000}) {
        const std::int64_t there = now + dice.there_ns(path), back = there + 1000 + dice.back_ns(path);
        clock.exchange(client.at(now) / 1000, there / 1000, there / 1000 + 1, client.at(back) / 1000);
        const auto offset = clock.offset(static_cast<double>(client.at(back)) / 1e3);
        const double truth = static_cast<double>(back - client.at(back)) / 1e3;
        ASSERT_LE(std::abs(offset->us - truth), offset->bound_us + 2);  // stamps are whole µs
      }
    }
  }
}

TEST(DriftClock, TakesAnyValues) {
  DriftClock clock;
  for (const std::int64_t a : {INT64_MIN, std::int64_t{-1}, INT64_MAX})
    for (const std::int64_t b : {INT64_MIN, std::int64_t{0}, INT64_MAX}) clock.exchange(a, b, a, b);
  EXPECT_TRUE(clock.offset(0).has_value());
}

}  // namespace
}  // namespace braid::sync
