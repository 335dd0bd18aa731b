#pragma once
// Media that a request names by URL.

#include <functional>
#include <memory>

#include "braid/base/clock.h"
#include "braid/net/client.h"
#include "braid/openai/chat_request.h"
#include "braid/serve/server.h"

namespace braid::serve {

/// Fetches from hosts of a list alone, redirects included, and never from a private address that a listed
/// name leads to. Thread-safe.
class RemoteMedia {
 public:
  /// kUsage: an entry of the list is no host name.
  static Result<std::unique_ptr<RemoteMedia>> make(const RemoteMediaOptions& options, Clock& clock);

  /// Puts the bytes in the place of every URL of the request, and calls `then` once: at once if it has none,
  /// else on the client's thread; it must not block. Between two URLs `has_left` is asked whether the answer
  /// is still wanted: kCancelled if not. kUnsupported: the host isn't listed, or nothing is fetched here.
  /// kBadInput: what is there can't be had. kLimit: it is larger than a request's media may be. kFull: too
  /// many are being fetched.
  void fetch(std::shared_ptr<openai::ChatRequest> chat, std::function<bool()> has_left,
             std::function<void(Status fetched)> then);

 private:
  struct Gathering;
  RemoteMedia(const RemoteMediaOptions& options, Clock& clock, std::unique_ptr<net::Client> client)
      : options_(options), clock_(clock), client_(std::move(client)) {}
  void fetch_next(const std::shared_ptr<Gathering>& gathering);

  const RemoteMediaOptions options_;
  Clock& clock_;
  std::unique_ptr<net::Client> client_;
};

/// "example.com" names that host, "*.example.com" all below it. Case doesn't matter.
bool host_is_listed(std::string_view host, const std::vector<std::string>& list);

}  // namespace braid::serve
