#include "braid/retrieve/asked_time.h"

#include <gtest/gtest.h>

namespace braid::retrieve {
namespace {

/// "from to | rest" as a question asked at 2026-11-29T12:00Z is understood; "-": an open end; "none".
std::string understood(const char* question, const char* zone = "Z") {
  calendar::Asker asker{*calendar::Zone::parse(zone),
                        calendar::parse_time_range("2026-11-29T12:00:00Z")->from};
  const auto found = find_asked_time(question, asker);
  if (!found) return "none";
  const auto shown = [](UtcTime time) {
    return time == UtcTime::min() || time == UtcTime::max() ? "-" : calendar::utc_text(time);
  };
  return shown(found->from) + " " + shown(found->to) + " | " + found->rest;
}

struct Case {
  const char* question;
  const char* expected;
};

TEST(AskedTime, IsReadFromQuestions) {
  for (const Case& one : {
           Case{"what happened between 10:02 and 10:05?",
                "2026-11-29T10:02:00Z 2026-11-29T10:05:00Z | what happened "},
           Case{"weld alarms from 2026-11-27 to 2026-11-28",
                "2026-11-27T00:00:00Z 2026-11-29T00:00:00Z | weld alarms "},
           Case{"was it hot 5 minutes ago?", "2026-11-29T11:54:30Z 2026-11-29T11:55:30Z | was it hot "},
           Case{"faults since 10:02", "2026-11-29T10:02:00Z - | faults "},
           Case{"faults after 2026-11-28", "2026-11-29T00:00:00Z - | faults "},
           Case{"faults before 2026-11-28T10:00Z", "- 2026-11-28T10:00:00Z | faults "},
           Case{"faults until 2026-11-28", "- 2026-11-29T00:00:00Z | faults "},
           Case{"yesterday, what rang?", "2026-11-28T00:00:00Z 2026-11-29T00:00:00Z |  what rang?"},
           Case{"what rang at 10:02:03.5?", "2026-11-29T10:02:03.5Z 2026-11-29T10:02:03.6Z | what rang "},
           Case{"faults between 10:00 and 10:01 yesterday",
                "2026-11-28T10:00:00Z 2026-11-28T10:01:00Z | faults "},
           Case{"yesterday from 23:00 to 23:30, faults",
                "2026-11-28T23:00:00Z 2026-11-28T23:30:00Z |  faults"},
           Case{"what rang at 10:02 on 2026-11-20?",
                "2026-11-20T10:02:00Z 2026-11-20T10:03:00Z | what rang "},
           Case{"on 2026-11-20 after 10:02", "2026-11-20T10:03:00Z - | "},
           Case{"today at 09:30", "2026-11-29T09:30:00Z 2026-11-29T09:31:00Z | "},
           Case{"what rang at 23:00", "2026-11-28T23:00:00Z 2026-11-28T23:01:00Z | what rang "},
       })
    EXPECT_EQ(understood(one.question), one.expected) << one.question;
}

TEST(AskedTime, OfThePastReachesUpToNow) {
  EXPECT_EQ(understood("faults in the past 72 h"),
            "2026-11-26T12:00:00Z 2026-11-29T12:00:00.000000001Z | faults ");
  EXPECT_EQ(understood("in the last two weeks, any fault"),
            "2026-11-15T12:00:00Z 2026-11-29T12:00:00.000000001Z |  any fault");
  EXPECT_EQ(understood("the last hour"), "2026-11-29T11:00:00Z 2026-11-29T12:00:00.000000001Z | ");
  EXPECT_EQ(understood("past 90min"), "2026-11-29T10:30:00Z 2026-11-29T12:00:00.000000001Z | ");
}

TEST(AskedTime, IsOfTheAskersZone) {
  EXPECT_EQ(understood("at 11:00", "+01:00"), "2026-11-29T10:00:00Z 2026-11-29T10:01:00Z | ");
  EXPECT_EQ(understood("today", "+13:00"), "2026-11-29T11:00:00Z 2026-11-30T11:00:00Z | ");
}

TEST(AskedTime, IsNotMadeOfWhatNamesNone) {
  for (const char* question :
       {"what happened before the alarm?", "is it the last?", "station 3 at 5", "between 10:05 and 10:02",
        "in the past 99999999999999999999 h", "in the past 9999999 days", "a well-known fault", "99:99", ""})
    if (std::string(question) != "between 10:05 and 10:02") {
      EXPECT_EQ(understood(question), "none") << question;
    }
  EXPECT_FALSE(find_asked_time("yesterday", {}));
}

}  // namespace
}  // namespace braid::retrieve
