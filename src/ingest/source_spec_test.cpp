#include "braid/ingest/source_spec.h"

#include <gtest/gtest.h>

#include "test_support.h"

namespace braid::ingest {
namespace {

SourceSpec parsed(const std::string& text) {
  auto spec = parse_source_spec(text);
  EXPECT_TRUE(spec) << text << ": " << (spec ? "" : spec.error().message);
  return spec.value_or(SourceSpec{});
}

TEST(SourceSpec, TakesAPathAsItIs) {
  const SourceSpec spec = parsed("/films/my clip, take 2.mp4");
  EXPECT_EQ(spec.target, "/films/my clip, take 2.mp4");
  EXPECT_EQ(spec.name, "my_clip__take_2");
  EXPECT_EQ(spec.transport, Transport::kFile);
  EXPECT_EQ(spec.kind, SourceKind::kAuto);
}

TEST(SourceSpec, TakesColonsAndPercentSignsInPathsForWhatTheyAre) {
  EXPECT_EQ(parsed("http:movie%03d.mp4").transport, Transport::kFile);
  EXPECT_EQ(parsed("./concat:a|b").target, "./concat:a|b");
}

TEST(SourceSpec, TellsTransportsApart) {
  EXPECT_EQ(parsed("-").transport, Transport::kPipe);
  EXPECT_EQ(parsed("-").name, "stdin");
  EXPECT_EQ(parsed("https://user@cam.example:81/x.mp4?a=b").transport, Transport::kHttp);
  EXPECT_EQ(parsed("https://user@cam.example:81/x.mp4?a=b").name, "cam.example_81");
  EXPECT_TRUE(parsed("rtsp://cam/1").live);
  EXPECT_EQ(parsed("v4l2:/dev/video0").name, "video0");
  EXPECT_TRUE(parsed("alsa:default").live);
  EXPECT_EQ(parsed("pulse:default").transport, Transport::kDevice);
  EXPECT_FALSE(parsed("clip.mp4").live);
}

TEST(SourceSpec, ShowsNoPassword) {
  const SourceSpec spec = parsed("rtsp://me:s3cret@cam.example:554/1?x=a@b");
  EXPECT_EQ(spec.target, "rtsp://***@cam.example:554/1?x=a@b");
  EXPECT_EQ(spec.address(), "rtsp://me:s3cret@cam.example:554/1?x=a@b");
  EXPECT_EQ(spec.name, "cam.example_554");
  EXPECT_EQ(parsed("http://cam/1").address(), "http://cam/1");
  EXPECT_EQ(without_passwords("to tcp://a:b@c:1 and rtsp://d@e/f@g failed"),
            "to tcp://***@c:1 and rtsp://***@e/f@g failed");
  for (const char* text :
       {"ftp://me:s3cret@host/x", "name=a,url=http://me:s3cret@h/x,fo=1", "kind=me://u:s3cret@h,file=x"}) {
    const auto wrong = parse_source_spec(text);
    if (!wrong) EXPECT_EQ(wrong.error().message.find("s3cret"), std::string::npos) << wrong.error().message;
  }
}

TEST(SourceSpec, ReadsKeysAndValues) {
  const SourceSpec spec = parsed("name=press,kind=sensor,file=log.csv,epoch=1700000000000000,unit=ms,live=1");
  EXPECT_EQ(spec.name, "press");
  EXPECT_EQ(spec.kind, SourceKind::kSensor);
  EXPECT_EQ(spec.target, "log.csv");
  EXPECT_EQ(spec.epoch_us, 1'700'000'000'000'000);
  EXPECT_EQ(spec.unit, TimeUnit::kMilliseconds);
  EXPECT_TRUE(spec.live);
  EXPECT_EQ(parsed("video=1,audio=2,file=a.mkv").video, 1);
  EXPECT_EQ(parsed("video=1,audio=2,file=a.mkv").audio, 2);
}

TEST(SourceSpec, LetsATargetHoldCommasAndEqualsSigns) {
  const SourceSpec spec = parsed("url=http://cam/x?a=1,b=2,name=cam");
  EXPECT_EQ(spec.target, "http://cam/x?a=1,b=2");
  EXPECT_EQ(spec.name, "cam");
  EXPECT_EQ(spec.transport, Transport::kHttp);
}

TEST(SourceSpec, TakesAFileThatExistsBeforeKeysAndValues) {
  const std::string path = testing::write_file("name=x.csv", "1,2\n");
  EXPECT_EQ(parsed(path).target, path);
}

TEST(SourceSpec, SaysWhatIsWrong) {
  for (const std::string text :
       {"", "kind=sensor", "kind=radar,file=x", "name=a b,file=x", "name=,file=x", "video=-1,file=x",
        "video=x,file=y", "live=yes,file=x", "file=", "file=a,url=http://b", "name=a,nonsense",
        "unit=h,file=x", "ftp://host/x", "epoch=99999999999999999999,file=x", "foo=bar,file=x", "File=x",
        "a=b.mp4", "name=a,name=b,file=x", "live=1,live=1,file=x"}) {
    const auto spec = parse_source_spec(text);
    ASSERT_FALSE(spec) << text;
    EXPECT_EQ(spec.error().code, ErrorCode::kUsage) << text;
    EXPECT_GT(spec.error().message.size(), 20U) << text;
  }
  EXPECT_NE(parse_source_spec("foo=bar,file=x").error().message.find("'foo=bar'"), std::string::npos);
  EXPECT_NE(parse_source_spec("foo=bar,file=x").error().message.find("unit"), std::string::npos);
  EXPECT_FALSE(parse_source_spec(std::string(10'000, 'x')));
  EXPECT_FALSE(parse_source_spec(std::string("a\0b", 3)));
}

TEST(SourceSpec, SaysForHowLongALineIsOpenedAgain) {
  EXPECT_EQ(parse_source_spec("reconnect=90,url=rtsp://camera/1")->reconnect, std::chrono::seconds(90));
  EXPECT_EQ(parse_source_spec("rtsp://camera/1")->reconnect, std::nullopt);
  for (const char* wrong : {"reconnect=-1,url=rtsp://camera/1", "reconnect=soon,url=rtsp://camera/1"}) {
    const auto refused = parse_source_spec(wrong);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  }
}

}  // namespace
}  // namespace braid::ingest
