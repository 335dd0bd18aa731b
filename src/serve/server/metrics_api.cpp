#include "server/metrics_api.h"

#include <utility>

namespace braid::serve {

void add_metrics_route(net::Router& router, const Metrics& metrics, std::function<MetricsNow()> now,
                       bool open) {
  router.route(
      "GET", "/metrics",
      [&metrics, now = std::move(now)](const net::Request&, net::Exchange exchange) {
        exchange.respond(200, "text/plain; version=0.0.4; charset=utf-8", metrics.text(now()));
      },
      net::RouteOptions{.open = open});
}

}  // namespace braid::serve
