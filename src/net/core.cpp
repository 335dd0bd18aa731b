#include "core.h"

#include <fmt/format.h>

#include <random>

namespace braid::net::detail {

namespace {

// Who shares one address's bound: an IPv4 address, or an IPv6 /64, which is what one site is given.
std::string network_of(const asio::ip::address& remote) {
  if (remote.is_v4()) return remote.to_string();
  const auto bytes = remote.to_v6().to_bytes();
  if (remote.to_v6().is_v4_mapped())
    return asio::ip::make_address_v4(asio::ip::v4_mapped, remote.to_v6()).to_string();
  return {bytes.begin(), bytes.begin() + 8};
}

}  // namespace

void Counters::answered(int status) {
  const int status_class = status / 100;
  if (status_class >= 1 && status_class <= 5) by_class[static_cast<std::size_t>(status_class)].fetch_add(1);
}

ServerStats Counters::read() const {
  ServerStats stats;
  stats.connections = connections;
  stats.connections_open = connections_open;
  stats.web_sockets = web_sockets;
  stats.web_sockets_open = web_sockets_open;
  stats.requests_open = requests_open;
  stats.bytes_in = bytes_in;
  stats.bytes_out = bytes_out;
  for (std::size_t i = 0; i < by_class.size(); ++i) stats.by_class[i] = by_class[i];
  for (std::size_t i = 0; i < drops.size(); ++i) stats.drops[i] = drops[i];
  return stats;
}

bool Admission::enter(const asio::ip::address& remote) {
  const std::scoped_lock lock(mutex_);
  if (open_ >= limits_.connections) return false;
  std::size_t& of_network = by_network_[network_of(remote)];
  if (of_network >= limits_.connections_per_remote) return false;
  ++of_network;
  ++open_;
  return true;
}

void Admission::leave(const asio::ip::address& remote) {
  const std::scoped_lock lock(mutex_);
  --open_;
  const auto found = by_network_.find(network_of(remote));
  if (found != by_network_.end() && --found->second == 0) by_network_.erase(found);
}

bool BodyShare::take(std::size_t bytes) {
  if (held_.fetch_add(bytes) + bytes > bound_) {
    held_.fetch_sub(bytes);
    return false;
  }
  own_ += bytes;
  return true;
}

void BodyShare::release() { held_.fetch_sub(std::exchange(own_, 0)); }

RequestIds::RequestIds() : process_(std::random_device{}()) {}

std::string RequestIds::next() { return fmt::format("req_{:08x}{:012x}", process_, count_.fetch_add(1)); }

Core::Core(ServerOptions given, std::unique_ptr<RouteTable> routes)
    : options(std::move(given)),
      table(std::move(routes)),
      error_body(
          std::make_shared<const ErrorFormatter>(options.error_body ? options.error_body : error_json)),
      admission(options.limits) {}

void Core::enlist(const std::shared_ptr<Connection>& connection) {
  const std::scoped_lock lock(mutex_);
  open_.emplace(connection.get(), connection);
}

void Core::strike(const Connection* connection) {
  const std::scoped_lock lock(mutex_);
  open_.erase(connection);
}

std::vector<std::shared_ptr<Connection>> Core::open() const {
  std::vector<std::shared_ptr<Connection>> list;
  const std::scoped_lock lock(mutex_);
  for (const auto& [key, connection] : open_)
    if (auto found = connection.lock()) list.push_back(std::move(found));
  return list;
}

Status load_certificate(asio::ssl::context& context, const ServerOptions& options) {
  namespace ssl = asio::ssl;
  error_code error;
  context.set_options(ssl::context::default_workarounds | ssl::context::no_sslv2 | ssl::context::no_sslv3 |
                      ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1 | ssl::context::no_compression);
  SSL_CTX_set_options(context.native_handle(), SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  // Idle sessions keep no 34 KiB of TLS buffers each.
  SSL_CTX_set_mode(context.native_handle(), SSL_MODE_RELEASE_BUFFERS);
  const auto refuse = [](const char* what, const std::string& file, const error_code& why) {
    return fail(
        why == boost::system::errc::no_such_file_or_directory ? ErrorCode::kNotFound : ErrorCode::kBadInput,
        fmt::format("the {} '{}' can't be used ({}); expected a PEM file", what, file, why.message()));
  };
  if (context.use_certificate_chain_file(options.tls_cert, error))
    return refuse("certificate", options.tls_cert, error);
  if (context.use_private_key_file(options.tls_key, ssl::context::pem, error))
    return refuse("private key", options.tls_key, error);
  if (SSL_CTX_check_private_key(context.native_handle()) != 1)
    return fail(ErrorCode::kBadInput,
                fmt::format("the private key '{}' doesn't belong to the certificate '{}'; name a pair",
                            options.tls_key, options.tls_cert));
  return {};
}

}  // namespace braid::net::detail
