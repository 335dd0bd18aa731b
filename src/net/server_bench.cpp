// What the server itself costs, over loopback: a request's round trip, and an event's.
#include <benchmark/benchmark.h>

#include "braid/net/server.h"
#include "braid/net/sse.h"
#include "raw_client_for_tests.h"

namespace braid::net {
namespace {

void echo(const Request& request, Exchange exchange) { exchange.respond(200, "text/plain", request.body); }

void round_trip(benchmark::State& state) {
  Router router;
  router.route("POST", "/echo", echo);
  const auto server = *Server::start({}, std::move(router));
  RawClient client(server->port());
  const std::string body(static_cast<std::size_t>(state.range(0)), 'x');
  for (auto _ : state) benchmark::DoNotOptimize(client.post("/echo", body).reply());
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(round_trip)->Arg(100)->Arg(1 << 20)->UseRealTime();

void event(benchmark::State& state) {
  Handed<Sse> events;
  Router router;
  router.route("GET", "/", [&](const Request&, Exchange exchange) { events.put(Sse(std::move(exchange))); });
  const auto server = *Server::start({}, std::move(router));
  RawClient client(server->port());
  client.get("/");
  auto sse = events.get();
  client.read_until("\r\n\r\n");
  for (auto _ : state) {
    sse->event("{\"choices\":[{\"delta\":{\"content\":\" word\"}}]}");
    benchmark::DoNotOptimize(client.read_until("\n\n\r\n"));
  }
}
BENCHMARK(event)->UseRealTime();

void connect_and_ask(benchmark::State& state) {
  Router router;
  router.route("GET", "/echo", echo);
  const auto server = *Server::start({}, std::move(router));
  for (auto _ : state) benchmark::DoNotOptimize(RawClient(server->port()).get("/echo").reply());
}
BENCHMARK(connect_and_ask)->UseRealTime();

}  // namespace
}  // namespace braid::net
