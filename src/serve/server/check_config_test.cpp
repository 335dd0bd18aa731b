#include "server/check_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "braid/base/virtual_clock.h"
#include "braid/net/server.h"

namespace braid::serve {
namespace {

using testing::HasSubstr;

class CheckConfig : public testing::Test {
 protected:
  /// What is said of a configuration that is sound but for `change`.
  std::string told(const std::function<void(ServerConfig&)>& change) {
    ServerConfig config;
    config.port = 0;
    config.model.model = file("model.gguf", "x");
    change(config);
    const Status sound = check_config(config, clock);
    return sound ? "sound" : sound.error().message;
  }
  static std::string file(const std::string& name, const std::string& text) {
    const std::string path = testing::TempDir() + name;
    std::ofstream(path) << text;
    return path;
  }

  VirtualClock clock;
};

TEST_F(CheckConfig, NothingIsSaidOfWhatIsSound) {
  const std::string clip = file("a, b.csv", "t,x\n1,2\n");
  EXPECT_EQ(told([](ServerConfig&) {}), "sound");
  EXPECT_EQ(told([&](ServerConfig& config) {
              config.sources = {clip, "rtsp://camera/1", "v4l2:/dev/video9", "-"};
              config.cors_origins = {"*", "null", "https://a.example:8443", "chrome-extension://abc"};
              config.tracing.otlp_url = "http://localhost:4318";
              config.remote_media.hosts = {"example.com", "*.example.org"};
            }),
            "sound");
}

TEST_F(CheckConfig, AnAddressThatCantBeListenedOn) {
  EXPECT_THAT(told([](ServerConfig& config) { config.address = "0.0.0.0"; }), HasSubstr("keys file"));
  EXPECT_THAT(told([](ServerConfig& config) { config.address = "my-host"; }), HasSubstr("IP literal"));
  auto taken = net::Server::start({}, {});
  ASSERT_TRUE(taken);
  EXPECT_THAT(told([&](ServerConfig& config) { config.port = (*taken)->port(); }), HasSubstr("in use"));
}

TEST_F(CheckConfig, FilesThatAreNotThereOrHoldSomethingElse) {
  EXPECT_THAT(told([](ServerConfig& config) { config.keys_file = "/nowhere/keys"; }),
              HasSubstr("/nowhere/keys"));
  EXPECT_THAT(told([](ServerConfig& config) { config.keys_file = file("keys", "secret\n"); }),
              HasSubstr("line 1"));
  EXPECT_THAT(told([](ServerConfig& config) { config.tls_cert = "/nowhere/cert"; }),
              HasSubstr("both or none"));
  EXPECT_THAT(told([](ServerConfig& config) { config.tls_cert = config.tls_key = "/nowhere/pem"; }),
              HasSubstr("/nowhere/pem"));
  EXPECT_THAT(told([](ServerConfig& config) { config.model.model = "/nowhere/a.gguf"; }),
              HasSubstr("/nowhere/a.gguf"));
  EXPECT_THAT(told([](ServerConfig& config) { config.model.mmproj = "/nowhere/b.gguf"; }),
              HasSubstr("/nowhere/b.gguf"));
  EXPECT_THAT(told([](ServerConfig& config) { config.model = {.mmproj = "b.gguf"}; }), HasSubstr("-m FILE"));
  EXPECT_THAT(told([](ServerConfig& config) { config.sources = {"clip.mp5"}; }), HasSubstr("clip.mp5"));
  EXPECT_THAT(told([](ServerConfig& config) { config.sources = {"kind=smell,file=a"}; }), HasSubstr("smell"));
  EXPECT_THAT(told([](ServerConfig& config) { config.webhooks.secret.file = "/nowhere/secret"; }),
              HasSubstr("/nowhere/secret"));
  EXPECT_THAT(told([](ServerConfig& config) {
                config.questions.push_back({.ask = "What?", .secret = {"", "BRAID_NO_SUCH_VARIABLE"}});
              }),
              HasSubstr("BRAID_NO_SUCH_VARIABLE"));
  EXPECT_THAT(told([](ServerConfig& config) { config.durability.state_dir = "/proc/braid"; }),
              HasSubstr("/proc/braid"));
}

TEST_F(CheckConfig, NamesOfOthersThatAreNone) {
  EXPECT_THAT(told([](ServerConfig& config) { config.remote_media.hosts = {"http://x"}; }),
              HasSubstr("'http://x'"));
  EXPECT_THAT(
      told([](ServerConfig& config) { config.tracing.otlp_url = "foo"; }),
      testing::AllOf(HasSubstr("--otlp-url"), HasSubstr("'foo'"), HasSubstr("http://localhost:4318")));
  for (const char* origin : {"foo", "https://a.example/x y", "https://", "http:/a"})
    EXPECT_THAT(told([&](ServerConfig& config) { config.cors_origins = {origin}; }),
                HasSubstr("is no origin"))
        << origin;
  EXPECT_THAT(told([&](ServerConfig& config) { config.cors_origins = {"https://A.example:443/"}; }),
              HasSubstr("did you mean 'https://a.example'?"));
}

}  // namespace
}  // namespace braid::serve
