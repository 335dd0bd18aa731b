#pragma once
// Short-lived keys for browsers, each for one user's Realtime connections.

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "braid/base/clock.h"
#include "braid/openai/realtime_config.h"

namespace braid::serve {

/// What a secret stands for.
struct SecretGrant {
  std::string owner;              ///< the name of the key that made it
  std::string key;                ///< its net::key_line(): without it, the secret is worth nothing
  openai::RealtimeConfig config;  ///< that its sessions begin with
};

/// Secrets are known by their hashes alone. Thread-safe; nothing blocks.
class ClientSecrets {
 public:
  explicit ClientSecrets(Clock& clock, std::size_t max_secrets = 4096, std::size_t max_per_owner = 1024)
      : clock_(clock), max_secrets_(max_secrets), max_per_owner_(max_per_owner) {}

  /// "ek_..."; good for `life`. kFull (retryable): as many as may be; kResource: no randomness.
  Result<std::string> make(SecretGrant grant, Nanoseconds life);
  /// None: not a secret, or its time is over.
  std::optional<SecretGrant> find(std::string_view secret);

 private:
  struct Entry {
    SecretGrant grant;
    SteadyTime expires;
  };
  Clock& clock_;
  const std::size_t max_secrets_, max_per_owner_;
  std::mutex mutex_;                      // guards what follows
  std::map<std::string, Entry> secrets_;  // by hash
};

}  // namespace braid::serve
