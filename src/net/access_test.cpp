// Keys, CORS, static files, starting and stopping.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <zlib.h>

#include <filesystem>

#include "braid/base/virtual_clock.h"
#include "braid/net/key_store.h"
#include "braid/net/sse.h"
#include "files_for_tests.h"
#include "http_for_tests.h"

namespace braid::net {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string gunzip(const std::string& zipped) {
  z_stream zip{};
  EXPECT_EQ(inflateInit2(&zip, 15 + 16), Z_OK);
  std::string bytes(1 << 20, '\0');
  std::string in = zipped;
  zip.next_in = reinterpret_cast<Bytef*>(in.data());
  zip.avail_in = static_cast<uInt>(in.size());
  zip.next_out = reinterpret_cast<Bytef*>(bytes.data());
  zip.avail_out = static_cast<uInt>(bytes.size());
  EXPECT_EQ(inflate(&zip, Z_FINISH), Z_STREAM_END);
  bytes.resize(zip.total_out);
  inflateEnd(&zip);
  return bytes;
}

TEST(StaticFiles, come_zipped_where_that_is_taken_and_not_again_while_they_are_fresh) {
  std::string script;
  for (int i = 0; i < 200; ++i) script += "console.log('again and again');\n";
  const StaticFile files[] = {{"/", "text/html", "<p>home", {}},
                              {"/app.js", "text/javascript", script, "v1"}};
  Router router;
  router.static_files(files);
  const auto server = started(std::move(router));
  RawClient client(server->port());

  const Reply home = client.get("/", "Accept-Encoding: gzip\r\n").reply();
  EXPECT_EQ(home.body, "<p>home");
  EXPECT_EQ(home.header("content-encoding"), "-") << "too small to save anything";
  EXPECT_THAT(home.header("content-security-policy"), HasSubstr("default-src 'self'"));
  EXPECT_THAT(home.header("content-security-policy"), HasSubstr("media-src 'self' blob: data:"));

  const Reply plain = client.get("/app.js").reply();
  EXPECT_EQ(plain.body, script);
  EXPECT_EQ(plain.header("etag"), "\"v1\"");
  EXPECT_EQ(plain.header("vary"), "Accept-Encoding");
  const Reply zipped = client.get("/app.js", "Accept-Encoding: br, gzip;q=0.5\r\n").reply();
  EXPECT_EQ(zipped.header("content-encoding"), "gzip");
  EXPECT_LT(zipped.body.size(), script.size() / 2);
  EXPECT_EQ(gunzip(zipped.body), script);
  EXPECT_EQ(client.get("/app.js", "Accept-Encoding: gzip;q=0, *\r\n").reply().header("content-encoding"),
            "-");

  const Reply fresh = client.get("/app.js", "If-None-Match: \"other\", W/\"v1-gz\"\r\n").reply();
  EXPECT_EQ(fresh.status, 304);
  EXPECT_EQ(fresh.header("content-length"), "-");
  EXPECT_EQ(client.get("/app.js", "If-None-Match: \"v0\"\r\n").reply().status, 200);
  EXPECT_EQ(client.send("HEAD /app.js HTTP/1.1\r\nHost: localhost\r\n\r\n").reply(true).status, 200);
  EXPECT_EQ(client.post("/app.js", "").reply().status, 405);
  EXPECT_EQ(client.get("/app.jss").reply().status, 404);
}

TEST(Cors, is_off_unless_origins_are_listed) {
  ServerOptions options;
  options.cors_origins = {"https://app.example.com"};
  Router router;
  router.route("POST", "/echo", echo);
  const auto server = started(std::move(router), options);
  RawClient client(server->port());
  const Reply asked =
      client
          .send(
              "OPTIONS /echo HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.example.com\r\n"
              "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: authorization, "
              "x-a\r\n\r\n")
          .reply();
  EXPECT_EQ(asked.status, 204);
  EXPECT_EQ(asked.header("access-control-allow-origin"), "https://app.example.com");
  EXPECT_EQ(asked.header("access-control-allow-methods"), "OPTIONS, POST");
  EXPECT_EQ(asked.header("access-control-allow-headers"), "authorization, x-a");
  const Reply posted = client.post("/echo", "x", "Origin: https://app.example.com\r\n").reply();
  EXPECT_EQ(posted.header("access-control-allow-origin"), "https://app.example.com");
  EXPECT_EQ(posted.header("vary"), "Origin");
  EXPECT_EQ(client.post("/echo", "x", "Origin: https://other.example.com\r\n").reply().status, 403);
  const std::string both = "Origin: https://app.example.com\r\nOrigin: https://other.example.com\r\n";
  EXPECT_EQ(RawClient(server->port()).post("/echo", "x", both).reply().status, 400);
  EXPECT_EQ(client.post("/echo", "x").reply().header("access-control-allow-origin"), "-");
}

/// What a store makes of a file that changed: it looks twice.
void let_it_look(KeyStore& store, Clock& clock) {
  for (int i = 0; i < 2; ++i) {
    clock.sleep_for(std::chrono::seconds(1));
    store.generation();
  }
}

TEST(Keys, let_in_who_has_one_and_follow_their_file) {
  VirtualClock clock;
  const TemporaryFile file(key_line("first", "anna") + "\n# a comment\n\n" + key_line("second") + "  \n");
  auto store = KeyStore::open(file.path(), clock);
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_EQ((*store)->find("first")->name, "anna");
  const std::string second = key_line("second");
  EXPECT_EQ((*store)->find("second")->name, "key-" + second.substr(0, 12)) << "wherever its line is";
  EXPECT_EQ((*store)->find("second")->key, second);
  const std::uint64_t generation = (*store)->generation();
  EXPECT_EQ((*store)->find("third"), std::nullopt);
  EXPECT_EQ((*store)->find(""), std::nullopt);

  file.write(key_line("third", "otto") + "\n");
  EXPECT_EQ((*store)->find("third"), std::nullopt) << "looked at once a second";
  clock.sleep_for(std::chrono::seconds(1));
  EXPECT_EQ((*store)->find("third"), std::nullopt) << "it may be being written";
  let_it_look(**store, clock);
  EXPECT_EQ((*store)->find("third")->name, "otto");
  EXPECT_EQ((*store)->find("first"), std::nullopt);
  EXPECT_TRUE((*store)->has_name("otto"));
  EXPECT_FALSE((*store)->has_name("anna"));
  EXPECT_TRUE((*store)->has_line(key_line("third")));
  EXPECT_FALSE((*store)->has_line(key_line("first")));
  EXPECT_NE((*store)->generation(), generation);

  for (const char* broken : {"third otto\n", "", "# nobody\n"}) {
    file.write(broken);
    let_it_look(**store, clock);
    EXPECT_EQ((*store)->find("third")->name, "otto") << "a broken file leaves them as they were: " << broken;
  }
}

TEST(Keys, stay_in_force_where_their_file_is_replaced_by_what_is_none) {
  VirtualClock clock;
  const TemporaryFile file(key_line("first", "anna") + "\n");
  auto store = KeyStore::open(file.path(), clock);
  ASSERT_TRUE(store);
  const auto replace = [&](auto make) {
    std::filesystem::remove_all(file.path());
    make(file.path());
    let_it_look(**store, clock);
  };
  replace([](const std::string& path) { ASSERT_EQ(mkfifo(path.c_str(), 0600), 0); });
  EXPECT_EQ((*store)->find("first")->name, "anna") << "nor does it wait for a writer";
  replace([](const std::string& path) { std::filesystem::create_directory(path); });
  EXPECT_EQ((*store)->find("first")->name, "anna");
  replace([](const std::string&) {});
  EXPECT_EQ((*store)->find("first")->name, "anna");
  EXPECT_EQ(KeyStore::open("/dev/null", clock).error().code, ErrorCode::kBadInput);
}

TEST(Keys, refuse_a_file_that_holds_a_key_itself_without_showing_it) {
  VirtualClock clock;
  const TemporaryFile file(key_line("first") + "\nbraid-secret anna\n");
  const auto store = KeyStore::open(file.path(), clock);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, ErrorCode::kBadInput);
  EXPECT_THAT(store.error().message, HasSubstr("line 2"));
  EXPECT_THAT(store.error().message, Not(HasSubstr("secret")));
  EXPECT_EQ(KeyStore::open(file.path() + ".none", clock).error().code, ErrorCode::kNotFound);
}

