// WebSockets over real sockets, frame by frame.
#include <gmock/gmock.h>

#include "http_for_tests.h"

namespace braid::net {
namespace {

using testing::HasSubstr;

enum Opcode : unsigned char { kContinuation = 0, kText = 1, kBinary = 2, kClose = 8, kPing = 9, kPong = 10 };

/// A client's frame: masked, as RFC 6455 wants it.
std::string frame(Opcode opcode, const std::string& payload, bool last = true) {
  std::string bytes;
  bytes.push_back(static_cast<char>((last ? 0x80 : 0) | opcode));
  if (payload.size() < 126) {
    bytes += static_cast<char>(0x80 | payload.size());
  } else {
    const bool is_short = payload.size() < 65536;
    bytes += static_cast<char>(0x80 | (is_short ? 126 : 127));
    for (int shift = is_short ? 8 : 56; shift >= 0; shift -= 8)
      bytes += static_cast<char>(payload.size() >> shift);
  }
  const std::string mask = "mask";
  bytes += mask;
  for (std::size_t i = 0; i < payload.size(); ++i) bytes += static_cast<char>(payload[i] ^ mask[i % 4]);
  return bytes;
}

std::string close_payload(unsigned code, const std::string& reason = "") {
  std::string bytes{static_cast<char>(code >> 8), static_cast<char>(code & 255)};
  return bytes.append(reason);
}

struct Frame {
  int opcode = -1;  ///< -1: the connection ended
  std::string payload;

