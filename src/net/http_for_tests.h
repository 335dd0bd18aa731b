#pragma once
// Servers for tests to talk to.

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "braid/net/server.h"
#include "raw_client_for_tests.h"

namespace braid::net {

/// Looks again until it is so, ten seconds at most.
inline bool becomes_true(const std::function<bool()>& so) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!so() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  return so();
}

inline std::unique_ptr<Server> started(Router router, ServerOptions options = {}) {
  auto server = Server::start(std::move(options), std::move(router));
  EXPECT_TRUE(server) << (server ? "" : server.error().message);
  return server ? std::move(*server) : nullptr;
}

/// Answers with what the request said.
inline void echo(const Request& request, Exchange exchange) {
  exchange.respond(200, "text/plain", request.method + ' ' + request.path + ' ' + request.body);
}

}  // namespace braid::net
