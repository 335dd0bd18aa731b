#include "server/status_api.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "braid/openai/chat_response.h"
#include "host/step_loop.h"
#include "server/api_errors.h"

namespace braid::serve {

namespace {

constexpr Nanoseconds kKnock = std::chrono::seconds(1);
// A step of a large model on a slow machine may take a second or two.
constexpr Nanoseconds kLately = std::chrono::seconds(10);

openai::ModelInfo info_of(const engine::EngineInfo& model) {
  openai::ModelInfo info;
  info.id = model.name;
  return info;
}

}  // namespace

Liveness::Liveness(EngineHost& host, Clock& clock)
    : host_(host), clock_(clock), changed_(clock), thread_(clock, "liveness", [this] { run(); }) {}

Liveness::~Liveness() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void Liveness::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    host_.loop().wake();
    changed_.wait_until(lock, clock_.now() + kKnock, [this] { return stopping_; });
  }
}

bool Liveness::well() const { return clock_.now() - host_.loop().last_look() < kLately; }

void add_status_routes(net::Router& router, const engine::EngineInfo& model, const Liveness& liveness) {
  const net::RouteOptions open{.open = true};
  router.route(
      "GET", "/health",
      [](const net::Request&, net::Exchange exchange) {
        exchange.respond(200, "application/json", R"({"status":"ok"})");
      },
      open);
  router.route(
      "GET", "/ready",
      [&liveness](const net::Request&, net::Exchange exchange) {
        const bool well = liveness.well();
        exchange.respond(well ? 200 : 503, "application/json",
                         well ? R"({"status":"ready"})" : R"({"status":"the engine's thread is held up"})");
      },
      open);
  router.route("GET", "/v1/models", [&model](const net::Request&, net::Exchange exchange) {
    exchange.respond(200, "application/json", openai::print_models({info_of(model)}));
  });
  router.route("GET", "/v1/models/{id}", [&model](const net::Request& request, net::Exchange exchange) {
    if (request.param("id") == model.name)
      return exchange.respond(200, "application/json", openai::print_model(info_of(model)));
    respond_error(
        exchange,
        {404, fmt::format("there is no model {}; this server has {}", request.param("id"), model.name),
         "invalid_request_error", "model", "model_not_found"});
  });
}

}  // namespace braid::serve