TEST(Keys, are_long_and_differ) {
  const auto a = make_key();
  const auto b = make_key();
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->size(), 6u + 43u);
  EXPECT_NE(*a, *b);
}

TEST(Server, wants_a_key_where_one_is_set) {
  VirtualClock clock;
  const TemporaryFile file(key_line("sesame", "anna") + "\n");
  ServerOptions options;
  options.authorise = KeyStore::rule(*KeyStore::open(file.path(), clock));
  Router router;
  router.route("GET", "/health", echo, {.open = true});
  router.route("GET", "/who", [](const Request& request, Exchange exchange) {
    exchange.respond(200, "text/plain", request.key_name);
  });
  const auto server = started(std::move(router), options);
  RawClient client(server->port());
  EXPECT_EQ(client.get("/who", "Authorization: Bearer sesame\r\n").reply().body, "anna");
  const Reply none = client.get("/who").reply();
  EXPECT_EQ(none.status, 401);
  EXPECT_EQ(none.header("www-authenticate"), "Bearer");
  EXPECT_THAT(none.body, HasSubstr("missing_api_key"));
  EXPECT_THAT(client.get("/who", "Authorization: Bearer wrong\r\n").reply().body,
              HasSubstr("invalid_api_key"));
  EXPECT_EQ(client.get("/health").reply().status, 200);
}

