#include "chat/remote_media.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <future>

#include "braid/base/virtual_clock.h"
#include "braid/net/server.h"

namespace braid::serve {
namespace {

using testing::HasSubstr;

/// Serves a picture, one that is missing, a redirect to a place of the client's choice, and a picture that
/// the test answers with.
std::unique_ptr<net::Server> start_host(std::promise<net::Exchange>& held) {
  net::Router router;
  router.route("GET", "/a.jpg", [](const net::Request&, net::Exchange exchange) {
    exchange.respond(200, "image/jpeg", std::string(1000, 'a'));
  });
  router.route("GET", "/to", [](const net::Request& request, net::Exchange exchange) {
    exchange.respond(302, "text/plain", "", {{"Location", std::string(*request.query_value("url"))}});
  });
  router.route("GET", "/held.jpg",
               [&held](const net::Request&, net::Exchange exchange) { held.set_value(std::move(exchange)); });
  net::ServerOptions options;
  options.port = 0;
  auto server = net::Server::start(std::move(options), std::move(router));
  EXPECT_TRUE(server) << (server ? "" : server.error().message);
  return server ? std::move(*server) : nullptr;
}

class RemoteMediaTest : public testing::Test {
 protected:
  Status fetch(const std::vector<std::string>& urls) {
    auto media = RemoteMedia::make(options, clock);
    EXPECT_TRUE(media);
    chat = std::make_shared<openai::ChatRequest>();
    chat->messages.emplace_back();
    for (const std::string& url : urls) {
      openai::Part part;
      part.kind = openai::Part::Kind::kImage;
      part.url = url;
      chat->messages[0].content.push_back(std::move(part));
    }
    std::promise<Status> fetched;
    (*media)->fetch(chat, has_left, [&](Status status) { fetched.set_value(std::move(status)); });
    if (meanwhile) meanwhile();
    return fetched.get_future().get();
  }

  VirtualClock clock;
  std::function<bool()> has_left = [] { return false; };
  std::function<void()> meanwhile;  // while the first is being fetched
  std::promise<net::Exchange> held;
  std::unique_ptr<net::Server> host = start_host(held);
  RemoteMediaOptions options{.hosts = {"127.0.0.1"}, .allow_private = true};
  std::shared_ptr<openai::ChatRequest> chat;
};

TEST(HostIsListed, ByItsNameOrBelowOne) {
  const std::vector<std::string> list = {"example.com", "*.Cam.example"};
  EXPECT_TRUE(host_is_listed("example.com", list));
  EXPECT_TRUE(host_is_listed("EXAMPLE.com", list));
  EXPECT_TRUE(host_is_listed("a.b.cam.example", list));
  EXPECT_FALSE(host_is_listed("cam.example", list));
  EXPECT_FALSE(host_is_listed("badcam.example", list));
  EXPECT_FALSE(host_is_listed("sub.example.com", list));
  EXPECT_FALSE(host_is_listed("example.com.evil.example", list));
  EXPECT_FALSE(host_is_listed("", list));
}

TEST_F(RemoteMediaTest, BytesTakeTheUrlsPlace) {
  ASSERT_TRUE(fetch({host->url() + "/a.jpg", host->url() + "/a.jpg"}));
  for (const openai::Part& part : chat->messages[0].content) {
    EXPECT_EQ(part.bytes, std::string(1000, 'a'));
    EXPECT_EQ(part.url, "");
  }
}

TEST_F(RemoteMediaTest, WithoutUrlsNothingIsAsked) { EXPECT_TRUE(fetch({})); }

TEST_F(RemoteMediaTest, WithoutHostsNothingIsFetched) {
  options.hosts.clear();
  const Status fetched = fetch({host->url() + "/a.jpg"});
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(fetched.error().message, testing::AllOf(HasSubstr("data: URI"), HasSubstr("--media-host")));
}

TEST_F(RemoteMediaTest, AHostThatIsNotListedIsNotAsked) {
  for (const std::string url : {"http://localhost:1/a.jpg", "http://127.0.0.2/a.jpg", "http://[::1]/a.jpg"}) {
    const Status fetched = fetch({url});
    ASSERT_FALSE(fetched) << url;
    EXPECT_EQ(fetched.error().code, ErrorCode::kUnsupported) << fetched.error().message;
  }
}

TEST_F(RemoteMediaTest, ARedirectLeadsToNoOther) {
  EXPECT_TRUE(fetch({host->url() + "/to?url=" + host->url() + "/a.jpg"}));
  const Status fetched = fetch({host->url() + "/to?url=http://169.254.169.254/latest/meta-data"});
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, ErrorCode::kUnsupported);
}

TEST_F(RemoteMediaTest, AListedNameOpensNoPrivateAddress) {
  options.allow_private = false;
  const Status fetched = fetch({host->url() + "/a.jpg"});
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(host->stats().connections, 0U);
}

TEST_F(RemoteMediaTest, WhatIsNotThereOrTooLargeIsSaid) {
  const Status missing = fetch({host->url() + "/b.jpg"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kBadInput);
  EXPECT_THAT(missing.error().message, HasSubstr("404"));
  options.max_bytes = 1999;
  const Status large = fetch({host->url() + "/a.jpg", host->url() + "/a.jpg"});
  ASSERT_FALSE(large) << "the limit is for all of one request";
  EXPECT_EQ(large.error().code, ErrorCode::kLimit);
}

TEST_F(RemoteMediaTest, TheTimeIsForAllOfARequest) {
  meanwhile = [&] {
    net::Exchange exchange = held.get_future().get();
    clock.sleep_for(options.timeout);
    exchange.respond(200, "image/jpeg", "a");
  };
  const Status fetched = fetch({host->url() + "/held.jpg", host->url() + "/a.jpg"});
  ASSERT_FALSE(fetched);
  EXPECT_THAT(fetched.error().message,
              HasSubstr("/a.jpg can't be fetched: the media of one request have 10 s together"));
}

TEST_F(RemoteMediaTest, NothingIsFetchedForWhoHasLeft) {
  int asked = 0;
  has_left = [&] { return asked++ > 0; };
  const Status fetched = fetch({host->url() + "/a.jpg", host->url() + "/a.jpg"});
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(host->stats().by_class[2], 1U);
}

TEST_F(RemoteMediaTest, AListThatCanNotBeMeantIsRefused) {
  for (const std::string entry : {"", "http://example.com", "a b", "*", "*.", "exa*mple.com"}) {
    options.hosts = {entry};
    const auto made = RemoteMedia::make(options, clock);
    ASSERT_FALSE(made) << entry;
    EXPECT_EQ(made.error().code, ErrorCode::kUsage);
  }
}

}  // namespace
}  // namespace braid::serve
