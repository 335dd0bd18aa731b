#include "braid/calendar/time_range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace braid::calendar {
namespace {

using ::testing::HasSubstr;

/// From, to and precision; ".." for an open edge, "?" for an unknown one.
std::string described(const Result<UtcRange>& range) {
  if (!range) return std::string(to_string(range.error().code)) + ": " + range.error().message;
  const auto shown = [](Edge edge, UtcTime time) {
    return edge == Edge::kGiven ? utc_text(time) : std::string(edge == Edge::kOpen ? ".." : "?");
  };
  return shown(range->from_edge, range->from) + " " + shown(range->to_edge, range->to) + " " +
         to_string(range->precision);
}

UtcTime time_of(const char* text) {
  const auto range = parse_time_range(text);
  EXPECT_TRUE(range) << text;
  return range ? range->from : UtcTime{};
}

struct Case {
  const char* text;
  const char* range;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.text; }

class TimeRanges : public ::testing::TestWithParam<Case> {};

TEST_P(TimeRanges, AreWhatTheTextNames) {
  EXPECT_EQ(described(parse_time_range(GetParam().text)), GetParam().range);
}

constexpr Case kDates[] = {
    Case{"1985-04-12", "1985-04-12T00:00:00Z 1985-04-13T00:00:00Z day"},
    Case{"19850412", "1985-04-12T00:00:00Z 1985-04-13T00:00:00Z day"},
    Case{"1985-04", "1985-04-01T00:00:00Z 1985-05-01T00:00:00Z month"},
    Case{"1985", "1985-01-01T00:00:00Z 1986-01-01T00:00:00Z year"},
    Case{"198", "1980-01-01T00:00:00Z 1990-01-01T00:00:00Z decade"},
    Case{"19", "1900-01-01T00:00:00Z 2000-01-01T00:00:00Z century"},
    Case{"1985-102", "1985-04-12T00:00:00Z 1985-04-13T00:00:00Z day"},
    Case{"1985102", "1985-04-12T00:00:00Z 1985-04-13T00:00:00Z day"},
    Case{"2024-366", "2024-12-31T00:00:00Z 2025-01-01T00:00:00Z day"},
    Case{"1985-W15", "1985-04-08T00:00:00Z 1985-04-15T00:00:00Z week"},
    Case{"1985W15", "1985-04-08T00:00:00Z 1985-04-15T00:00:00Z week"},
    Case{"1985-W15-5", "1985-04-12T00:00:00Z 1985-04-13T00:00:00Z day"},
    Case{"1985W155", "1985-04-12T00:00:00Z 1985-04-13T00:00:00Z day"},
    Case{"2009-W01-1", "2008-12-29T00:00:00Z 2008-12-30T00:00:00Z day"},
    Case{"2009-W53-7", "2010-01-03T00:00:00Z 2010-01-04T00:00:00Z day"},
    Case{"+001985-04-12", "1985-04-12T00:00:00Z 1985-04-13T00:00:00Z day"},
};
INSTANTIATE_TEST_SUITE_P(Dates, TimeRanges, ::testing::ValuesIn(kDates));

constexpr Case kTimes[] = {
    Case{"1985-04-12T23:20:50Z", "1985-04-12T23:20:50Z 1985-04-12T23:20:51Z second"},
    Case{"19850412T232050Z", "1985-04-12T23:20:50Z 1985-04-12T23:20:51Z second"},
    Case{"1985-04-12 23:20:50", "1985-04-12T23:20:50Z 1985-04-12T23:20:51Z second"},
    Case{"1985-04-12t23:20:50z", "1985-04-12T23:20:50Z 1985-04-12T23:20:51Z second"},
    Case{"1985-04-12T23:20Z", "1985-04-12T23:20:00Z 1985-04-12T23:21:00Z minute"},
    Case{"19850412T23Z", "1985-04-12T23:00:00Z 1985-04-13T00:00:00Z hour"},
    Case{"1985-102T23:20:50Z", "1985-04-12T23:20:50Z 1985-04-12T23:20:51Z second"},
    Case{"1985-W15-5T10:15+04", "1985-04-12T06:15:00Z 1985-04-12T06:16:00Z minute"},
    Case{"1985W155T1015+0400", "1985-04-12T06:15:00Z 1985-04-12T06:16:00Z minute"},
    Case{"1985-04-12T10:15:30+04:00", "1985-04-12T06:15:30Z 1985-04-12T06:15:31Z second"},
    Case{"1985-04-12T10:15:30\xE2\x88\x92"
         "03:30",
         "1985-04-12T13:45:30Z 1985-04-12T13:45:31Z second"},
    Case{"1985-04-12T23:20:50,5Z", "1985-04-12T23:20:50.5Z 1985-04-12T23:20:50.6Z fraction"},
    Case{"1985-04-12T23:20.8Z", "1985-04-12T23:20:48Z 1985-04-12T23:20:54Z fraction"},
    Case{"1985-04-12T23.3Z", "1985-04-12T23:18:00Z 1985-04-12T23:24:00Z fraction"},
    Case{"2026-11-29T10:00:00.123456789Z",
         "2026-11-29T10:00:00.123456789Z 2026-11-29T10:00:00.12345679Z fraction"},
    Case{"2026-11-29T10:00:00.12345678999999999999Z",
         "2026-11-29T10:00:00.123456789Z 2026-11-29T10:00:00.12345679Z fraction"},
    Case{"2026-11-29T10.333333333333333333333Z",
         "2026-11-29T10:19:59.999999999Z 2026-11-29T10:20:00Z fraction"},
    Case{"1985-04-12T24:00Z", "1985-04-13T00:00:00Z 1985-04-13T00:01:00Z minute"},
    Case{"2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z 2017-01-01T00:00:01Z second"},
    Case{"2016-12-31T18:59:60.5-05:00", "2017-01-01T00:00:00.5Z 2017-01-01T00:00:00.6Z fraction"},
    Case{"2017-01-01T05:29:60+05:30", "2017-01-01T00:00:00Z 2017-01-01T00:00:01Z second"},
};
INSTANTIATE_TEST_SUITE_P(Times, TimeRanges, ::testing::ValuesIn(kTimes));

constexpr Case kLevelOne[] = {
    Case{"1984?", "1984-01-01T00:00:00Z 1985-01-01T00:00:00Z year"},
    Case{"2004-06~", "2004-06-01T00:00:00Z 2004-07-01T00:00:00Z month"},
    Case{"2004-06-11%", "2004-06-11T00:00:00Z 2004-06-12T00:00:00Z day"},
    Case{"201X", "2010-01-01T00:00:00Z 2020-01-01T00:00:00Z decade"},
    Case{"20XX", "2000-01-01T00:00:00Z 2100-01-01T00:00:00Z century"},
    Case{"2004-XX", "2004-01-01T00:00:00Z 2005-01-01T00:00:00Z year"},
    Case{"1985-04-XX", "1985-04-01T00:00:00Z 1985-05-01T00:00:00Z month"},
    Case{"1985-XX-XX", "1985-01-01T00:00:00Z 1986-01-01T00:00:00Z year"},
    Case{"2001-21", "2001-03-01T00:00:00Z 2001-06-01T00:00:00Z season"},
    Case{"2001-24", "2001-12-01T00:00:00Z 2002-03-01T00:00:00Z season"},
    Case{"1985-04-12/..", "1985-04-12T00:00:00Z .. day"},
    Case{"1985-04/", "1985-04-01T00:00:00Z ? month"},
    Case{"../1985-04-12", ".. 1985-04-13T00:00:00Z day"},
    Case{"/1985", "? 1986-01-01T00:00:00Z year"},
    Case{"1984~/2004-06", "1984-01-01T00:00:00Z 2004-07-01T00:00:00Z year"},
    Case{"1964/2008", "1964-01-01T00:00:00Z 2009-01-01T00:00:00Z year"},
    Case{"2004-02-01/2005", "2004-02-01T00:00:00Z 2006-01-01T00:00:00Z year"},
};
INSTANTIATE_TEST_SUITE_P(LevelOne, TimeRanges, ::testing::ValuesIn(kLevelOne));

constexpr Case kIntervals[] = {
    Case{"2026-11-29T10:00Z/PT72H", "2026-11-29T10:00:00Z 2026-12-02T10:00:00Z minute"},
    Case{"19850412T232050/19850625T103000", "1985-04-12T23:20:50Z 1985-06-25T10:30:00Z second"},
    Case{"1985-04-12T23:20:50/P1Y2M15DT12H30M0S", "1985-04-12T23:20:50Z 1986-06-28T11:50:50Z second"},
    Case{"P1Y2M15DT12H20M0S/1985-04-12T23:20:50", "1984-01-28T11:00:50Z 1985-04-12T23:20:50Z second"},
    Case{"2026-01-31/P1M", "2026-01-31T00:00:00Z 2026-02-28T00:00:00Z day"},
    Case{"P1D/2026-11-30", "2026-11-30T00:00:00Z 2026-12-01T00:00:00Z day"},
    Case{"2007-11-13/15", "2007-11-13T00:00:00Z 2007-11-16T00:00:00Z day"},
    Case{"2007-11-13/12-15", "2007-11-13T00:00:00Z 2007-12-16T00:00:00Z day"},
    Case{"20071113/15", "2007-11-13T00:00:00Z 2007-11-16T00:00:00Z day"},
    Case{"2007-11/12", "2007-11-01T00:00:00Z 2008-01-01T00:00:00Z month"},
    Case{"2026-W48/W50", "2026-11-23T00:00:00Z 2026-12-14T00:00:00Z week"},
    Case{"2026-W48-1/5", "2026-11-23T00:00:00Z 2026-11-28T00:00:00Z day"},
    Case{"2007-12-14T13:30/15:30", "2007-12-14T13:30:00Z 2007-12-14T15:30:00Z minute"},
    Case{"2007-12-14T13:30/T15:30", "2007-12-14T13:30:00Z 2007-12-14T15:30:00Z minute"},
    Case{"2007-11-13T00:00/16T00:00", "2007-11-13T00:00:00Z 2007-11-16T00:00:00Z minute"},
    Case{"2007-12-14T13:30:10.5+01:00/12.25", "2007-12-14T12:30:10.5Z 2007-12-14T12:30:12.25Z fraction"},
    Case{"20071214T1330/1530", "2007-12-14T13:30:00Z 2007-12-14T15:30:00Z minute"},
    Case{"2026-11-29T10:00+01:00/11:00Z", "2026-11-29T09:00:00Z 2026-11-29T11:00:00Z minute"},
    Case{"2026-11-29T10:00Z/2026-12-02", "2026-11-29T10:00:00Z 2026-12-03T00:00:00Z day"},
    Case{"2026-11-29T24:00/PT1.2S", "2026-11-30T00:00:00Z 2026-11-30T00:00:01.2Z minute"},
};
INSTANTIATE_TEST_SUITE_P(Intervals, TimeRanges, ::testing::ValuesIn(kIntervals));

TEST(TimeRange, MarksWhatIsUncertainApproximateUnspecifiedOrLocal) {
  const auto marks_of = [](const char* text) {
    const auto range = parse_time_range(text);
    EXPECT_TRUE(range) << text;
    std::string marks;
    if (range->uncertain) marks += '?';
    if (range->approximate) marks += '~';
    if (range->unspecified) marks += 'X';
    if (range->local) marks += 'L';
    if (range->leap_second) marks += '+';
    return marks;
  };
  EXPECT_EQ(marks_of("1984?"), "?L");
  EXPECT_EQ(marks_of("1984~"), "~L");
  EXPECT_EQ(marks_of("1984%"), "?~L");
  EXPECT_EQ(marks_of("1984?/2004-06~"), "?~L");
  EXPECT_EQ(marks_of("198X"), "XL");
  EXPECT_EQ(marks_of("2026-11-29T10:00Z"), "");
  EXPECT_EQ(marks_of("2026-11-29T10:00Z/11:00"), "");
  EXPECT_EQ(marks_of("2016-12-31T23:59:60Z"), "+");
}

TEST(TimeRange, TakesLocalTimesByTheAskersZone) {
  const Asker india{.zone = *Zone::parse("+05:30")};
  EXPECT_EQ(described(parse_time_range("2026-11-29", india)),
            "2026-11-28T18:30:00Z 2026-11-29T18:30:00Z day");
  EXPECT_EQ(described(parse_time_range("2026-11-29T10:00", india)),
            "2026-11-29T04:30:00Z 2026-11-29T04:31:00Z minute");
  EXPECT_EQ(described(parse_time_range("2026-11-29T10:00Z", india)),
            "2026-11-29T10:00:00Z 2026-11-29T10:01:00Z minute");
}

TEST(TimeRange, FollowsTheRulesOfAPlace) {
  const auto zone = Zone::parse("Europe/Berlin");
  ASSERT_TRUE(zone) << zone.error().message;
  const Asker berlin{.zone = *zone};
  EXPECT_EQ(described(parse_time_range("2026-07-01T12:00", berlin)),
            "2026-07-01T10:00:00Z 2026-07-01T10:01:00Z minute");
  EXPECT_EQ(described(parse_time_range("2026-10-25", berlin)),
            "2026-10-24T22:00:00Z 2026-10-25T23:00:00Z day");
  // The hour that comes twice, and one that doesn't come.
  EXPECT_EQ(described(parse_time_range("2026-10-25T02:30", berlin)),
            "2026-10-25T00:30:00Z 2026-10-25T01:31:00Z minute");
  EXPECT_EQ(described(parse_time_range("2026-03-29T02:30", berlin)),
            "2026-03-29T01:30:00Z 2026-03-29T01:31:00Z minute");
  // A day is a day of the calendar, 24 hours are hours.
  EXPECT_EQ(described(parse_time_range("2026-10-24T12:00/P1D", berlin)),
            "2026-10-24T10:00:00Z 2026-10-25T11:00:00Z minute");
  EXPECT_EQ(described(parse_time_range("2026-10-24T12:00/PT24H", berlin)),
            "2026-10-24T10:00:00Z 2026-10-25T10:00:00Z minute");
}

TEST(TimeRange, NeedsANowForTimesWithoutADateAndForDurationsAlone) {
  const Asker asker{.zone = *Zone::parse("+01:00"), .now = time_of("2026-11-29T23:30:00.25Z")};
  EXPECT_EQ(described(parse_time_range("10:15", asker)), "2026-11-30T09:15:00Z 2026-11-30T09:16:00Z minute");
  EXPECT_EQ(described(parse_time_range("T10:15:02Z", asker)),
            "2026-11-29T10:15:02Z 2026-11-29T10:15:03Z second");
  EXPECT_EQ(described(parse_time_range("10:15/10:20", asker)),
            "2026-11-30T09:15:00Z 2026-11-30T09:20:00Z minute");
  EXPECT_EQ(described(parse_time_range("PT1.2S", asker)),
            "2026-11-29T23:29:59.05Z 2026-11-29T23:30:00.25Z fraction");
  EXPECT_EQ(described(parse_time_range("P1M", asker)),
            "2026-10-29T23:30:00.25Z 2026-11-29T23:30:00.25Z fraction");
  EXPECT_THAT(described(parse_time_range("10:15")), HasSubstr("without a date"));
  EXPECT_THAT(described(parse_time_range("PT1.2S")), HasSubstr("duration alone"));
}

class NotTimes : public ::testing::TestWithParam<Case> {};

TEST_P(NotTimes, AreRefusedWithWhatCameAndWhatWasExpected) {
  const auto range = parse_time_range(GetParam().text);
  ASSERT_FALSE(range) << described(range);
  EXPECT_EQ(range.error().code, ErrorCode::kBadInput);
  EXPECT_THAT(range.error().message, HasSubstr(GetParam().range));
  EXPECT_THAT(range.error().message, HasSubstr("; expected "));
}

constexpr Case kRefused[] = {
    Case{"", "no date"},
    Case{"x", "'x'"},
    Case{"2026-13-01", "month 13"},
    Case{"2026-00", "month 0"},
    Case{"2026-25", "month 25"},
    Case{"2026-02-29", "day 29"},
    Case{"2026-11-31", "day 31"},
    Case{"2026-366", "day 366 of 2026; expected 001 to 365"},
    Case{"2026-000", "day 0"},
    Case{"2025-W53", "week 53 of 2025"},
    Case{"2026-W00", "week 0"},
    Case{"2026-W48-8", "after the week"},
    Case{"2026-W487", "after the week"},
    Case{"202611", "six digits"},
    Case{"12345", "5 digits"},
    Case{"2026-1-1", "month '1-1'"},
    Case{"2026-11-", "after the month"},
    Case{"2026/11/29T", "two slashes"},
    Case{"1X26", "last one or two of a year"},
    Case{"2XXX", "unspecified digits"},
    Case{"2026-XX-29", "unspecified month"},
    Case{"2026-X1", "unspecified month"},
    Case{"Y2026", "year 'Y2026'"},
    Case{"2026-11T10:00", "no certain day"},
    Case{"2026-11-29~T10:00", "no certain day"},
    Case{"2026-11-29T", "two digits of hours"},
    Case{"2026-11-29T1", "two digits of hours"},
    Case{"2026-11-29T25:00", "hour 25"},
    Case{"2026-11-29T24:01", "hour 24"},
    Case{"2026-11-29T24:00:00.1", "hour 24"},
    Case{"2026-11-29T10:60", "minute 60"},
    Case{"2026-11-29T10:00:61", "second 61"},
    Case{"2026-11-29T23:59:60Z", "second 60"},
    Case{"2016-12-31T22:59:60Z", "second 60"},
    Case{"2026-11-29T10:00:00.", "time of day"},
    Case{"2026-11-29T10.5:00", "time of day"},
    Case{"2026-11-29T1000", "separators"},
    Case{"20261129T10:00", "separators"},
    Case{"2026-11-29T10:00+", "offset"},
    Case{"2026-11-29T10:00+24:00", "offset"},
    Case{"2026-11-29T10:00+01:60", "offset"},
    Case{"2026-11-29T10:00Zx", "offset"},
    Case{"2026-11-29Z", "'Z'"},
    Case{"/", "neither a start nor an end"},
    Case{"../..", "neither"},
    Case{"P1D/P1D", "neither"},
    Case{"P1D/..", "neither"},
    Case{"2026/2025", "isn't after"},
    Case{"2026-11-29T10:00/PT0S", "isn't after"},
    Case{"2026-11-29 / 2026-11-30", "two digits of hours"},
    Case{"\xff\xfe", "expected"},
};
INSTANTIATE_TEST_SUITE_P(All, NotTimes, ::testing::ValuesIn(kRefused));

TEST(TimeRange, SaysWhatItCantHold) {
  for (const char* text :
       {"-0333", "-1985-04-12", "1066-10-14", "9999-12-31", "Y170000002", "Y-17000", "12", "1677", "2262",
        "2262-04-11T23:47:16.854775807Z", "1677-09-21T00:12:43Z", "2026-11-29T10:00/P290Y", "P290Y/1700",
        "+12026-01-01", "16XX", "2026-11-29T10:00/PT2500000H"}) {
    const auto range = parse_time_range(text);
    ASSERT_FALSE(range) << text << ": " << described(range);
    EXPECT_EQ(range.error().code, ErrorCode::kLimit) << text << ": " << range.error().message;
  }
  EXPECT_EQ(described(parse_time_range("2262-04-11T23:47:15Z")).substr(0, 20), "2262-04-11T23:47:15Z");
  EXPECT_EQ(parse_time_range("R5/2026-11-29T10:00Z/PT1H").error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(parse_time_range(std::string(300, '1')).error().code, ErrorCode::kBadInput);
}

TEST(Zone, KnowsOffsetsAndPlacesAndRefusesTheRest) {
  EXPECT_EQ(Zone::parse("UTC")->at(UtcTime{}).count(), 0);
  EXPECT_EQ(Zone::parse("Z")->at(UtcTime{}).count(), 0);
  EXPECT_EQ(Zone::parse("-03:30")->at(UtcTime{}).count(), -12600);
  EXPECT_EQ(Zone::parse("Asia/Kolkata")->at(time_of("2026")).count(), 19800);
  EXPECT_EQ(Zone::parse("Middle/Earth").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(Zone::parse("../../etc/passwd").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(Zone::parse("").error().code, ErrorCode::kBadInput);
  EXPECT_EQ(Zone::parse("+99").error().code, ErrorCode::kBadInput);
}

}  // namespace
}  // namespace braid::calendar
