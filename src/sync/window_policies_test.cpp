// Scenarios of the window policies: what streams tell, and what comes out.

#include "braid/sync/window_policies.h"

#include <gtest/gtest.h>

#include "windows_for_tests.h"

namespace braid::sync {
namespace {

using namespace test;

class Windows : public ::testing::Test {
 protected:
  Windows() {
    streams_.add_stream(kCamera);
    streams_.add_stream(kPress);
  }
  /// A frame or reading; its stream is in order, so it also settles what was before.
  void frame(double time, std::uint64_t item) { tell(kCamera, time, item, Milliseconds(2)); }
  void reading(double time, std::uint64_t item) { tell(kPress, time, item, {}); }
  void tell(StreamKey stream, double time, std::uint64_t item, Nanoseconds error) {
    EXPECT_EQ(streams_.add(stream, {at(time), error, item}), Added::kInTime);
    streams_.settle(stream, at(time));
  }

  AlignedStreams streams_;
};

TEST_F(Windows, AsOfTakesWhatHeldAtAMoment) {
  reading(0.5, 1);
  reading(1.5, 2);
  frame(1.0, 10);
  EXPECT_EQ(describe(AsOf().align(streams_, at(1.2))), "waits");  // a frame may come that is nearer
  frame(1.3, 11);
  EXPECT_EQ(describe(AsOf().align(streams_, at(1.2))),
            "1.2-1.2: 0[10] settled 200ms ±2ms, 1[1] settled 700ms");
  EXPECT_EQ(describe(AsOf().align(streams_, at(1.3))), "waits");  // another at 1.3 may come
  frame(2.0, 12);
  EXPECT_EQ(describe(AsOf().align(streams_, at(1.3))), "1.3-1.3: 0[11] settled 0ms ±2ms, 1[1] settled 800ms");
  EXPECT_EQ(describe(AsOf().align(streams_, at(0.4))), "0.4-0.4: 0[] settled, 1[] settled");
}

TEST_F(Windows, AsOfKeepsWhatStillHoldsWhenTheRestIsForgotten) {
  reading(0.5, 1);
  reading(1.0, 2);
  reading(9.0, 3);
  frame(9.0, 10);
  streams_.forget_before(at(5));
  EXPECT_EQ(describe(AsOf().align(streams_, at(6))), "6-6: 0[] settled, 1[2] settled 5000ms");
  EXPECT_EQ(streams_.counts().in_none, 1U);  // the reading at 0.5
}

TEST_F(Windows, NearestTakesWhatWasAtTheSameTime) {
  frame(1.000, 10);
  frame(1.033, 11);
  reading(1.010, 1);
  reading(1.010, 2);
  reading(1.100, 3);
  EXPECT_EQ(describe(Nearest().align(streams_, at(1.012))),
            "0.996-1.012: 0[10] settled 12ms ±2ms, 1[1] settled 2ms");
  EXPECT_EQ(describe(Nearest().align(streams_, at(1.0165))),
            "1.0005-1.0165: 0[] settled, 1[1] settled 6.5ms");  // both frames are 16.5 ms away
  EXPECT_EQ(describe(Nearest(Milliseconds(17)).align(streams_, at(1.0165))), "waits");  // to 1.0335
  frame(1.066, 12);
  EXPECT_EQ(describe(Nearest(Milliseconds(17)).align(streams_, at(1.0165))),
            "0.9995-1.0165: 0[10] settled 16.5ms ±2ms, 1[1] settled 6.5ms");  // of two as near, the earlier
  EXPECT_EQ(describe(Nearest().align(streams_, at(1.030))),
            "1.014-1.03: 0[11] settled -3ms ±2ms, 1[] settled");
}

TEST_F(Windows, IntervalTakesAllFromAStartUpToAnEnd) {
  frame(1.0, 10);
  frame(1.5, 11);
  frame(2.0, 12);
  reading(1.999, 1);
  EXPECT_EQ(describe(Interval().align(streams_, at(1), at(2))), "waits");
  reading(2.0, 2);
  EXPECT_EQ(describe(Interval().align(streams_, at(1), at(2))),
            "1-2: 0[10 11] settled 500ms ±2ms, 1[1] settled 1ms");
  EXPECT_EQ(describe(Interval().align(streams_, at(1.6), at(1.9))), "1.6-1.9: 0[] settled, 1[] settled");
}

TEST_F(Windows, SlidingWindowsOverlapAndComeAsSoonAsTheyAreCertain) {
  Sliding sliding(Milliseconds(1200), Milliseconds(300));
  frame(0.2, 10);
  reading(0.1, 1);
  EXPECT_EQ(describe(sliding.next(streams_)), "waits");
  frame(1.3, 11);
  reading(1.6, 2);
  EXPECT_EQ(describe(sliding.next(streams_)), "0-1.2: 0[10] settled 1000ms ±2ms, 1[1] settled 1100ms");
  EXPECT_EQ(describe(sliding.next(streams_)), "waits");
  frame(1.9, 12);
  EXPECT_EQ(describe(sliding.next(streams_)), "0.3-1.5: 0[11] settled 200ms ±2ms, 1[] settled");
  EXPECT_EQ(describe(sliding.next(streams_)), "waits");  // for the press
  streams_.end_stream(kPress);
  EXPECT_EQ(describe(sliding.next(streams_)), "0.6-1.8: 0[11] settled 500ms ±2ms, 1[2] ended 200ms");
  streams_.end_stream(kCamera);
  EXPECT_EQ(describe(sliding.next(streams_)), "0.9-2.1: 0[11 12] ended 200ms ±2ms, 1[2] ended 500ms");
  for (const char* from : {"1.2", "1.5", "1.8"})
    EXPECT_EQ(describe(sliding.next(streams_)).substr(0, 3), from);
  EXPECT_EQ(describe(sliding.next(streams_)), "waits");  // nothing is left
}

TEST_F(Windows, AJumpOfTheClocksCostsNoEmptyWindows) {
  Sliding sliding(Milliseconds(1200), Milliseconds(300));
  frame(86'400, 10);
  reading(86'401, 1);
  streams_.settle(kCamera, at(86'402));
  streams_.settle(kPress, at(86'402));
  EXPECT_EQ(describe(sliding.next(streams_)), "86399.1-86400.3: 0[10] settled 300ms ±2ms, 1[] settled");
  EXPECT_EQ(sliding.empty(), 287'997U);
}

TEST_F(Windows, AHopBeyondTheLengthLeavesGapsWhoseMembersAreCounted) {
  Sliding sliding(Milliseconds(100), Milliseconds(1000));
  frame(0.05, 10);
  frame(0.5, 11);
  frame(1.05, 12);
  streams_.end_stream(kCamera);
  streams_.end_stream(kPress);
  EXPECT_EQ(describe(sliding.next(streams_)), "0-0.1: 0[10] settled 50ms ±2ms, 1[] ended");
  EXPECT_EQ(describe(sliding.next(streams_)), "1-1.1: 0[12] ended 50ms ±2ms, 1[] ended");
  EXPECT_EQ(describe(sliding.next(streams_)), "waits");
  streams_.forget_before(SessionTime::max());
  EXPECT_EQ(streams_.counts().in_none, 1U);
  EXPECT_EQ(streams_.counts().in_windows, 2U);
}

TEST_F(Windows, AStalledStreamIsMissingAfterItsLatenessAndFreezesNobody) {
  Sliding sliding(Milliseconds(1000), Milliseconds(1000));
  reading(0.4, 1);
  frame(0.5, 10);
  frame(3.0, 11);
  EXPECT_EQ(describe(sliding.next(streams_)), "waits");  // for the press
  streams_.assume({kPress, at(2.5)});                    // lateness says that it had nothing to say
  EXPECT_EQ(describe(sliding.next(streams_)), "0-1: 0[10] settled 500ms ±2ms, 1[1] assumed 600ms");
  EXPECT_EQ(describe(sliding.next(streams_)), "waits");  // the second one is empty, the third not certain
  frame(3.5, 12);
  streams_.assume({kPress, at(4)});
  frame(4.0, 13);
  EXPECT_EQ(describe(sliding.next(streams_)), "3-4: 0[11 12] settled 500ms ±2ms, 1[] missing");
  EXPECT_EQ(sliding.empty(), 2U);
}

TEST_F(Windows, WhatComesLaterIsMergedWhileItsWindowIsOpenAndElseCounted) {
  Sliding sliding(Milliseconds(1000), Milliseconds(1000));
  frame(0.5, 10);
  streams_.assume({kPress, at(1.5)});
  EXPECT_EQ(streams_.add(kPress, {at(0.7), {}, 1}), Added::kMerged);  // the camera keeps the window open
  frame(1.2, 11);
  EXPECT_EQ(describe(sliding.next(streams_)), "0-1: 0[10] settled 500ms ±2ms, 1[1] assumed 300ms");
  EXPECT_EQ(streams_.add(kPress, {at(0.8), {}, 2}), Added::kLate);
  EXPECT_EQ(streams_.add(kPress, {at(1.3), {}, 3}), Added::kMerged);
  EXPECT_EQ(streams_.add({SourceId{9}, StreamKind::kText}, {}), Added::kUnknown);
  frame(2.0, 12);
  streams_.assume({kPress, at(2)});
  EXPECT_EQ(describe(sliding.next(streams_)), "1-2: 0[11] settled 800ms ±2ms, 1[3] assumed 700ms");
  EXPECT_EQ(streams_.counts().merged, 2U);
  EXPECT_EQ(streams_.counts().late, 1U);
  EXPECT_EQ(streams_.counts().unknown, 1U);
}

TEST(AlignedStreams, HoldNoMoreThanTheyMay) {
  AlignedStreams streams(100);
  streams.add_stream(kCamera);
  streams.add_stream(kPress);  // says nothing, so nothing is certain
  for (std::uint64_t i = 0; i < 1000; ++i) streams.add(kCamera, {at(static_cast<double>(i)), {}, i});
  EXPECT_EQ(streams.held(), 100U);
  EXPECT_EQ(streams.counts().overflow, 900U);
}

}  // namespace
}  // namespace braid::sync
