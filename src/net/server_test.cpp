// Requests and answers over real sockets: the ordinary cases.
#include <gmock/gmock.h>

#include "http_for_tests.h"

namespace braid::net {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Router echo_router() {
  Router router;
  router.route("GET", "/echo", echo)
      .route("POST", "/echo", echo)
      .route("GET", "/items/{id}", [](auto request, auto exchange) {
        exchange.respond(
            200, "text/plain",
            std::string(request.param("id")) + ' ' + std::string(request.query_value("q").value_or("-")));
      });
  return router;
}

TEST(Server, answers_and_keeps_the_connection) {
  const auto server = started(echo_router());
  RawClient client(server->port());
  const Reply first = client.get("/echo").reply();
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.body, "GET /echo ");
  EXPECT_EQ(first.header("content-type"), "text/plain");
  EXPECT_EQ(first.header("x-content-type-options"), "nosniff");
  EXPECT_EQ(first.header("x-frame-options"), "DENY");
  EXPECT_EQ(first.header("referrer-policy"), "no-referrer");
  EXPECT_THAT(first.header("x-request-id"), StartsWith("req_"));
  const Reply second = client.post("/echo", "hello").reply();
  EXPECT_EQ(second.body, "POST /echo hello");
  EXPECT_NE(second.header("x-request-id"), first.header("x-request-id"));
  EXPECT_EQ(server->stats().connections, 1u);
  EXPECT_EQ(server->stats().by_class[2], 2u);
}

TEST(Server, answers_pipelined_requests_in_their_order) {
  const auto server = started(echo_router());
  RawClient client(server->port());
  std::string all;
  for (int i = 0; i < 50; ++i)
    all += "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n" + std::to_string(10 + i);
  client.send(all);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(client.reply().body, "POST /echo " + std::to_string(10 + i));
}

TEST(Server, takes_a_request_byte_by_byte_and_a_chunked_body) {
  const auto server = started(echo_router());
  RawClient client(server->port());
  const std::string request =
      "POST /echo HTTP/1.1\r\nHost: x.localhost\r\nTransfer-Encoding: "
      "chunked\r\n\r\n3\r\nabc\r\n2;a=b\r\nde\r\n0\r\nX: y\r\n\r\n";
  for (const char c : request) client.send({&c, 1});
  EXPECT_EQ(client.reply().body, "POST /echo abcde");
}

TEST(Server, finds_routes_parameters_and_queries) {
  const auto server = started(echo_router());
  RawClient client(server->port());
  EXPECT_EQ(client.get("/items/a%20b?q=1+2&r").reply().body, "a b 1 2");
  EXPECT_EQ(client.get("/items/%E2%82%AC").reply().body, "\xE2\x82\xAC -");
  EXPECT_EQ(client.get("/items/").reply().status, 404);
  EXPECT_EQ(client.get("/other").reply().status, 404);
  const Reply wrong = client.send("DELETE /echo HTTP/1.1\r\nHost: localhost\r\n\r\n").reply();
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.header("allow"), "GET, HEAD, OPTIONS, POST");
  EXPECT_THAT(wrong.body, HasSubstr(R"("code":"method_not_allowed")"));
  const Reply options = client.send("OPTIONS /echo HTTP/1.1\r\nHost: localhost\r\n\r\n").reply();
  EXPECT_EQ(options.status, 204);
  EXPECT_EQ(options.header("allow"), "GET, HEAD, OPTIONS, POST");
  EXPECT_EQ(options.header("access-control-allow-methods"), "-");
  EXPECT_EQ(client.send("GET http://localhost/echo HTTP/1.1\r\nHost: localhost\r\n\r\n").reply().status, 200);
}

TEST(Server, prefers_a_literal_segment_of_the_same_method) {
  Router router;
  const auto says = [](const char* word) {
    return [word](const Request&, Exchange exchange) { exchange.respond(200, "text/plain", word); };
  };
  router.route("GET", "/a/{x}", says("any")).route("GET", "/a/b", says("b")).route("POST", "/a/c", says("c"));
  const auto server = started(std::move(router));
  RawClient client(server->port());
  EXPECT_EQ(client.get("/a/b").reply().body, "b");
  EXPECT_EQ(client.get("/a/c").reply().body, "any");
  EXPECT_EQ(client.post("/a/c", "").reply().body, "c");
}

TEST(Server, answers_head_as_get_without_the_body) {
  const auto server = started(echo_router());
  RawClient client(server->port());
  const Reply head = client.send("HEAD /echo HTTP/1.1\r\nHost: localhost\r\n\r\n").reply(true);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("content-length"), "11");
  EXPECT_EQ(client.get("/echo").reply().body, "GET /echo ") << "nothing of a body was between";
}