TEST(Server, ends_answers_to_a_key_that_was_taken_away) {
  ServerOptions options;
  options.authorise = [](const Request& request) { return Caller{request.token, request.token}; };
  Handed<Stream> streams;
  Router router;
  router.route("GET", "/",
               [&](const Request&, Exchange exchange) { streams.put(exchange.stream(200, "text/plain")); });
  const auto server = started(std::move(router), options);
  RawClient taken(server->port()), other(server->port());
  taken.get("/", "Authorization: Bearer anna\r\n");
  auto first = streams.get();
  other.get("/", "Authorization: Bearer otto\r\n");
  auto second = streams.get();
  ASSERT_TRUE(first && second);
  taken.read_until("\r\n\r\n");
  other.read_until("\r\n\r\n");
  server->check_keys([](const std::string& key) { return key != "anna"; });
  EXPECT_TRUE(taken.is_closed());
  second->write("on");
  EXPECT_THAT(other.read_until("on"), HasSubstr("on"));
  EXPECT_EQ(server->stats().dropped(DropReason::kKeyRemoved), 1u);
}

TEST(Server, refuses_to_start_where_it_would_be_open_or_can_not_be_had) {
  const auto error = [](ServerOptions options) {
    auto server = Server::start(std::move(options), Router());
    return server ? Error{ErrorCode::kInternal, "it started"} : server.error();
  };
  ServerOptions open;
  open.address = "0.0.0.0";
  EXPECT_EQ(error(open).code, ErrorCode::kUsage);
  EXPECT_THAT(error(open).message, HasSubstr("keys file"));
  open.authorise = [](const Request&) { return std::nullopt; };
  EXPECT_EQ(error(open).message, "it started");
  ServerOptions named;
  named.address = "example.com";
  EXPECT_EQ(error(named).code, ErrorCode::kUsage);
  ServerOptions half;
  half.tls_cert = "cert.pem";
  EXPECT_EQ(error(half).code, ErrorCode::kUsage);
  half.tls_key = "key.pem";
  EXPECT_EQ(error(half).code, ErrorCode::kNotFound);
  const TemporaryFile file("no certificate");
  half.tls_cert = half.tls_key = file.path();
  EXPECT_EQ(error(half).code, ErrorCode::kBadInput);

  const auto server = started(Router());
  ServerOptions taken;
  taken.port = server->port();
  EXPECT_EQ(error(taken).code, ErrorCode::kResource);
  EXPECT_THAT(error(taken).message, HasSubstr("choose another port"));
}

TEST(Server, lets_answers_end_within_the_grace_of_a_stop) {
  Handed<Stream> streams;
  Router router;
  router.route("GET", "/",
               [&](const Request&, Exchange exchange) { streams.put(exchange.stream(200, "text/plain")); });
  const auto server = started(std::move(router));
  RawClient idle(server->port());
  RawClient client(server->port());
  client.get("/");
  auto stream = streams.get();
  ASSERT_TRUE(stream);
  client.read_until("\r\n\r\n");
  std::thread stopping([&] { server->stop(Milliseconds{10'000}); });
  EXPECT_TRUE(idle.is_closed()) << "who asks nothing is sent off at once";
  idle.close();
  EXPECT_EQ(stream->write("last words"), WriteResult::kTaken);
  stream->finish();
  EXPECT_EQ(client.read_all(), "a\r\nlast words\r\n0\r\n\r\n");
  client.close();
  stopping.join();
}

TEST(Server, ends_what_is_not_done_when_the_grace_is_over) {
  Handed<Stream> streams;
  Handed<bool> gone;
  Router router;
  router.route("GET", "/",
               [&](const Request&, Exchange exchange) { streams.put(exchange.stream(200, "text/plain")); });
  auto server = started(std::move(router));
  RawClient client(server->port());
  client.get("/");
  auto stream = streams.get();
  ASSERT_TRUE(stream);
  stream->on_gone([&] { gone.put(true); });
  server->stop(Milliseconds{20});
  EXPECT_TRUE(gone.get());
  server.reset();
  EXPECT_EQ(stream->write("x"), WriteResult::kGone) << "handles outlive their server";
}

TEST(Sse, writes_events_and_keeps_quiet_streams_alive) {
  EXPECT_EQ(sse_event("a\nb\r\nc", "7\nx", "note"), "event: note\nid: 7\ndata: a\ndata: b\ndata: c\n\n");
  EXPECT_EQ(sse_event(""), "data: \n\n");
  Handed<Sse> events;
  Router router;
  router.route("GET", "/", [&](const Request&, Exchange exchange) {
    events.put(Sse(std::move(exchange), Milliseconds{20}));
  });
  const auto server = started(std::move(router));
  RawClient client(server->port());
  client.get("/");
  auto sse = events.get();
  ASSERT_TRUE(sse);
  EXPECT_THAT(client.read_until("\r\n\r\n"), HasSubstr("Content-Type: text/event-stream"));
  EXPECT_EQ(client.read_until("\n\n\r\n"), "e\r\n: keep-alive\n\n\r\n");
  EXPECT_EQ(client.read_until("\n\n\r\n"), "e\r\n: keep-alive\n\n\r\n");
  sse->event("{}", "1");
  EXPECT_THAT(client.read_until("data: {}\n\n"), HasSubstr("id: 1\ndata: {}\n\n"));
  sse->finish();
  EXPECT_THAT(client.read_until("0\r\n\r\n"), HasSubstr("0\r\n\r\n"));
}

}  // namespace
}  // namespace braid::net
