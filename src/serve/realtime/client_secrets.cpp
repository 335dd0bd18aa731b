#include "realtime/client_secrets.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "braid/net/key_store.h"

namespace braid::serve {

namespace {
constexpr std::string_view kPrefix = "ek_";
}

Result<std::string> ClientSecrets::make(SecretGrant grant, Nanoseconds life) {
  auto key = net::make_key();
  if (!key) return key;
  std::string secret = std::string(kPrefix) + key->substr(key->find('-') + 1);
  const SteadyTime now = clock_.now();
  std::lock_guard lock(mutex_);
  std::erase_if(secrets_, [&](const auto& entry) { return entry.second.expires <= now; });
  const auto of_owner = std::count_if(secrets_.begin(), secrets_.end(), [&](const auto& entry) {
    return entry.second.grant.owner == grant.owner;
  });
  if (secrets_.size() >= max_secrets_ || static_cast<std::size_t>(of_owner) >= max_per_owner_)
    return fail(ErrorCode::kFull,
                fmt::format("{} client secrets are good now, {} of this key; no more may be: let some expire",
                            secrets_.size(), of_owner),
                true);
  secrets_.emplace(net::key_line(secret), Entry{std::move(grant), now + life});
  return secret;
}

std::optional<SecretGrant> ClientSecrets::find(std::string_view secret) {
  if (!secret.starts_with(kPrefix)) return std::nullopt;
  const std::string hash = net::key_line(secret);
  std::lock_guard lock(mutex_);
  const auto found = secrets_.find(hash);
  if (found == secrets_.end() || found->second.expires <= clock_.now()) return std::nullopt;
  return found->second.grant;
}

}  // namespace braid::serve
