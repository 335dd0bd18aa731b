// What a server must stand: broken requests, clients that vanish, crawl, flood or lie.
#include <gmock/gmock.h>

#include <random>

#include "http_for_tests.h"

namespace braid::net {
namespace {

using testing::HasSubstr;

Router echo_router() {
  Router router;
  router.route("GET", "/echo", echo).route("POST", "/echo", echo);
  router.route("POST", "/small", echo, {.max_body = 8});
  return router;
}

// A server whose answer to /stream is handed to the test.
struct Streaming {
  explicit Streaming(ServerOptions options = {}) {
    Router router = echo_router();
    router.route("GET", "/stream", [this](const Request&, Exchange exchange) {
      Stream stream = exchange.stream(200, "text/plain");
      stream.on_gone([this] { gone.put(true); });
      streams.put(std::move(stream));
    });
    router.route("GET", "/wait", [this](const Request&, Exchange exchange) {
      exchange.on_gone([this] { gone.put(true); });
      exchanges.put(std::move(exchange));
    });
    server = started(std::move(router), std::move(options));
  }

  Handed<Stream> streams;
  Handed<Exchange> exchanges;
  Handed<bool> gone;
  std::unique_ptr<Server> server;
};

ServerOptions with(const std::function<void(Limits&)>& change) {
  ServerOptions options;
  change(options.limits);
  return options;
}

TEST(Faults, refuse_what_can_be_read_in_two_ways_and_what_can_not_be_read) {
  const auto server = started(echo_router());
  const std::string head = "POST /echo HTTP/1.1\r\nHost: localhost\r\n";
  const std::pair<const char*, std::string> cases[] = {
      {"both lengths", head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
      {"both lengths, other order",
       head + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"},
      {"two lengths", head + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"},
      {"two equal lengths", head + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello"},
      {"length with sign", head + "Content-Length: +5\r\n\r\nhello"},
      {"negative length", head + "Content-Length: -1\r\n\r\n"},
      {"huge length", head + "Content-Length: 99999999999999999999\r\n\r\n"},
      {"blank before the colon", head + "Content-Length : 5\r\n\r\nhello"},
      {"chunked twice", head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
      {"chunked to 1.0", "POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
      {"no host", "GET /echo HTTP/1.1\r\n\r\n"},
      {"two hosts", "GET /echo HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"},
      {"host with blanks", "GET /echo HTTP/1.1\r\nHost: a b\r\n\r\n"},
      {"no digits in a chunk", head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n"},
      {"chunk too long for its size", head + "Transfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n"},
      {"bare line feeds", "GET /echo HTTP/1.1\nHost: localhost\n\n"},
      {"control character", "GET /echo HTTP/1.1\r\nHost: localhost\r\nX: a\x01\r\n\r\n"},
      {"another version", "GET / HTTP/2.0\r\nHost: localhost\r\n\r\n"},
      {"no version", "GET /echo\r\n\r\n"},
      {"upwards", "GET /../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {"upwards, encoded", "GET /%2e%2e/etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {"slash, encoded", "GET /a%2Fb HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {"half an escape", "GET /%4 HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {"zero byte", "GET /%00 HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {"no UTF-8", "GET /%ff HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {"no path", "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n"},
  };
  std::uint64_t refused = 0;
  for (const auto& [what, request] : cases) {
    RawClient client(server->port());
    const Reply reply = client.send(request).reply();
    EXPECT_EQ(reply.status, 400) << what;
    EXPECT_EQ(reply.header("connection"), "close") << what;
    EXPECT_THAT(reply.body, HasSubstr(R"("type":"invalid_request_error")")) << what;
    client.half_close();
    EXPECT_TRUE(client.is_closed()) << what;
    ++refused;
    EXPECT_TRUE(becomes_true([&] { return server->stats().dropped(DropReason::kMalformed) == refused; }))
        << what;
  }
  EXPECT_EQ(RawClient(server->port()).send(head + "Transfer-Encoding: gzip, chunked\r\n\r\n").reply().status,
            501);
  EXPECT_EQ(RawClient(server->port()).send(head + "Transfer-Encoding: xchunked\r\n\r\n").reply().status, 501);
  EXPECT_EQ(RawClient(server->port()).send(head + "Content-Length: 1\r\nExpect: tea\r\n\r\n").reply().status,
            417);
}

TEST(Faults, refuse_headers_over_the_limit) {
  const auto server = started(echo_router());
  const std::string kilobyte(1000, 'x');
  std::string many = "GET /echo HTTP/1.1\r\nHost: localhost\r\n";
  for (int i = 0; i < 40; ++i) many += "X-" + std::to_string(i) + ": " + kilobyte + "\r\n";
  EXPECT_EQ(RawClient(server->port()).send(many + "\r\n").reply().status, 431);
  EXPECT_EQ(
      RawClient(server->port()).send("GET /" + std::string(40'000, 'a') + " HTTP/1.1\r\n").reply().status,
      431);
  EXPECT_EQ(RawClient(server->port()).get("/echo", "X: " + std::string(15'000, 'x') + "\r\n").reply().status,
            200);
  RawClient dribble(server->port());  // each line by itself, so that none of them is large
  dribble.send("GET /echo HTTP/1.1\r\nHost: localhost\r\n");
  for (int i = 0; i < 40; ++i) dribble.send("X-" + std::to_string(i) + ": " + kilobyte + "\r\n");
  EXPECT_EQ(dribble.reply().status, 431);
  EXPECT_TRUE(becomes_true([&] { return server->stats().dropped(DropReason::kTooLarge) == 3; }));
}

TEST(Faults, refuse_bodies_over_the_limit_before_reading_them) {
  const auto server = started(echo_router());
  EXPECT_EQ(RawClient(server->port()).post("/small", "12345678").reply().status, 200);
  const Reply declared = RawClient(server->port()).post("/small", "123456789").reply();
  EXPECT_EQ(declared.status, 413);
  EXPECT_THAT(declared.body, HasSubstr("request_too_large"));
  RawClient chunked(server->port());
  chunked.send(
      "POST /small HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: "
      "chunked\r\n\r\n5\r\n12345\r\n5\r\n12345\r\n");
  EXPECT_EQ(chunked.reply().status, 413);
  RawClient sending(server->port());  // the answer gets through though megabytes were under way
  EXPECT_EQ(sending.post("/small", std::string(3 << 20, 'x')).reply().status, 413);
}

TEST(Faults, refuse_bodies_that_are_too_much_together) {
  Handed<Exchange> held;
  Router router;
  router.route("POST", "/hold", [&](const Request&, Exchange exchange) { held.put(std::move(exchange)); });
  const auto server = started(std::move(router), with([](Limits& limits) { limits.bodies_bytes = 1000; }));
  RawClient first(server->port());
  first.post("/hold", std::string(800, 'x'));
  auto exchange = held.get();
  ASSERT_TRUE(exchange);
  EXPECT_EQ(RawClient(server->port()).post("/hold", std::string(800, 'x')).reply().status, 503);
  exchange->respond(200, "text/plain", "");
  EXPECT_EQ(first.reply().status, 200);
  first.post("/hold", std::string(800, 'x'));
  EXPECT_TRUE(held.get()) << "what was answered no longer counts";
}

TEST(Faults, end_requests_that_do_not_come_in_time) {
  const auto server = started(echo_router(), with([](Limits& limits) {
                                limits.header_timeout = Milliseconds{50};
                                limits.body_timeout = Milliseconds{50};
                              }));
  RawClient silent(server->port());
  EXPECT_TRUE(silent.is_closed()) << "nothing was asked, nothing is said";
  RawClient half(server->port());
  EXPECT_EQ(half.send("GET /echo HTTP/1.1\r\nHost:").reply().status, 408);
  RawClient body(server->port());
  EXPECT_EQ(
      body.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n1234").reply().status,
      408);
  EXPECT_TRUE(becomes_true([&] { return server->stats().dropped(DropReason::kTimeout) == 3; }));
}

TEST(Faults, end_a_body_that_only_trickles) {
  const auto server = started(echo_router(), with([](Limits& limits) {
                                limits.body_timeout = Milliseconds{100};
                                limits.body_bytes_per_second = 1000;
                              }));
  RawClient client(server->port());
  client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n");
  // A byte whenever the server has taken the last: there is progress all the time.
  std::uint64_t taken = 0;
  becomes_true([&] {
    const auto stats = server->stats();
    if (stats.bytes_in != taken) client.send("x");
    taken = stats.bytes_in;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return stats.dropped(DropReason::kTimeout) == 1;
  });
  EXPECT_EQ(client.reply().status, 408);
}

TEST(Faults, close_idle_connections) {
  const auto server =
      started(echo_router(), with([](Limits& limits) { limits.keep_alive_timeout = Milliseconds{30}; }));
  RawClient client(server->port());
  EXPECT_EQ(client.get("/echo").reply().status, 200);
  EXPECT_TRUE(client.is_closed());
  client.close();
  EXPECT_TRUE(becomes_true([&] { return server->stats().connections_open == 0; }));
  EXPECT_EQ(server->stats().dropped(DropReason::kTimeout), 0u) << "that is no fault";
}

TEST(Faults, refuse_connections_over_the_bounds) {
  const auto server = started(echo_router(), with([](Limits& limits) { limits.connections_per_remote = 2; }));
  RawClient first(server->port());
  RawClient second(server->port());
  EXPECT_EQ(first.get("/echo").reply().status, 200);
  EXPECT_EQ(second.get("/echo").reply().status, 200);
  {
    RawClient third(server->port());
    const Reply reply = third.reply();
    EXPECT_EQ(reply.status, 503);
    EXPECT_THAT(reply.body, HasSubstr("too_many_connections"));
    EXPECT_TRUE(third.is_closed());
  }
  EXPECT_EQ(server->stats().dropped(DropReason::kTooManyConnections), 1u);
  first.close();
  EXPECT_TRUE(becomes_true([&] { return server->stats().connections_open == 1; }));
  EXPECT_EQ(RawClient(server->port()).get("/echo").reply().status, 200);
}

TEST(Faults, tell_at_once_when_the_client_goes_in_mid_stream) {
  Streaming streaming;
  for (const bool by_reset : {false, true}) {
    RawClient client(streaming.server->port());
    client.get("/stream");
    auto stream = streaming.streams.get();
    ASSERT_TRUE(stream);
    stream->write("something");
    client.read_until("something");
    by_reset ? client.reset() : client.close();
    EXPECT_TRUE(streaming.gone.get()) << by_reset;
    EXPECT_TRUE(stream->gone());
    EXPECT_EQ(stream->write("more"), WriteResult::kGone);
    Handed<bool> late;
    stream->on_gone([&] { late.put(true); });
    EXPECT_TRUE(late.get()) << "also who asks later is told";
  }
  EXPECT_EQ(streaming.server->stats().dropped(DropReason::kGone), 2u);
}

TEST(Faults, tell_when_the_client_goes_before_an_answer_has_begun) {
  Streaming streaming;
  RawClient client(streaming.server->port());
  client.get("/wait");
  auto exchange = streaming.exchanges.get();
  ASSERT_TRUE(exchange);
  client.close();
  EXPECT_TRUE(streaming.gone.get());
  EXPECT_TRUE(exchange->gone());
  exchange->respond(200, "text/plain", "to nobody");
}

TEST(Faults, tell_when_a_client_goes_that_sent_more_than_is_read_ahead) {
  Streaming streaming;
  RawClient client(streaming.server->port());
  client.get("/wait");
  auto exchange = streaming.exchanges.get();
  ASSERT_TRUE(exchange);
  client.send(std::string(100'000, 'x'));
  client.close();
  EXPECT_TRUE(streaming.gone.get());
}

TEST(Faults, answer_head_without_holding_the_connection) {
  Streaming streaming;
  RawClient client(streaming.server->port());
  client.send("HEAD /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.reply(true).status, 200);
  EXPECT_TRUE(streaming.gone.get());
  EXPECT_EQ(client.get("/nowhere").reply().status, 404);
}

TEST(Faults, send_a_complete_answer_to_a_client_that_says_no_more) {
  const auto server = started(echo_router());
  RawClient client(server->port());
  client.get("/echo").half_close();
  EXPECT_EQ(client.reply().status, 200);
}

TEST(Faults, end_a_stream_whose_client_reads_too_slowly_while_others_feel_nothing) {
  Streaming streaming(with([](Limits& limits) {
    limits.outgoing_bytes = 64 << 10;
    limits.socket_send_buffer = 4096;
  }));
  RawClient slow(streaming.server->port(), 4096);
  slow.get("/stream");
  auto stream = streaming.streams.get();
  ASSERT_TRUE(stream);
  WriteResult result = WriteResult::kTaken;
  std::size_t taken = 0;
  while ((result = stream->write(std::string(1024, 'x'))) == WriteResult::kTaken && taken < (64 << 20)) {
    taken += 1024;
    // Half way the io thread has seen all that was written, and waits for the client alone.
    if (taken == 32 << 10) {
      EXPECT_EQ(RawClient(streaming.server->port()).get("/echo").reply().status, 200);
    }
  }
  EXPECT_EQ(result, WriteResult::kTooSlow);
  EXPECT_EQ(stream->write("more"), WriteResult::kGone);
  EXPECT_TRUE(streaming.gone.get());
  EXPECT_EQ(RawClient(streaming.server->port()).get("/echo").reply().status, 200);
  EXPECT_EQ(streaming.server->stats().dropped(DropReason::kSlowClient), 1u);
  slow.read_all();
  EXPECT_TRUE(slow.was_reset());
}

TEST(Faults, take_a_single_piece_of_any_size) {
  Streaming streaming(with([](Limits& limits) { limits.outgoing_bytes = 1000; }));
  RawClient client(streaming.server->port());
  client.get("/stream");
  auto stream = streaming.streams.get();
  ASSERT_TRUE(stream);
  EXPECT_EQ(stream->write(std::string(1 << 20, 'x')), WriteResult::kTaken);
  stream->finish();
  EXPECT_EQ(client.reply().body.size(), 1u << 20);
}

TEST(Faults, give_up_on_a_client_that_takes_nothing) {
  Router router;
  router.route("GET", "/big", [](const Request&, Exchange exchange) {
    exchange.respond(200, "text/plain", std::string(32 << 20, 'x'));
  });
  const auto server = started(std::move(router), with([](Limits& limits) {
                                limits.write_timeout = Milliseconds{100};
                                limits.socket_send_buffer = 4096;
                              }));
  RawClient client(server->port(), 4096);
  client.get("/big");
  EXPECT_TRUE(becomes_true([&] { return server->stats().dropped(DropReason::kSlowClient) == 1; }));
  EXPECT_TRUE(becomes_true([&] { return server->stats().connections_open == 0; }));
}

TEST(Faults, survive_random_bytes) {
  const auto server = started(echo_router());
  std::mt19937 random(20261129);
  const std::string tokens[] = {"GET ",
                                "POST ",
                                "/echo",
                                " HTTP/1.1\r\n",
                                "Host: localhost\r\n",
                                "Content-Length: ",
                                "\r\n\r\n",
                                "chunked\r\n",
                                "0\r\n",
                                "ffffffffffffffff\r\n",
                                "Transfer-Encoding: ",
                                "%",
                                ":",
                                "\n",
                                "Upgrade: websocket\r\n"};
  for (int i = 0; i < 1000; ++i) {
    std::string bytes;
    for (auto n = random() % 20; n > 0; --n) {
      if (random() % 2 == 0)
        bytes += tokens[random() % std::size(tokens)];
      else
        for (auto m = random() % 30; m > 0; --m) bytes += static_cast<char>(random());
    }
    RawClient client(server->port());
    client.send(bytes);
    if (random() % 3 == 0) client.reset();
  }
  EXPECT_EQ(RawClient(server->port()).get("/echo").reply().status, 200);
  EXPECT_TRUE(becomes_true([&] { return server->stats().connections_open <= 1; }));
}

TEST(Faults, survive_clients_that_go_at_any_byte_of_request_and_answer) {
  Streaming streaming;
  const std::string request = "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc";
  for (std::size_t i = 0; i <= request.size(); ++i) {
    RawClient(streaming.server->port()).send(request.substr(0, i)).reset();
    RawClient(streaming.server->port()).send(request + request.substr(0, i)).close();
  }
  EXPECT_TRUE(becomes_true([&] { return streaming.server->stats().connections_open == 0; }));
  EXPECT_EQ(streaming.server->stats().requests_open, 0u);
}

TEST(Faults, let_no_foreign_page_or_rebound_name_in) {
  const auto server = started(echo_router());
  const auto status = [&](const std::string& headers) {
    return RawClient(server->port()).send("GET /echo HTTP/1.1\r\n" + headers + "\r\n").reply().status;
  };
  EXPECT_EQ(status("Host: evil.example.com\r\n"), 403)
      << "without keys a name that isn't ours is one rebound to us";
  EXPECT_EQ(status("Host: 127.0.0.1:8080\r\n"), 200);
  EXPECT_EQ(status("Host: [::1]:8080\r\n"), 200);
  EXPECT_EQ(status("Host: localhost:80\r\nOrigin: https://evil.example.com\r\n"), 403);
  EXPECT_EQ(status("Host: localhost:80\r\nOrigin: null\r\n"), 403);
  EXPECT_EQ(status("Host: localhost:8080\r\nOrigin: http://localhost:8080\r\n"), 200);
}

}  // namespace
}  // namespace braid::net
