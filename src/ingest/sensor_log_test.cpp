#include "braid/ingest/sensor_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid::ingest {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

LogRow row_of(SensorLogParser& parser, const std::string& line) {
  auto row = parser.parse(line);
  EXPECT_TRUE(row) << line << ": " << (row ? "" : row.error().message);
  EXPECT_TRUE(row && *row) << line << ": no row";
  return row && *row ? **row : LogRow{};
}

bool no_row(SensorLogParser& parser, const std::string& line) {
  auto row = parser.parse(line);
  return row && !*row;
}

std::string error_of(SensorLogParser& parser, const std::string& line) {
  auto row = parser.parse(line);
  return row ? "" : row.error().message;
}

TEST(SensorLog, NamesChannelsByTheHeaderAndKeepsValuesAsWritten) {
  SensorLogParser parser;
  EXPECT_TRUE(no_row(parser, "t_us,temperature,state"));
  const LogRow row = row_of(parser, "1500000, 81.40 ,\"open, wide\"");
  EXPECT_EQ(row.start->text, "1500000");
  EXPECT_EQ(row.start->unit, TimeUnit::kMicroseconds);
  EXPECT_THAT(row.values, ElementsAre(Pair("temperature", "81.40"), Pair("state", "open, wide")));
}

TEST(SensorLog, TakesANamedTimeColumnWhereverItStands) {
  SensorLogParser parser;
  EXPECT_TRUE(no_row(parser, "force;Time_ms;x"));
  const LogRow row = row_of(parser, "7;20;8");
  EXPECT_EQ(row.start->text, "20");
  EXPECT_EQ(row.start->unit, TimeUnit::kMilliseconds);
  EXPECT_THAT(row.values, ElementsAre(Pair("force", "7"), Pair("x", "8")));
}

TEST(SensorLog, ReadsLogsWithoutAHeader) {
  SensorLogParser parser;
  EXPECT_THAT(row_of(parser, "0\t1\t2").values, ElementsAre(Pair("ch1", "1"), Pair("ch2", "2")));
}

TEST(SensorLog, LeavesOutEmptyValuesBlankLinesAndComments) {
  SensorLogParser parser;
  EXPECT_TRUE(no_row(parser, "# made by a press"));
  EXPECT_TRUE(no_row(parser, "t_us,a,b"));
  EXPECT_TRUE(no_row(parser, "   "));
  EXPECT_THAT(row_of(parser, "1,,2").values, ElementsAre(Pair("b", "2")));
}

TEST(SensorLog, ReadsJsonObjectsFlatWithNumbersAsWritten) {
  SensorLogParser parser;
  const LogRow row =
      row_of(parser, R"({"a":{"b":1.50,"c":[true,2e3]},"timestamp_us":12,"n":null,"s":"x\"y"})");
  EXPECT_EQ(row.start->text, "12");
  EXPECT_THAT(row.values, ElementsAre(Pair("a.b", "1.50"), Pair("a.c.0", "true"), Pair("a.c.1", "2e3"),
                                      Pair("s", "x\"y")));
}

TEST(SensorLog, SaysWhatIsWrongWithALineAndGoesOn) {
  SensorLogParser parser;
  EXPECT_TRUE(no_row(parser, "t_us,a"));
  EXPECT_THAT(error_of(parser, "x,1"), HasSubstr("isn't a number"));
  EXPECT_THAT(error_of(parser, "1,2,3"), HasSubstr("3 fields; expected 2"));
  EXPECT_THAT(error_of(parser, "1,\"open"), HasSubstr("quote"));
  EXPECT_THAT(error_of(parser, "1,"), HasSubstr("without any value"));
  EXPECT_THAT(error_of(parser, "1,\xff"), HasSubstr("UTF-8"));
  EXPECT_THAT(error_of(parser, "\xbc,1"), HasSubstr("'\xEF\xBF\xBD'"));
  EXPECT_THAT(error_of(parser, "99999999999999999999,1"), HasSubstr("out of range"));
  EXPECT_THAT(error_of(parser, "1," + std::string(1000, 'x')), HasSubstr("256 bytes"));
  EXPECT_EQ(row_of(parser, "5,6").start->text, "5");
}

