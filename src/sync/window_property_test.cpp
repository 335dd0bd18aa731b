// Windows depend on stamps, bounds and advances alone, and lose nobody silently.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <variant>

#include "windows_for_tests.h"

namespace braid::sync {
namespace {

using namespace test;

struct Settle {
  SessionTime bound;
};
struct Assume {
  SessionTime bound;
};
struct End {};
using Event = std::variant<Member, Settle, Assume, End>;

/// A stream's own events, in an order that keeps its bounds: members may cross between two bounds.
std::vector<Event> random_stream(std::mt19937& random, std::uint64_t first_item) {
  const auto up_to = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
  std::vector<Event> events;
  SessionTime bound = kSessionStart;
  for (int block = 0, blocks = 2 + up_to(12); block < blocks; ++block) {
    const Nanoseconds length = Milliseconds(1 + up_to(block % 5 == 4 ? 5000 : 600));
    for (int i = 0, n = up_to(6); i < n; ++i) {
      const auto offset =
          Milliseconds(up_to(static_cast<int>(length / Milliseconds(1))) / 20 * 20);  // often equal
      events.emplace_back(Member{bound + offset, Milliseconds(up_to(5)), first_item++});
    }
    bound += length;
    if (up_to(3) == 0)
      events.emplace_back(Assume{bound});
    else
      events.emplace_back(Settle{bound});
  }
  events.emplace_back(End{});
  return events;
}

using Streams = std::vector<std::vector<Event>>;

Streams random_streams(std::mt19937& random) {
  Streams streams;
  for (std::size_t i = 0, n = 1 + random() % 4; i < n; ++i)
    streams.push_back(random_stream(random, i * 1000));
  return streams;
}

StreamKey key_of(std::size_t stream) {
  return {SourceId{static_cast<std::int64_t>(stream / 2)},
          stream % 2 == 0 ? StreamKind::kVideo : StreamKind::kReading};
}

void apply(AlignedStreams& streams, StreamKey key, const Event& event) {
  if (const auto* member = std::get_if<Member>(&event)) streams.add(key, *member);
  if (const auto* settle = std::get_if<Settle>(&event)) streams.settle(key, settle->bound);
  if (const auto* assume = std::get_if<Assume>(&event)) streams.assume({key, assume->bound});
  if (std::holds_alternative<End>(event)) streams.end_stream(key);
}

/// Which stream's next event comes, in a random order; sometimes one stream after the other.
std::vector<std::size_t> random_turns(const Streams& streams, std::mt19937& random) {
  std::vector<std::size_t> turns;
  for (std::size_t i = 0; i < streams.size(); ++i) turns.insert(turns.end(), streams[i].size(), i);
  std::shuffle(turns.begin(), turns.end(), random);
  if (random() % 4 == 0) std::stable_sort(turns.begin(), turns.end(), std::greater<>());
  return turns;
}

/// Members between two of a stream's other events in any order.
void shuffle_members(std::vector<Event>& events, std::mt19937& random) {
  const auto is_member = [](const Event& event) { return std::holds_alternative<Member>(event); };
  for (auto from = events.begin(); from != events.end();) {
    from = std::find_if(from, events.end(), is_member);
    const auto to = std::find_if_not(from, events.end(), is_member);
    std::shuffle(from, to, random);
    from = to;
  }
}

/// What comes out if `align` is asked after each event, for as long as it gives something.
using Align = std::function<std::optional<AlignedWindow>(AlignedStreams&)>;
std::vector<AlignedWindow> play(Streams streams, Align align, std::mt19937& random,
                                AlignmentCounts* counts = nullptr) {
  AlignedStreams aligned;
  for (std::size_t i = 0; i < streams.size(); ++i) aligned.add_stream(key_of(i));
  for (auto& events : streams) shuffle_members(events, random);
  std::vector<AlignedWindow> windows;
  std::vector<std::size_t> sent(streams.size());
  for (const std::size_t turn : random_turns(streams, random)) {
    apply(aligned, key_of(turn), streams[turn][sent[turn]++]);
    while (auto window = align(aligned)) windows.push_back(*std::move(window));
  }
  aligned.forget_before(SessionTime::max());
  if (counts != nullptr) *counts = aligned.counts();
  return windows;
}

/// Asks `pick` for the moments 0, 97 ms, ...
template <class Pick>
Align at_moments(Pick pick) {
  return [pick, moment = kSessionStart](AlignedStreams& streams) mutable -> std::optional<AlignedWindow> {
    if (moment > at(10)) return std::nullopt;
    auto window = pick(streams, moment);
    if (window) moment += Milliseconds(97);
    return window;
  };
}

Align sliding(int length_ms, int hop_ms) {
  return [policy = Sliding(Milliseconds(length_ms), Milliseconds(hop_ms))](AlignedStreams& streams) mutable {
    return policy.next(streams);
  };
}

TEST(WindowProperty, AnyArrivalOrderThatKeepsTheBoundsGivesTheSameWindows) {
  const Align policies[] = {
      sliding(1200, 300), sliding(100, 300),
      at_moments([](auto& s, SessionTime t) { return AsOf().align(s, t); }),
      at_moments([](auto& s, SessionTime t) { return Nearest().align(s, t); }),
      at_moments([](auto& s, SessionTime t) { return Interval().align(s, t, t + Milliseconds(250)); })};
  std::size_t windows = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Streams streams = random_streams(random);
    for (const Align& policy : policies) {
      const auto reference = play(streams, policy, random);
      windows += reference.size();
      for (int repeat = 0; repeat < 4; ++repeat) {
        const auto again = play(streams, policy, random);
        ASSERT_EQ(again.size(), reference.size());
        for (std::size_t i = 0; i < again.size(); ++i)
          ASSERT_EQ(again[i], reference[i]) << describe(again[i]) << "\n" << describe(reference[i]);
      }
    }
  }
  EXPECT_GT(windows, 50'000U);  // else nothing was compared
}

TEST(WindowProperty, ReplayedAdvancesGiveTheSameWindowsWithoutAClock) {
  std::mt19937 random(1);
  // Live: two streams with random delays, bounds by measured lateness; all that moved a bound is recorded.
  Streams recorded(2);
  LiveBounds live;
  AlignedStreams aligned;
  Sliding policy(Milliseconds(1200), Milliseconds(300));
  std::vector<AlignedWindow> seen, replayed;
  std::vector<std::pair<SessionTime, std::pair<std::size_t, Member>>> arrivals;
  for (std::size_t stream = 0; stream < 2; ++stream) {
    live.add(key_of(stream));
    aligned.add_stream(key_of(stream));
    for (int i = 0; i < 2000; ++i) {
      const SessionTime stamp = at(i * 0.033);
      if (stream == 1 && i > 1000 && i < 1200) continue;  // stalls
      arrivals.push_back(
          {stamp + Milliseconds(random() % 60), {stream, {stamp, {}, static_cast<std::uint64_t>(i)}}});
    }
  }
  std::sort(arrivals.begin(), arrivals.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::pair<std::size_t, Event>> log;
  const auto happen = [&](std::size_t stream, const Event& event) {
    log.emplace_back(stream, event);
    apply(aligned, key_of(stream), event);
  };
  for (const auto& [now, arrival] : arrivals) {
    live.arrived(key_of(arrival.first), arrival.second.at, now);
    happen(arrival.first, arrival.second);
    for (const Advance& advance : live.advance(now))
      happen(advance.stream == key_of(0) ? 0 : 1, Assume{advance.nothing_before});
    while (auto window = policy.next(aligned)) seen.push_back(*std::move(window));
  }
  EXPECT_GT(seen.size(), 200U);
  EXPECT_TRUE(std::any_of(seen.begin(), seen.end(), [](const AlignedWindow& window) {
    return window.streams[1].coverage == Coverage::kMissing;
  }));

  AlignedStreams again;
  Sliding same(Milliseconds(1200), Milliseconds(300));
  for (std::size_t stream = 0; stream < 2; ++stream) again.add_stream(key_of(stream));
  for (const auto& [stream, event] : log) {
    apply(again, key_of(stream), event);
    while (auto window = same.next(again)) replayed.push_back(*std::move(window));
  }
  EXPECT_EQ(replayed, seen);
}

TEST(WindowProperty, NobodyIsInNoWindowWithoutBeingCounted) {
  std::uint64_t late = 0, merged = 0, in_none = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Streams streams = random_streams(random);
    std::size_t members = 0;
    for (auto& stream : streams) {
      // Members that break their stream's bounds.
      for (std::size_t i = 1; i + 1 < stream.size(); ++i)
        if (random() % 6 == 0) std::swap(stream[i], stream[i + random() % (stream.size() - 1 - i)]);
      members += static_cast<std::size_t>(std::count_if(stream.begin(), stream.end(), [](const Event& event) {
        return std::holds_alternative<Member>(event);
      }));
    }
    for (const Align& policy : {sliding(1200, 300), sliding(100, 300)}) {
      AlignmentCounts counts;
      std::set<std::uint64_t> in_windows;
      for (const AlignedWindow& window : play(streams, policy, random, &counts))
        for (const StreamPart& part : window.streams)
          for (const Member& member : part.members) in_windows.insert(member.item);
      ASSERT_EQ(counts.in_windows, in_windows.size());
      ASSERT_EQ(in_windows.size() + counts.in_none + counts.late + counts.overflow, members);
      late += counts.late;
      merged += counts.merged;
      in_none += counts.in_none;
    }
  }
  EXPECT_GT(late, 100U);
  EXPECT_GT(merged, 100U);
  EXPECT_GT(in_none, 100U);
}

TEST(WindowProperty, AMillionPacketsLeaveNothingBehind) {
  AlignedStreams streams;
  streams.add_stream(kCamera);
  streams.add_stream(kPress);
  Sliding policy(Milliseconds(1200), Milliseconds(300));
  std::size_t most = 0, windows = 0;
  for (std::uint64_t i = 0; i < 1'000'000; ++i) {
    const SessionTime now = kSessionStart + Microseconds(200) * static_cast<std::int64_t>(i);
    streams.add(i % 2 == 0 ? kCamera : kPress, {now, {}, i});
    streams.settle(kCamera, now);
    streams.settle(kPress, now);
    if (i % 64 != 0) continue;
    while (policy.next(streams)) ++windows;
    most = std::max(most, streams.held());
  }
  EXPECT_EQ(windows, 663U);
  EXPECT_LE(most, 6100U);  // 1.2 s of 5,000 a second
}

}  // namespace
}  // namespace braid::sync
