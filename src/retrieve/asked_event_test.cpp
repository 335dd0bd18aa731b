#include "braid/retrieve/asked_event.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace braid::retrieve {
namespace {

/// "relation reach | event | from to | rest" of a question asked at 2026-11-29T12:00Z, or "none".
std::string understood(const char* question) {
  const calendar::Asker asker{{}, calendar::parse_time_range("2026-11-29T12:00:00Z")->from};
  const auto found = find_asked_event(question, asker);
  if (!found) return "none";
  const AskedEvent& event = found->event;
  const std::string when = event.from == UtcTime::min() ? "" : " @" + calendar::utc_text(event.from);
  const std::string reach =
      event.reach == Nanoseconds::max() ? "open" : fmt::format("{:g}", to_seconds(event.reach));
  return fmt::format("{} {} | {}{} | {}", to_string(event.relation), reach, event.event, when, found->rest);
}

TEST(AskedEvents, AreReadFromQuestions) {
  struct Case {
    const char* question;
    const char* expected;
  };
  for (const Case& one : {
           Case{"what did the camera show just before the weld alarm?",
                "before 60 | the weld alarm | what did the camera show "},
           Case{"Just before the weld alarm at 10:02, what was seen?",
                "before 60 | the weld alarm  @2026-11-29T10:02:00Z |  what was seen?"},
           Case{"who came in 30 seconds before the door opened?", "before 30 | the door opened | who came "},
           Case{"within 5 minutes after the crash which lamps were on?",
                "after 300 | the crash |  which lamps were on?"},
           Case{"what preceded the spill yesterday?",
                "before 600 | the spill  @2026-11-28T00:00:00Z | what "},
           Case{"yesterday, what led to the spill", "before 600 | the spill @2026-11-28T00:00:00Z |  what "},
           Case{"what happened after the visit?", "after 600 | the visit | what happened "},
           Case{"faults since the repair", "after open | the repair | faults "},
           Case{"noise during the night shift", "during 0 | the night shift | noise "},
       })
    EXPECT_EQ(understood(one.question), one.expected) << one.question;
}

TEST(AskedEvents, TimesAloneAreNone) {
  for (const char* question :
       {"faults before 10:02", "faults since 2026-11-28", "faults during the last 72 h",
        "what happened before?", "what was there before, and when", "weld alarms"})
    EXPECT_EQ(understood(question), "none") << question;
}

}  // namespace
}  // namespace braid::retrieve