TEST(SensorLog, SaysWhatIsWrongWithJson) {
  SensorLogParser parser;
  EXPECT_EQ(row_of(parser, R"({"t":1,"a":2})").start->text, "1");
  EXPECT_THAT(error_of(parser, R"({"t":1,"a":)"), HasSubstr("not a JSON object"));
  EXPECT_THAT(error_of(parser, R"([1,2])"), HasSubstr("not a JSON object"));
  EXPECT_THAT(error_of(parser, R"({"t":1,"a":2} x)"), HasSubstr("more than one"));
  EXPECT_THAT(error_of(parser, R"({})"), HasSubstr("empty object"));
  std::string deep = R"({"t":1,"a":)";
  for (int i = 0; i < 50; ++i) deep += "[";
  EXPECT_THAT(error_of(parser, deep), HasSubstr("not a JSON object"));
  std::string wide = R"({"t":1)";
  for (int i = 0; i < 400; ++i) wide += ",\"k" + std::to_string(i) + "\":1";
  EXPECT_THAT(error_of(parser, wide + "}"), HasSubstr("257 members"));
}

struct TimeCase {
  const char* text;
  TimeUnit unit;
  std::int64_t ns;
};

class LogTimes : public ::testing::TestWithParam<TimeCase> {};

TEST_P(LogTimes, AreExact) {
  const auto time = log_time({GetParam().text, TimeUnit::kAuto}, GetParam().unit);
  ASSERT_TRUE(time) << time.error().message;
  EXPECT_EQ(time->count(), GetParam().ns);
}

INSTANTIATE_TEST_SUITE_P(
    AsWritten, LogTimes,
    ::testing::Values(TimeCase{"1250000", TimeUnit::kAuto, 1'250'000'000},
                      TimeCase{"0.1", TimeUnit::kSeconds, 100'000'000},
                      TimeCase{"1700000000.123456789", TimeUnit::kSeconds, 1'700'000'000'123'456'789},
                      TimeCase{"1700000000123456.5", TimeUnit::kMicroseconds, 1'700'000'000'123'456'500},
                      TimeCase{"-2.5", TimeUnit::kMilliseconds, -2'500'000},
                      TimeCase{"1.5e3", TimeUnit::kMilliseconds, 1'500'000'000},
                      TimeCase{"7", TimeUnit::kNanoseconds, 7},
                      TimeCase{"1970-01-02T00:00:01.5Z", TimeUnit::kAuto, 86'401'500'000'000},
                      TimeCase{"2023-11-14 23:13:20+01:00", TimeUnit::kAuto, 1'700'000'000'000'000'000},
                      TimeCase{"2023-11-14 23:13:20+0100", TimeUnit::kAuto, 1'700'000'000'000'000'000},
                      TimeCase{"2023-W46-2T22:13:20,25Z", TimeUnit::kAuto, 1'700'000'000'250'000'000},
                      TimeCase{"20231114T221320Z", TimeUnit::kMilliseconds, 1'700'000'000'000'000'000},
                      TimeCase{"1970-002", TimeUnit::kSeconds, 86'400'000'000'000},
                      TimeCase{"5e-1", TimeUnit::kSeconds, 500'000'000}));

TEST(SensorLog, ReadsDecimalCommasBesideAnotherSeparator) {
  for (const char* line : {"0,5;1,25;2", "0,5\t1,25\t2"}) {
    SensorLogParser parser;
    const auto row = parser.parse(line);
    ASSERT_TRUE(row && *row) << line;
    EXPECT_EQ((*row)->start->text, "0.5");
    ASSERT_EQ((*row)->values.size(), 2U);
    EXPECT_EQ((*row)->values[0].second, "1,25");
  }
}

TEST(LogTime, RefusesWhatIsNoTime) {
  for (const char* text : {"", "x", "-", "1.", "1.5.2", "1 2", "0x10", "1e400", "nan", "2026-13-01T00:00:00Z",
                           "2026-11-29T25:00:00Z", "2026-11-29Tx", "9e18", "2026-11", "12:00:00",
                           "2026-11-29T10:00Z/PT1H", "1969-12-31T23:59:59Z", "2201-01-01"})
    EXPECT_FALSE(log_time({text, TimeUnit::kAuto}, TimeUnit::kSeconds)) << text;
}

}  // namespace
}  // namespace braid::ingest
