#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "braid/base/virtual_clock.h"
#include "test_support.h"

namespace braid::ingest {
namespace {

using testing::code;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::see;
using testing::Seen;
using ::testing::SizeIs;
using testing::write_file;

std::vector<std::int64_t> times_us(const Seen& seen) {
  std::vector<std::int64_t> times;
  for (const auto& reading : seen.readings) times.push_back(to_us(reading.at));
  for (const auto& line : seen.lines) times.push_back(to_us(line.end));
  return times;
}

TEST(LogSource, SendsRowsInOrderAndBadOnesAsDamageWithTheirLine) {
  const Seen seen =
      see(write_file("a.csv", "t_us,temperature\n0,81.4\n500000,82\n400000,81.9\nbad,1\n900000,83\n"));
  EXPECT_TRUE(seen.status);
  EXPECT_THAT(times_us(seen), ElementsAre(0, 400'000, 500'000, 900'000));
  ASSERT_THAT(seen.damage, SizeIs(1));
  EXPECT_THAT(seen.damage[0].error.message, HasSubstr("a.csv: line 5: time 'bad'"));
  EXPECT_EQ(seen.bounds.back().nothing_before, SessionTime::max());
  EXPECT_TRUE(seen.info.streams[static_cast<std::size_t>(StreamKind::kReading)]);
}

TEST(LogSource, StartsAbsoluteTimesAtTheFirstRowOrTheEpochAndSaysSo) {
  const std::string path = write_file("b.csv", "1700000000500000,1\n1700000001500000,2\n");
  EXPECT_THAT(times_us(see(path)), ElementsAre(0, 1'000'000));
  EXPECT_THAT(see(path).info.description, HasSubstr("session 0 is 2023-11-14T22:13:20.5Z"));
  EXPECT_THAT(times_us(see("epoch=1700000000000000,file=" + path)), ElementsAre(500'000, 1'500'000));
  IngestOptions options;
  options.epoch_us = 1'700'000'001'000'000;
  const Seen later = see(path, options);
  EXPECT_THAT(times_us(later), ElementsAre(500'000));
  ASSERT_THAT(later.damage, SizeIs(1));
  EXPECT_THAT(later.damage[0].error.message, HasSubstr("before the session's start"));
}

TEST(LogSource, TakesTimesWithADecimalPointForSeconds) {
  EXPECT_THAT(times_us(see(write_file("s.csv", "time,a\n0,1\n0.5,2\n1,3\n"))),
              ElementsAre(0, 500'000, 1'000'000));
  EXPECT_THAT(times_us(see("unit=ms,file=" + write_file("m.csv", "time,a\n0,1\n5,2\n"))),
              ElementsAre(0, 5'000));
}

struct UnitCase {
  const char* name;
  const char* rows;          // of time and value
  std::int64_t last_us;      // of session time
  const char* guessed = "";  // what is told of it; "": nothing
};

class LogUnits : public ::testing::TestWithParam<UnitCase> {};

TEST_P(LogUnits, AreGuessedAsAReaderWouldAndToldOf) {
  const UnitCase& c = GetParam();
  const Seen seen = see(write_file(std::string(c.name) + ".csv", c.rows));
  ASSERT_TRUE(seen.status) << seen.status.error().message;
  EXPECT_EQ(times_us(seen).back(), c.last_us);
  std::string told;
  for (const Damage& damage : seen.damage) {
    EXPECT_TRUE(damage.notice) << damage.error.message;
    told += damage.error.message;
  }
  if (*c.guessed)
    EXPECT_THAT(told, HasSubstr(std::string("taken for ") + c.guessed));
  else
    EXPECT_EQ(told, "");
}

INSTANTIATE_TEST_SUITE_P(
    Of, LogUnits,
    ::testing::Values(
        UnitCase{"small_integers", "time,a\n0,1\n5,2\n", 5'000'000, "seconds"},
        UnitCase{"without_a_header", "0,1\n60,2\n120,2\n", 120'000'000, "seconds"},
        UnitCase{"decimals", "time,a\n0,1\n0.5,2\n", 500'000},
        UnitCase{"a_kilohertz", "ts,a\n0,1\n1000,2\n2000,2\n", 2'000},
        UnitCase{"uptime_us", "t,a\n170000000000,1\n170000100000,2\n", 170'000'100'000},
        UnitCase{"epoch_s", "timestamp,a\n1700000000,1\n1700000002,2\n", 2'000'000, "seconds"},
        UnitCase{"epoch_ms", "timestamp,a\n1700000000000,1\n1700000002000,2\n", 2'000'000, "milliseconds"},
        UnitCase{"epoch_us", "timestamp,a\n1700000000000000,1\n1700000002000000,2\n", 2'000'000},
        UnitCase{"epoch_ns", "timestamp,a\n1700000000000000000,1\n1700000002000000000,2\n", 2'000'000,
                 "nanoseconds"},
        UnitCase{"epoch_s_decimal", "time,a\n1700000000.5,1\n1700000002.5,2\n", 2'000'000},
        UnitCase{"epoch_ms_decimal", "time,a\n1700000000000.5,1\n1700000002000.5,2\n", 2'000'000},
        UnitCase{"calendar", "time,a\n2026-11-29T12:00:00Z,1\n2026-11-29T12:00:02Z,2\n", 2'000'000},
        UnitCase{"named_us", "t_us,a\n0,1\n5,2\n", 5},
        UnitCase{"named_s", "Time (s),a\n0,1\n5,2\n", 5'000'000},
        UnitCase{"named_ms", "elapsed[ms];a\n0;1\n5;2\n", 5'000},
        UnitCase{"called_seconds", "a,seconds\n1,0\n2,5\n", 5'000'000},
        UnitCase{"called_by_a_long_unit", "time_microseconds,a\n0,1\n5,2\n", 5}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(LogSource, TheUnitSaidIsTheUnitTaken) {
  const Seen seen = see("unit=us,file=" + write_file("said.csv", "time,a\n0,1\n5,2\n"));
  EXPECT_THAT(times_us(seen), ElementsAre(0, 5));
  EXPECT_THAT(seen.damage, SizeIs(0));
}

TEST(LogSource, ReordersWithinItsWindowAndReportsWhatComesLater) {
  std::string rows = "t_us,a\n";
  for (int i = 1; i <= 600; ++i) rows += std::to_string(i * 1000) + ",1\n";
  const Seen seen = see(write_file("late.csv", rows + "5000,9\n450000,8\n"));
  EXPECT_THAT(seen.readings, SizeIs(601));
  EXPECT_TRUE(std::is_sorted(seen.readings.begin(), seen.readings.end(),
                             [](const Reading& a, const Reading& b) { return a.at < b.at; }));
  ASSERT_THAT(seen.damage, SizeIs(1));
  EXPECT_THAT(seen.damage[0].error.message, HasSubstr("line 602: 0.339000 s earlier"));
}

TEST(LogSource, ReadsTextWithAndWithoutTimes) {
  const Seen seen = see(write_file("d.jsonl",
                                   "{\"t_us\":1000000,\"text\":\"one\"}\n"
                                   "{\"start_us\":1500000,\"end_us\":2000000,\"text\":\"two\"}\n"));
  EXPECT_THAT(times_us(seen), ElementsAre(1'000'000, 2'000'000));
  EXPECT_EQ(to_us(seen.lines[1].start), 1'500'000);
  const Seen plain = see(write_file("e.txt", "\xEF\xBB\xBFtitle\r\n[2.5s] words\r\nmore"));
  EXPECT_THAT(times_us(plain), ElementsAre(0, 2'500'000, 2'500'000));
  EXPECT_EQ(plain.lines[0].text, "title");
  EXPECT_EQ(plain.lines[2].text, "more");
}

TEST(LogSource, TellsSensorAndTextJsonApartByTheFirstLine) {
  EXPECT_THAT(see(write_file("x.jsonl", "{\"t_us\":1,\"force\":2}\n")).readings, SizeIs(1));
  EXPECT_THAT(see(write_file("y", "{\"t_us\":1,\"force\":2}\n")).readings, SizeIs(1));
  EXPECT_THAT(see(write_file("z.json", "{\"t_us\":1,\"text\":\"a\"}\n")).lines, SizeIs(1));
}

TEST(LogSource, SaysInOneSentenceWhyAFileIsNoLog) {
  EXPECT_EQ(code(see(testing::test_file("nowhere.csv")).status), "not_found");
  EXPECT_EQ(code(see(write_file("empty.csv", "")).status), "bad_input");
  const Seen header = see(write_file("header.csv", "t_us,a\n"));
  EXPECT_EQ(code(header.status), "bad_input");
  EXPECT_THAT(header.status.error().message, HasSubstr("has no rows"));
  const Seen garbage = see(write_file("garbage.csv", std::string("\x01\xff\x02\n\xfe,\xff\n\0\n", 11)));
  EXPECT_EQ(code(garbage.status), "bad_input");
  EXPECT_THAT(garbage.status.error().message, HasSubstr("line"));
  EXPECT_EQ(code(see("kind=sensor,url=http://127.0.0.1:1/x.csv").status), "unsupported");
}

TEST(LogSource, BoundsALineAndGoesOnAfterIt) {
  const Seen seen = see(write_file("long.csv", "t_us,a\n1," + std::string(300'000, 'x') + "\n2,3\n"));
  EXPECT_THAT(times_us(seen), ElementsAre(2));
  ASSERT_THAT(seen.damage, SizeIs(1));
  EXPECT_THAT(seen.damage[0].error.message, HasSubstr("line 2: more than 65536 bytes"));
}

TEST(LogSource, LetsRowsOutAtTheirTimeUnderRealtime) {
  VirtualClock clock;
  IngestOptions options;
  options.realtime = true;
  options.session_start = [] { return SteadyTime(Milliseconds(100)); };
  const Seen seen = see(write_file("r.csv", "0,1\n2500000,2\n"), options, clock);
  EXPECT_EQ(clock.now(), SteadyTime(Milliseconds(2600)));
  EXPECT_EQ(seen.readings[1].trace.begin(), SteadyTime(Milliseconds(2600)));
}

TEST(LogSource, StopsWhileAPipeIsSilent) {
  const std::string path = testing::test_file("fifo");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int writer = ::open(path.c_str(), O_RDWR);
  ASSERT_EQ(::write(writer, "5,1\n", 4), 4);
  RealClock clock;
  auto source = open_source(*parse_source_spec("kind=sensor,live=1,file=" + path), {}, clock);
  ASSERT_TRUE(source) << source.error().message;
  int readings = 0;
  EXPECT_TRUE((*source)->run(SourceId{0}, [&](Packet packet) {
    readings += std::holds_alternative<Reading>(packet);
    if (readings == 1) (*source)->stop();
    return Accepted::kTaken;
  }));
  EXPECT_EQ(readings, 1);
  ::close(writer);
}

TEST(SubtitleSource, ReadsSubRipAndWebVttAsLinesWithoutMarkup) {
  const Seen srt = see(write_file("a.srt",
                                  "1\n00:00:01,000 --> 00:00:02,500\n<i>Hello</i> there\nagain\n\n"
                                  "2\n00:00:03,000 --> 00:00:04,000\nBye\n"));
  EXPECT_TRUE(srt.status);
  EXPECT_THAT(times_us(srt), ElementsAre(2'500'000, 4'000'000));
  EXPECT_EQ(to_us(srt.lines[0].start), 1'000'000);
  EXPECT_EQ(srt.lines[0].text, "Hello there again");
  const Seen vtt = see(write_file("b.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\nHi <b>you</b>\n"));
  ASSERT_THAT(vtt.lines, SizeIs(1));
  EXPECT_EQ(vtt.lines[0].text, "Hi you");
  EXPECT_EQ(code(see(write_file("c.srt", "no subtitles here\n")).status), "bad_input");
}

}  // namespace
}  // namespace braid::ingest
