#include "server/check_config.h"

#include <fmt/format.h>

#include "braid/net/key_store.h"
#include "braid/net/server.h"
#include "braid/net/url.h"
#include "braid/store/state_folder.h"
#include "chat/remote_media.h"
#include "config/config.h"
#include "server/configured_pipeline.h"
#include "server/reports.h"
#include "watch/model_files.h"
#include "watch/source_specs.h"

namespace braid::serve {

namespace {

template <class T>
Status status_of(const Result<T>& result) {
  if (!result) return tl::unexpected(result.error());
  return {};
}

Status check_network(const ServerConfig& config, Clock& clock) {
  net::ServerOptions options = net_options(config);
  if (!config.keys_file.empty()) {
    auto keys = net::KeyStore::open(config.keys_file, clock);
    if (!keys) return tl::unexpected(keys.error());
    options.authorise = net::KeyStore::rule(std::move(*keys));
  }
  return net::Server::check(options);
}

Status check_reports(const ServerConfig& config) {
  if (!config.tracing.otlp_url.empty())
    if (const auto url = net::parse_url(config.tracing.otlp_url); !url)
      return fail(ErrorCode::kUsage, fmt::format("--otlp-url (otlp_url of [tracing]) is '{}': {}; expected a "
                                                 "collector's address as http://localhost:4318",
                                                 config.tracing.otlp_url, url.error().message));
  if (Status read = status_of(read_secret(config.webhooks.secret)); !read) return read;
  return status_of(configured_questions(config));
}

Status check_state(const DurabilityOptions& durability) {
  if (durability.state_dir.empty()) return {};
  return status_of(store::StateFolder::open(durability.state_dir));
}

}  // namespace

net::ServerOptions net_options(const ServerConfig& config) {
  net::ServerOptions options;
  options.address = config.address;
  options.port = config.port;
  options.tls_cert = config.tls_cert;
  options.tls_key = config.tls_key;
  options.cors_origins = config.cors_origins;
  options.limits = config.limits;
  return options;
}

Status check_config(const ServerConfig& config, Clock& clock) {
  Status sound = check_network(config, clock);
  if (sound) sound = status_of(RemoteMedia::make(config.remote_media, clock));
  if (sound) sound = check_reports(config);
  if (sound) sound = check_sources(config.sources);
  if (sound) sound = check_pipeline_file(config);
  if (sound) sound = status_of(with_default_model(config.model));
  // Last, since it may make the folder.
  if (sound) sound = check_state(config.durability);
  return sound;
}

}  // namespace braid::serve