TEST(Server, streams_chunks_from_another_thread) {
  Handed<Stream> handed;
  Router router;
  router.route("GET", "/stream",
               [&](const Request&, Exchange exchange) { handed.put(exchange.stream(200, "text/plain")); });
  const auto server = started(std::move(router));
  RawClient client(server->port());
  client.get("/stream");
  auto stream = handed.get();
  ASSERT_TRUE(stream);
  EXPECT_THAT(client.read_until("\r\n\r\n"), HasSubstr("Transfer-Encoding: chunked"));
  EXPECT_EQ(stream->write("one"), WriteResult::kTaken);
  EXPECT_EQ(client.read_until("one\r\n"), "3\r\none\r\n") << "it comes before the next is written";
  EXPECT_EQ(stream->write("two"), WriteResult::kTaken);
  stream->finish();
  EXPECT_EQ(stream->write("three"), WriteResult::kGone);
  EXPECT_EQ(client.read_until("0\r\n\r\n"), "3\r\ntwo\r\n0\r\n\r\n");
  client.get("/stream");
  EXPECT_TRUE(handed.get()) << "the connection goes on";
}

TEST(Server, ends_a_stream_by_closing_for_http_1_0) {
  Router router;
  router.route("GET", "/stream", [](const Request&, Exchange exchange) {
    Stream stream = exchange.stream(200, "text/plain");
    stream.write("one");
    stream.write("two");
    stream.finish();
  });
  const auto server = started(std::move(router));
  RawClient client(server->port());
  const Reply reply = client.send("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").reply();
  EXPECT_EQ(reply.body, "onetwo");
  EXPECT_EQ(reply.header("connection"), "close");
}

TEST(Server, closes_after_connection_close) {
  const auto server = started(echo_router());
  RawClient client(server->port());
  EXPECT_EQ(client.get("/echo", "Connection: close\r\n").reply().header("connection"), "close");
  EXPECT_TRUE(client.is_closed());
}

TEST(Server, says_500_when_a_handler_drops_its_exchange_or_throws) {
  Router router;
  router.route("GET", "/drop", [](const Request&, const Exchange&) {});
  router.route("GET", "/throw", [](const Request&, const Exchange&) { throw std::runtime_error("broken"); });
  const auto server = started(std::move(router));
  RawClient client(server->port());
  EXPECT_EQ(client.get("/drop").reply().status, 500);
  EXPECT_EQ(client.get("/throw").reply().status, 500);
  EXPECT_EQ(server->stats().dropped(DropReason::kAborted), 2u);
}

TEST(Server, ends_a_dropped_stream_without_its_last_chunk) {
  Router router;
  router.route("GET", "/drop",
               [](const Request&, Exchange exchange) { exchange.stream(200, "text/plain").write("half"); });
  const auto server = started(std::move(router));
  const Reply reply = RawClient(server->port()).get("/drop").reply();
  EXPECT_EQ(reply.body, "half");
  EXPECT_FALSE(reply.whole);
}

TEST(Server, ignores_a_second_answer) {
  Router router;
  router.route("GET", "/", [](const Request&, Exchange exchange) {
    exchange.respond(200, "text/plain", "first");
    exchange.respond(500, "text/plain", "second");
    EXPECT_EQ(exchange.stream(200, "text/plain").write("third"), WriteResult::kGone);
  });
  const auto server = started(std::move(router));
  EXPECT_EQ(RawClient(server->port()).get("/").reply().body, "first");
}

TEST(Server, leaves_out_headers_that_would_break_the_answer) {
  Router router;
  router.route("GET", "/", [](const Request&, Exchange exchange) {
    exchange.respond(
        200, "text/plain", "",
        {{"X-Bad", "a\r\nX-Evil: 1"}, {"Bad Name", "x"}, {"Content-Length", "7"}, {"X-Good", "1"}});
  });
  const auto server = started(std::move(router));
  const Reply reply = RawClient(server->port()).get("/").reply();
  EXPECT_EQ(reply.header("x-evil"), "-");
  EXPECT_EQ(reply.header("x-bad"), "-");
  EXPECT_EQ(reply.header("content-length"), "0");
  EXPECT_EQ(reply.header("x-good"), "1");
}

TEST(Server, asks_for_the_body_where_the_client_waits_for_that) {
  const auto server = started(echo_router());
  RawClient client(server->port());
  client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.reply().status, 100);
  EXPECT_EQ(client.send("hello").reply().body, "POST /echo hello");
  client.send(
      "POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.reply().status, 404) << "without having asked for it";
}

TEST(Server, serves_many_io_threads) {
  ServerOptions options;
  options.threads = 3;
  const auto server = started(echo_router(), options);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(RawClient(server->port()).get("/echo").reply().status, 200);
}

}  // namespace
}  // namespace braid::net
