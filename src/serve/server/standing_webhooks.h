#pragma once
// Answers on their way to webhooks: tried again with growing pauses, given up after some attempts.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "braid/base/clock.h"
#include "braid/net/client.h"
#include "braid/openai/session_api.h"
#include "braid/serve/server.h"

namespace braid::serve {

struct WebhookTarget {
  std::string url;
  std::string secret;    ///< empty: not signed
  bool trusted = false;  ///< named by the operator, not by a client
  std::string owner;     ///< the client's key's name; its posts wait and go within bounds of their own
};

struct WebhookCounts {
  std::uint64_t delivered = 0, retried = 0, dead = 0;
  std::size_t waiting = 0;  ///< or being posted
};

/// Thread-safe. A post is repeated after 408, 425, 429, 5xx and where no answer came; any other status is
/// final. Each pause is half to all of `backoff` times two for each attempt before (exponential backoff with
/// equal jitter; M. Brooker, Exponential Backoff And Jitter, 2015).
class Webhooks {
 public:
  /// Sends a request to a trusted or untrusted address and calls back once, from any thread.
  using Send = std::function<void(net::ClientRequest, bool trusted, net::Client::Done)>;

  /// The clock outlives this; what `send` uses, too.
  Webhooks(WebhookOptions options, Clock& clock, Send send);
  /// What waits is given up.
  ~Webhooks();

  /// Never blocks. Where too many wait, in all or of one client, it is dead at once.
  void post(WebhookTarget target, openai::WebhookEvent event);
  WebhookCounts counts() const;
  /// Clients may name addresses that aren't public.
  bool private_allowed() const;

 private:
  struct Delivery;
  struct State;
  void run();
  void attempt(std::shared_ptr<Delivery> delivery);

  const std::shared_ptr<State> state_;
  const Send send_;
  Thread thread_;
};

}  // namespace braid::serve
