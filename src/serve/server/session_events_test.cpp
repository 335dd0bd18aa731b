#include "server/session_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "braid/base/virtual_clock.h"

namespace braid::serve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SessionEventsTest : public testing::Test {
 protected:
  struct Seen {
    std::vector<std::uint64_t> ids;
    std::vector<std::string> objects;
    bool ended = false, gone = false;
    std::size_t most = 1000;
  };

  void open(SessionEventsOptions options = {}) { events = std::make_unique<SessionEvents>(clock, options); }
  Status watch(Seen& seen, std::uint64_t after = 0) {
    return events->watch(after, [&seen] {
      return Watcher{[&seen](std::uint64_t id, const std::string& json) {
                       seen.ids.push_back(id);
                       seen.objects.push_back(json);
                       return seen.ids.size() < seen.most;
                     },
                     [&seen] { seen.ended = true; }, [&seen] { return seen.gone; }};
    });
  }
  void perceive(std::int64_t ms) {
    deliver::Perceived frame;
    frame.source = "camera";
    frame.start = frame.end = SessionTime(Milliseconds(ms));
    events->on_event(frame);
  }

  Seen& viewer() { return viewers.emplace_back(); }

  VirtualClock clock;
  std::deque<Seen> viewers;  // outlive the events, whose end they are told
  std::unique_ptr<SessionEvents> events;
};

TEST_F(SessionEventsTest, AWatcherSeesWhatWasAndWhatComes) {
  open();
  perceive(500);
  Seen& seen = viewer();
  ASSERT_TRUE(watch(seen));
  perceive(1000);
  EXPECT_THAT(seen.ids, ElementsAre(1, 2));
  EXPECT_THAT(seen.objects, ElementsAre(HasSubstr(R"("at_us":500000)"), HasSubstr(R"("at_us":1000000)")));
}

TEST_F(SessionEventsTest, OneWhoComesBackSeesWhatItMissed) {
  open();
  for (int i = 1; i <= 4; ++i) perceive(i * 100);
  Seen& seen = viewer();
  ASSERT_TRUE(watch(seen, 2));
  EXPECT_THAT(seen.ids, ElementsAre(3, 4));
}

TEST_F(SessionEventsTest, OldObjectsMakeRoom) {
  open({.max_bytes = 2000});
  for (int i = 1; i <= 100; ++i) perceive(i * 100);
  Seen& seen = viewer();
  ASSERT_TRUE(watch(seen));
  EXPECT_EQ(seen.ids.back(), 100U);
  std::size_t bytes = 0;
  for (const std::string& object : seen.objects) bytes += object.size();
  EXPECT_LE(bytes, 2000U);
  EXPECT_GE(seen.objects.size(), 2U);
}

TEST_F(SessionEventsTest, ProgressIsSentOnButNotKept) {
  open();
  Seen &now = viewer(), &later = viewer();
  ASSERT_TRUE(watch(now));
  events->on_event(deliver::Progress{});
  ASSERT_TRUE(watch(later));
  EXPECT_THAT(now.objects, ElementsAre(HasSubstr(R"("type":"progress")")));
  EXPECT_THAT(later.objects, IsEmpty());
}

TEST_F(SessionEventsTest, OneThatIsTooSlowIsLeftAloneAndOthersAreNot) {
  open();
  Seen &slow = viewer(), &quick = viewer();
  slow.most = 1;
  ASSERT_TRUE(watch(slow));
  ASSERT_TRUE(watch(quick));
  for (int i = 1; i <= 3; ++i) perceive(i * 100);
  EXPECT_THAT(slow.ids, ElementsAre(1));
  EXPECT_THAT(quick.ids, ElementsAre(1, 2, 3));
}

TEST_F(SessionEventsTest, WatchersAreBoundedAndOneThatWentMakesRoom) {
  open({.max_watchers = 1});
  Seen &first = viewer(), &second = viewer();
  ASSERT_TRUE(watch(first));
  const Status refused = watch(second);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kFull);
  EXPECT_TRUE(refused.error().retryable);
  first.gone = true;
  EXPECT_TRUE(watch(second));
}

TEST_F(SessionEventsTest, TheEndIsTold) {
  open();
  Seen& seen = viewer();
  ASSERT_TRUE(watch(seen));
  events.reset();
  EXPECT_TRUE(seen.ended);
}

}  // namespace
}  // namespace braid::serve
