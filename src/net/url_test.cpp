#include "braid/net/url.h"

#include <gmock/gmock.h>

#include "braid/net/client.h"
#include "braid/net/errors.h"
#include "message.h"

namespace braid::net {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(Url, decodes_what_is_well_formed_and_nothing_else) {
  EXPECT_EQ(*percent_decoded("a%20b+c%e2%82%AC"), "a b+c\xE2\x82\xAC");
  EXPECT_EQ(*percent_decoded("a+b", true), "a b");
  for (const char* bad : {"%", "%1", "%g0", "%0g", "%00", "%0a", "\x01", "%ff", "%c0%af", "%ed%a0%80"})
    EXPECT_EQ(percent_decoded(bad).error().code, ErrorCode::kBadInput) << bad;
}

TEST(Url, reads_queries) {
  EXPECT_THAT(*parse_query("a=1&b=two+words&&c&=d&a=2&e=f=g"),
              ElementsAre(Pair("a", "1"), Pair("b", "two words"), Pair("c", ""), Pair("", "d"),
                          Pair("a", "2"), Pair("e", "f=g")));
  std::string many = "a";
  for (int i = 0; i < 256; ++i) many += "&a";
  EXPECT_EQ(parse_query(many).error().code, ErrorCode::kLimit);
}

TEST(Url, reads_targets) {
  EXPECT_EQ(parse_target("/a/b%20c?x=1")->path, "/a/b c");
  EXPECT_THAT(parse_target("/a//b/")->segments, ElementsAre("a", "", "b", ""));
  EXPECT_THAT(parse_target("/")->segments, ElementsAre(""));
  EXPECT_EQ(parse_target("http://host:1/a?b")->path, "/a");
  EXPECT_EQ(parse_target("http://host?b=c")->path, "/");
  EXPECT_EQ(parse_target("/...")->path, "/...");
  for (const char* bad : {"", "a", "*", "//../x", "/.", "/a/%2e", "/a/.%2E/b", "/a%5cb", "/a\\b", "/a#b"})
    EXPECT_FALSE(parse_target(bad)) << bad;
}

TEST(Url, reads_absolute_urls_and_redirects) {
  const auto url = parse_url("HTTPS://Example.com:8443/a?b#c");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->origin(), "https://example.com:8443");
  EXPECT_EQ(url->target, "/a?b");
  EXPECT_EQ(parse_url("http://[::1]:80?x")->authority(), "[::1]");
  EXPECT_EQ(parse_url("http://[::1]:80?x")->target, "/?x");
  EXPECT_EQ(parse_url("http://host")->port, 80);
  for (const char* bad : {"", "host", "ftp://host", "http://", "http://a@b", "http://a:b@c", "http://a b",
                          "http://a\r\nb", "http://a:0", "http://a:65536", "http://a:x", "http://[::1",
                          "http://[x]", "http://a\\@b", "http://a%20b", "http://[::1]x"})
    EXPECT_EQ(parse_url(bad).error().code, ErrorCode::kUsage) << bad;

  const auto to = [&](const char* location) { return resolve_url(*url, location).value_or(Url{}); };
  EXPECT_EQ(to("/x").origin() + to("/x").target, "https://example.com:8443/x");
  EXPECT_EQ(to("//other/y").origin(), "https://other");
  EXPECT_EQ(to("http://other/z").origin(), "http://other");
  EXPECT_EQ(to("?q").target, "/a?q");
  EXPECT_EQ(to("sub/x").target, "/sub/x");
  EXPECT_FALSE(resolve_url(*url, "file:///etc/passwd"));
}

TEST(Address, is_public_only_if_nothing_of_ours_hides_in_it) {
  for (const char* address : {"8.8.8.8", "1.1.1.1", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8",
                              "64:ff9b::808:808", "2002:808:808::1"})
    EXPECT_TRUE(is_public_address(address)) << address;
  for (const char* address :
       {"127.0.0.1",        "127.255.255.254", "10.1.2.3",        "172.16.0.1",   "172.31.255.255",
        "192.168.1.1",      "169.254.169.254", "100.64.0.1",      "0.0.0.0",      "224.0.0.1",
        "255.255.255.255",  "198.18.0.1",      "192.0.0.8",       "::",           "::1",
        "fe80::1",          "fe80::1%1",       "fc00::1",         "fd12::1",      "ff02::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1", "2002:7f00:1::",
        "2001::1",          "2001:db8::1",     "::127.0.0.1",     "localhost",    ""})
    EXPECT_FALSE(is_public_address(address)) << address;
  for (const char* host :
       {"127.1", "2130706433", "0x7f.1", "10.0.0.1", "::1", "localhost", "a.localhost", "localhost."})
    EXPECT_TRUE(is_private_host(host)) << host;
  for (const char* host :
       {"8.8.8.8", "134744072", "2606:4700::1111", "example.com", "localhost.example", "10.example"})
    EXPECT_FALSE(is_private_host(host)) << host;
  EXPECT_TRUE(is_loopback_address("127.1.2.3"));
  EXPECT_TRUE(is_loopback_address("::ffff:127.0.0.1"));
  EXPECT_FALSE(is_loopback_address("128.0.0.1"));
}

TEST(Errors, are_json_whatever_they_hold) {
  EXPECT_EQ(error_json({400, "a \"b\"\n\xff", {}, "p", {}}),
            "{\"error\":{\"message\":\"a "
            "\\\"b\\\"\\n\xEF\xBF\xBD\",\"type\":\"invalid_request_error\",\"param\":\"p\",\"code\":null}}");
  EXPECT_EQ(error_json({503, "m", {}, {}, "c"}),
            R"({"error":{"message":"m","type":"server_error","param":null,"code":"c"}})");
}

TEST(Lists, are_read_item_by_item) {
  using namespace detail;
  EXPECT_TRUE(list_holds("keep-alive , Upgrade", "upgrade"));
  EXPECT_FALSE(list_holds("upgrades", "upgrade"));
  EXPECT_TRUE(accepts_coding("br, GZIP;q=0.8", "gzip"));
  EXPECT_TRUE(accepts_coding("*", "gzip"));
  EXPECT_FALSE(accepts_coding("*;q=0", "gzip"));
  EXPECT_FALSE(accepts_coding("gzip;q=0.000", "gzip"));
  EXPECT_FALSE(accepts_coding("", "gzip"));
}

}  // namespace
}  // namespace braid::net