  unsigned close_code() const {
    return payload.size() < 2
               ? 0
               : static_cast<unsigned char>(payload[0]) * 256u + static_cast<unsigned char>(payload[1]);
  }
};

Frame read_frame(RawClient& client) {
  const std::string head = client.read_exactly(2);
  if (head.size() < 2) return {};
  std::size_t size = static_cast<unsigned char>(head[1]) & 127;
  if (size >= 126) {
    const std::string more = client.read_exactly(size == 126 ? 2 : 8);
    size = 0;
    for (const char c : more) size = size << 8 | static_cast<unsigned char>(c);
  }
  return {head[0] & 15, client.read_exactly(size)};
}

void ask(RawClient& client, const std::string& path = "/ws", const std::string& more = "") {
  client.send("GET " + path +
              " HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n" +
              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n" + more + "\r\n");
}

using Closed = std::pair<std::uint16_t, std::string>;

const WebSocketRouteOptions kOpen{.open = true, .key_subprotocol = {}};

/// A server that echoes messages at /ws, and hands the socket to the test at /hand.
struct Echoing {
  explicit Echoing(ServerOptions options = {}) {
    Router router;
    router.websocket("/ws",
                     [this](const Request& request, Upgrade upgrade) {
                       const bool speaks = std::find(request.subprotocols.begin(), request.subprotocols.end(),
                                                     "realtime") != request.subprotocols.end();
                       auto socket = std::make_shared<WebSocket>(upgrade.accept(speaks ? "realtime" : ""));
                       socket->start({[socket](std::string message, bool text) {
                                        text ? socket->send(std::move(message))
                                             : socket->send_binary(std::move(message));
                                      },
                                      [this](std::uint16_t code, std::string reason) {
                                        closed.put({code, std::move(reason)});
                                      },
                                      {}});
                     },
                     {.open = false, .key_subprotocol = "key."});
    router.websocket(
        "/hand", [this](const Request&, Upgrade upgrade) { sockets.put(upgrade.accept()); }, kOpen);
    router.websocket(
        "/refuse",
        [](const Request&, Upgrade upgrade) {
          upgrade.refuse({404, "no such model", {}, "model", {}});
        },
        kOpen);
    router.websocket(
        "/drop", [](const Request&, const Upgrade&) {}, kOpen);
    server = started(std::move(router), std::move(options));
  }
  WebSocketEvents note() {
    return {{},
            [this](std::uint16_t code, std::string reason) {
              closed.put({code, std::move(reason)});
            },
            {}};
  }

  Handed<Closed> closed;
  Handed<WebSocket> sockets;
  std::unique_ptr<Server> server;
};

ServerOptions with(const std::function<void(Limits&)>& change) {
  ServerOptions options;
  change(options.limits);
  return options;
}

TEST(WebSocket, switches_protocols_and_echoes) {
  Echoing echoing;
  RawClient client(echoing.server->port());
  ask(client);
  const Reply reply = client.reply();
  EXPECT_EQ(reply.status, 101);
  EXPECT_EQ(reply.header("sec-websocket-accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  EXPECT_EQ(reply.header("sec-websocket-protocol"), "-");
  EXPECT_THAT(reply.header("x-request-id"), HasSubstr("req_"));
  EXPECT_EQ(read_frame(client.send(frame(kText, "hello"))).payload, "hello");
  const Frame binary = read_frame(client.send(frame(kBinary, std::string(100'000, '\xff'))));
  EXPECT_EQ(binary.opcode, kBinary);
  EXPECT_EQ(binary.payload.size(), 100'000u);
  EXPECT_EQ(read_frame(client.send(frame(kPing, "p"))).opcode, kPong);
  client.send(frame(kText, "a\xE2", false) + frame(kPing, "") +
              frame(kContinuation,
                    "\x82\xAC"
                    "b"));
  EXPECT_EQ(read_frame(client).opcode, kPong);
  EXPECT_EQ(read_frame(client).payload,
            "a\xE2\x82\xAC"
            "b")
      << "put together, with a control frame in between";
  EXPECT_EQ(echoing.server->stats().web_sockets_open, 1u);
  const Frame close = read_frame(client.send(frame(kClose, close_payload(1000, "bye"))));
  EXPECT_EQ(close.close_code(), 1000u);
  EXPECT_EQ(echoing.closed.get(), Closed(1000, "bye"));
  EXPECT_TRUE(client.is_closed());
}

TEST(WebSocket, closes_with_the_code_that_says_what_was_wrong) {
  Echoing echoing(with([](Limits& limits) { limits.message_bytes = 1000; }));
  const std::string unmasked("\x81\x05hello", 7);
  std::string reserved_bits = frame(kText, "x");
  reserved_bits[0] = '\xF1';
  std::string reserved_opcode = frame(kText, "x");
  reserved_opcode[0] = '\x83';
  const std::string long_ping = frame(kPing, std::string(200, 'x'));
  const std::pair<std::string, unsigned> cases[] = {
      {frame(kText, "\xff\xfe"), 1007},
      {frame(kText, "\xE2", false) + frame(kContinuation, "x"), 1007},
      {frame(kText, std::string(1001, 'x')), 1009},
      {frame(kText, std::string(600, 'x'), false) + frame(kContinuation, std::string(600, 'x')), 1009},
      {unmasked, 1002},
      {reserved_bits, 1002},
      {reserved_opcode, 1002},
      {long_ping, 1002},
      {frame(kContinuation, "x"), 1002},
      {frame(kText, "x", false) + frame(kText, "y"), 1002},
      {frame(kPing, "x", false), 1002},
      {frame(kClose, "x"), 1002},
      {frame(kClose, close_payload(1005)), 1002},
  };
  for (const auto& [bytes, code] : cases) {
    RawClient client(echoing.server->port());
    ask(client);
    EXPECT_EQ(client.reply().status, 101);
    client.send(bytes);
    Frame last = read_frame(client);
    EXPECT_EQ(last.opcode, kClose) << code << ", frame of " << bytes.size();
    EXPECT_EQ(last.close_code(), code) << code << ", frame of " << bytes.size();
    const auto closed = echoing.closed.get();
    ASSERT_TRUE(closed);
    EXPECT_EQ(closed->first, code) << code << ", frame of " << bytes.size();
  }
  EXPECT_EQ(echoing.server->stats().dropped(DropReason::kTooLarge), 2u);
  EXPECT_EQ(echoing.server->stats().dropped(DropReason::kMalformed), std::size(cases) - 2);
}

TEST(WebSocket, chooses_a_subprotocol_and_takes_the_key_from_another) {
  ServerOptions options;
  options.authorise = [](const Request& request) {
    return request.token == "sesame" ? std::optional<Caller>({"anna", "hash"}) : std::nullopt;
  };
  Echoing echoing(options);
  RawClient client(echoing.server->port());
  ask(client, "/ws", "Sec-WebSocket-Protocol: realtime, key.sesame\r\n");
  const Reply reply = client.reply();
  EXPECT_EQ(reply.status, 101);
  EXPECT_EQ(reply.header("sec-websocket-protocol"), "realtime");
  EXPECT_THAT(reply.head, testing::Not(HasSubstr("sesame")));
  RawClient stranger(echoing.server->port());
  ask(stranger, "/ws", "Sec-WebSocket-Protocol: realtime, key.other\r\n");
  EXPECT_EQ(stranger.reply().status, 401);
}

TEST(WebSocket, is_closed_when_its_key_is_taken_away) {
  ServerOptions options;
  options.authorise = [](const Request& request) { return Caller{request.token, request.token}; };
  Echoing echoing(options);
  RawClient taken(echoing.server->port()), other(echoing.server->port());
  ask(taken, "/ws", "Authorization: Bearer anna\r\n");
  EXPECT_EQ(taken.reply().status, 101);
  ask(other, "/ws", "Authorization: Bearer otto\r\n");
  EXPECT_EQ(other.reply().status, 101);
  echoing.server->check_keys([](const std::string& key) { return key != "anna"; });
  const std::string frame = taken.read_until("any more");
  EXPECT_THAT(frame, HasSubstr("\x03\xf0the API key is not valid")) << "1008";
  EXPECT_EQ(echoing.server->stats().dropped(DropReason::kKeyRemoved), 1u);
}

TEST(WebSocket, answers_plainly_where_there_is_none) {
  Echoing echoing;
  RawClient client(echoing.server->port());
  EXPECT_EQ(client.get("/refuse").reply().status, 426);
  ask(client, "/refuse");
  const Reply refused = client.reply();
  EXPECT_EQ(refused.status, 404);
  EXPECT_THAT(refused.body, HasSubstr(R"("param":"model")"));
  ask(client, "/drop");
  EXPECT_EQ(client.reply().status, 500);
  ask(client, "/nowhere");
  EXPECT_EQ(client.reply().status, 404);
  RawClient foreign(echoing.server->port());
  ask(foreign, "/ws", "Origin: https://evil.example.com\r\n");
  EXPECT_EQ(foreign.reply().status, 403);
  RawClient hasty(echoing.server->port());
  hasty.send(
      "GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: "
      "Upgrade\r\nSec-WebSocket-Key: "
      "dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n" +
      frame(kText, "early"));
  EXPECT_EQ(hasty.reply().status, 400);
  RawClient old(echoing.server->port());
  old.send("GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
  EXPECT_EQ(old.reply().status, 400);
  EXPECT_EQ(echoing.closed.get(), Closed(1006, "the handshake failed"));
}

TEST(WebSocket, sends_from_any_thread_and_closes_after_what_was_sent) {
  Echoing echoing;
  RawClient client(echoing.server->port());
  ask(client, "/hand");
  auto socket = echoing.sockets.get();
  ASSERT_TRUE(socket);
  EXPECT_EQ(socket->send("one"), WriteResult::kTaken) << "also before it was started";
  socket->start(echoing.note());
  EXPECT_EQ(socket->send("two"), WriteResult::kTaken);
  socket->close(4000, "enough");
  EXPECT_EQ(socket->send("three"), WriteResult::kGone);
  EXPECT_EQ(client.reply().status, 101);
  EXPECT_EQ(read_frame(client).payload, "one");
  EXPECT_EQ(read_frame(client).payload, "two");
  const Frame close = read_frame(client);
  EXPECT_EQ(close.close_code(), 4000u);
  client.send(frame(kClose, close.payload));
  EXPECT_EQ(echoing.closed.get(), Closed(4000, "enough"));
}

TEST(WebSocket, closes_when_its_handle_is_dropped) {
  Echoing echoing;
  RawClient client(echoing.server->port());
  ask(client, "/hand");
  echoing.sockets.get();
  EXPECT_EQ(client.reply().status, 101);
  EXPECT_EQ(read_frame(client).close_code(), 1001u);
}

TEST(WebSocket, tells_when_the_client_vanishes) {
  Echoing echoing;
  for (const bool by_reset : {false, true}) {
    RawClient client(echoing.server->port());
    ask(client);
    EXPECT_EQ(client.reply().status, 101);
    client.send(frame(kText, "half of something").substr(0, 9));
    by_reset ? client.reset() : client.close();
    const auto closed = echoing.closed.get();
    ASSERT_TRUE(closed);
    EXPECT_EQ(closed->first, 1006);
  }
  EXPECT_EQ(echoing.server->stats().dropped(DropReason::kGone), 2u);
  EXPECT_TRUE(becomes_true([&] { return echoing.server->stats().web_sockets_open == 0; }));
}

TEST(WebSocket, ends_one_that_answers_no_ping) {
  Echoing echoing(with([](Limits& limits) { limits.web_socket_timeout = Milliseconds{100}; }));
  RawClient client(echoing.server->port());
  ask(client);
  EXPECT_EQ(client.reply().status, 101);
  EXPECT_EQ(read_frame(client).opcode, kPing);
  EXPECT_EQ(echoing.closed.get(), Closed(1006, "the client didn't answer in time"));
  EXPECT_EQ(echoing.server->stats().dropped(DropReason::kTimeout), 1u);
}

TEST(WebSocket, ends_one_that_reads_too_slowly) {
  Echoing echoing(with([](Limits& limits) {
    limits.outgoing_bytes = 64 << 10;
    limits.socket_send_buffer = 4096;
  }));
  RawClient client(echoing.server->port(), 4096);
  ask(client, "/hand");
  auto socket = echoing.sockets.get();
  ASSERT_TRUE(socket);
  socket->start(echoing.note());
  WriteResult result = WriteResult::kTaken;
  for (int i = 0; i < 64 << 10 && result == WriteResult::kTaken; ++i) {
    result = socket->send(std::string(1024, 'x'));
    // Half way the io thread has seen all that was sent, and waits for the client alone.
    if (i == 32) {
      EXPECT_EQ(RawClient(echoing.server->port()).get("/ws").reply().status, 426);
    }
  }
  EXPECT_EQ(result, WriteResult::kTooSlow);
  EXPECT_EQ(echoing.closed.get(), Closed(1006, "the client reads too slowly"));
  EXPECT_TRUE(socket->gone());
  EXPECT_EQ(echoing.server->stats().dropped(DropReason::kSlowClient), 1u);
}

TEST(WebSocket, holds_the_client_back_while_nothing_is_read) {
  Echoing echoing;
  RawClient client(echoing.server->port());
  ask(client, "/hand");
  auto socket = echoing.sockets.get();
  ASSERT_TRUE(socket);
  Handed<std::string> messages;
  socket->set_reading(false);
  socket->start({[&](std::string message, bool) { messages.put(std::move(message)); }, {}, {}});
  EXPECT_EQ(client.reply().status, 101);
  client.send(frame(kText, "first"));
  socket->send("sent meanwhile");
  EXPECT_EQ(read_frame(client).payload, "sent meanwhile");
  socket->set_reading(true);
  EXPECT_EQ(messages.get(), "first");
}

TEST(WebSocket, is_told_that_the_server_stops_or_closed_then) {
  Echoing echoing;
  RawClient told(echoing.server->port());
  ask(told, "/hand");
  auto socket = echoing.sockets.get();
  ASSERT_TRUE(socket);
  WebSocketEvents events;
  events.on_stopping = [&] {
    socket->send("last words");
    socket->close(1001);
  };
  socket->start(std::move(events));
  EXPECT_EQ(told.reply().status, 101);
  RawClient closed(echoing.server->port());
  ask(closed);
  EXPECT_EQ(closed.reply().status, 101);
  std::thread stopping([&] { echoing.server->stop(Milliseconds{10'000}); });
  EXPECT_EQ(read_frame(told).payload, "last words");
  EXPECT_EQ(read_frame(told).close_code(), 1001u);
  EXPECT_EQ(read_frame(closed).close_code(), 1001u);
  told.close();
  closed.close();
  stopping.join();
}

}  // namespace
}  // namespace braid::net
