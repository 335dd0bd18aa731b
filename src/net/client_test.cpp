// The client, against our own server; TLS on both sides.
#include "braid/net/client.h"

#include <gmock/gmock.h>

#include "files_for_tests.h"
#include "http_for_tests.h"

namespace braid::net {
namespace {

using testing::HasSubstr;

std::unique_ptr<Client> client_with(ClientOptions options) {
  auto client = Client::make(std::move(options));
  EXPECT_TRUE(client) << (client ? "" : client.error().message);
  return client ? std::move(*client) : nullptr;
}

ClientOptions anywhere() {
  ClientOptions options;
  options.allow = nullptr;
  return options;
}

Router router() {
  Router router;
  router.route("POST", "/hook", [](const Request& request, Exchange exchange) {
    exchange.respond(201, "text/plain",
                     request.body + ' ' + std::string(request.header("x-signature").value_or("-")) + ' ' +
                         std::string(request.header("user-agent").value_or("-")));
  });
  router.route("GET", "/big", [](const Request&, Exchange exchange) {
    Stream stream = exchange.stream(200, "text/plain");
    for (int i = 0; i < 10; ++i) stream.write(std::string(1000, 'x'));
    stream.finish();
  });
  router.route("GET", "/to", [](const Request& request, Exchange exchange) {
    exchange.respond(302, "text/plain", "",
                     {{"Location", std::string(request.query_value("url").value_or("/to"))}});
  });
  router.route("GET", "/half",
               [](const Request&, Exchange exchange) { exchange.stream(200, "text/plain").write("half"); });
  router.route("GET", "/token", [](const Request& request, Exchange exchange) {
    exchange.respond(200, "text/plain", request.token);
  });
  return router;
}

ClientRequest get(const std::string& url) {
  ClientRequest request;
  request.url = url;
  return request;
}

TEST(Client, posts_and_reads_the_answer) {
  const auto server = started(router());
  const auto client = client_with(anywhere());
  ClientRequest request = get(server->url() + "/hook");
  request.method = "POST";
  request.body = "{}";
  request.headers = {{"X-Signature", "abc"}, {"X-Bad", "a\r\nX-Evil: 1"}, {"Host", "other"}};
  const auto response = client->fetch(request);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 201);
  EXPECT_EQ(response->body, "{} abc braid");
  EXPECT_EQ(client->fetch(get(server->url() + "/nowhere"))->status, 404) << "any answer is one";
}

TEST(Client, refuses_addresses_by_its_policy_after_they_were_resolved) {
  const auto server = started(router());
  const auto client = client_with({});
  for (const std::string host :
       {"127.0.0.1", "localhost", "127.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]", "0"}) {
    const auto response =
        client->fetch(get("http://" + host + ":" + std::to_string(server->port()) + "/hook"));
    ASSERT_FALSE(response) << host;
    EXPECT_THAT(response.error().code, testing::AnyOf(ErrorCode::kUnsupported, ErrorCode::kNotFound)) << host;
  }
  EXPECT_EQ(server->stats().connections, 0u);
}

TEST(Client, follows_redirects_only_when_told_and_asks_its_policy_again) {
  const auto server = started(router());
  const auto other = started(router());
  bool open = true;
  ClientOptions options;
  options.allow = [&](std::string_view) { return std::exchange(open, false); };
  const auto wary = client_with(options);
  ClientRequest request = get(server->url() + "/to?url=/token");
  request.max_redirects = 1;
  EXPECT_EQ(wary->fetch(request).error().code, ErrorCode::kUnsupported)
      << "the name could have changed its mind";

  const auto client = client_with(anywhere());
  EXPECT_EQ(client->fetch(get(server->url() + "/to"))->status, 302);
  request.headers = {{"Authorization", "Bearer secret"}};
  const auto same = client->fetch(request);
  ASSERT_TRUE(same);
  EXPECT_EQ(same->body, "secret");
  EXPECT_EQ(same->url, server->url() + "/token");
  request.url = server->url() + "/to?url=" + other->url() + "/token";
  EXPECT_EQ(client->fetch(request)->body, "") << "another origin sees no secrets";
  request.url = server->url() + "/to";
  request.max_redirects = 5;
  EXPECT_EQ(client->fetch(request).error().code, ErrorCode::kLimit);
  request.url = server->url() + "/to?url=file:///etc/passwd";
  EXPECT_EQ(client->fetch(request).error().code, ErrorCode::kUsage);
}

TEST(Client, asks_no_host_that_is_not_listed_wherever_it_is_sent) {
  const auto server = started(router());
  ClientOptions options = anywhere();
  options.allow_host = [](std::string_view host) { return host == "127.0.0.1"; };
  const auto client = client_with(std::move(options));
  ClientRequest request = get(server->url() + "/big");
  request.max_redirects = 3;
  EXPECT_TRUE(client->fetch(request));
  const std::string unlisted = "http://localhost:" + std::to_string(server->port()) + "/big";
  const auto connections = server->stats().connections;
  request.url = unlisted;
  EXPECT_EQ(client->fetch(request).error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(server->stats().connections, connections);
  request.url = server->url() + "/to?url=" + unlisted;
  const auto redirected = client->fetch(request);
  ASSERT_FALSE(redirected);
  EXPECT_EQ(redirected.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(redirected.error().message, HasSubstr("localhost"));
}

TEST(Client, keeps_to_its_bounds) {
  const auto server = started(router());
  const auto client = client_with(anywhere());
  ClientRequest request = get(server->url() + "/big");
  EXPECT_EQ(client->fetch(request)->body.size(), 10'000u);
  request.max_body = 9'999;
  EXPECT_EQ(client->fetch(request).error().code, ErrorCode::kLimit);
  request.cut_body = true;
  const auto cut = client->fetch(request);
  ASSERT_TRUE(cut) << cut.error().message;
  EXPECT_EQ(cut->status, 200);
  EXPECT_EQ(cut->body.size(), 9'999u);
  EXPECT_EQ(client->fetch(get(server->url() + "/half")).error().code, ErrorCode::kBadInput)
      << "an answer that is cut off";
  EXPECT_EQ(client->fetch(get("ftp://localhost/")).error().code, ErrorCode::kUsage);
  EXPECT_EQ(client->fetch(get("http://user@localhost/")).error().code, ErrorCode::kUsage);
  request = get(server->url());
  request.method = "GET / HTTP/1.1\r\nX: ";
  EXPECT_EQ(client->fetch(request).error().code, ErrorCode::kUsage);
  const std::uint16_t port = server->port();
  server->stop(Milliseconds{0});
  const auto refused = client->fetch(get("http://127.0.0.1:" + std::to_string(port)));
  EXPECT_EQ(refused.error().code, ErrorCode::kResource);
  EXPECT_TRUE(refused.error().retryable);
}

TEST(Client, gives_up_in_time_and_cancels_when_closed) {
  Handed<Exchange> held;
  Router silent;
  silent.route("GET", "/", [&](const Request&, Exchange exchange) { held.put(std::move(exchange)); });
  const auto server = started(std::move(silent));
  ClientOptions options = anywhere();
  options.max_open = 1;
  auto client = client_with(options);
  ClientRequest request = get(server->url());
  request.timeout = Milliseconds{50};
  EXPECT_EQ(client->fetch(request).error().code, ErrorCode::kLate);
  EXPECT_TRUE(held.get());

  Handed<Result<ClientResponse>> result;
  client->send(get(server->url()), [&](Result<ClientResponse> response) { result.put(std::move(response)); });
  const auto exchange = held.get();
  EXPECT_EQ(client->fetch(get(server->url())).error().code, ErrorCode::kFull);
  client.reset();
  EXPECT_EQ(result.get()->error().code, ErrorCode::kCancelled);
}

struct Secure {
  explicit Secure(Router routes) : chain(certificate.chain), key(certificate.key) {
    ServerOptions options;
    options.tls_cert = chain.path();
    options.tls_key = key.path();
    options.limits.handshake_timeout = Milliseconds{200};
    server = started(std::move(routes), options);
  }

  Certificate certificate;
  TemporaryFile chain;
  TemporaryFile key;
  std::unique_ptr<Server> server;
};

TEST(Tls, carries_requests_for_who_trusts_the_certificate) {
  Secure secure(router());
  ClientOptions options = anywhere();
  options.ca_file = secure.chain.path();
  const auto client = client_with(options);
  const auto response = client->fetch(get(secure.server->url() + "/big"));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body.size(), 10'000u);
  const std::string port = std::to_string(secure.server->port());
  EXPECT_TRUE(client->fetch(get("https://localhost:" + port + "/big")));
  EXPECT_EQ(client->fetch(get("https://127.0.0.2:" + port)).error().code, ErrorCode::kResource)
      << "not listened on";
  const auto distrusts = client_with(anywhere());
  EXPECT_EQ(distrusts->fetch(get(secure.server->url() + "/big")).error().code, ErrorCode::kBadInput);
  options.ca_file = secure.chain.path() + ".none";
  EXPECT_EQ(Client::make(options).error().code, ErrorCode::kBadInput);
}

TEST(Tls, refuses_a_certificate_of_another_name) {
  Secure secure(router());
  ClientOptions options = anywhere();
  options.ca_file = secure.chain.path();
  const auto client = client_with(options);
  // 127.1 is the same address by another name, which the certificate doesn't hold.
  const auto response = client->fetch(get("https://127.1:" + std::to_string(secure.server->port()) + "/big"));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kBadInput);
}

TEST(Tls, ends_what_is_no_tls_and_who_says_nothing) {
  Secure secure(router());
  RawClient plain(secure.server->port());
  const Reply told = plain.get("/big").reply();
  EXPECT_EQ(told.status, 400);
  EXPECT_NE(told.body.find("https://"), std::string::npos) << told.body;
  EXPECT_TRUE(plain.is_closed());
  EXPECT_TRUE(becomes_true([&] { return secure.server->stats().dropped(DropReason::kMalformed) == 1; }));
  RawClient garbage(secure.server->port());
  garbage.send(std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11) + std::string(600, '\x7f'));
  garbage.read_all();
  EXPECT_TRUE(becomes_true([&] { return secure.server->stats().dropped(DropReason::kMalformed) == 2; }));
  RawClient silent(secure.server->port());
  EXPECT_TRUE(silent.is_closed());
  EXPECT_TRUE(becomes_true([&] { return secure.server->stats().dropped(DropReason::kTimeout) == 1; }));
}

}  // namespace
}  // namespace braid::net
