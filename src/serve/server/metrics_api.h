#pragma once
// GET /metrics.

#include <functional>

#include "braid/net/router.h"
#include "server/metrics.h"

namespace braid::serve {

/// `now` is called for each request, on an io thread. `metrics` outlives the router. `open`: no key is
/// needed.
void add_metrics_route(net::Router& router, const Metrics& metrics, std::function<MetricsNow()> now,
                       bool open);

}  // namespace braid::serve
