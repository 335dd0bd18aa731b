#include "braid/net/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <condition_variable>
#include <mutex>
#include <set>

#include "braid/base/log.h"
#include "fetch.h"

namespace braid::net {

using namespace detail;

namespace {

bool is_method(std::string_view method) {
  return !method.empty() &&
         std::all_of(method.begin(), method.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

void report(const Client::Done& done, Result<ClientResponse> result) {
  guarded("a client's callback", [&] { done(std::move(result)); });
}

}  // namespace

struct Client::Impl {
  explicit Impl(ClientOptions given) : options(std::move(given)) {}
  ~Impl() {
    io.post([this] {
      closing = true;
      for (const auto& fetch : under_way) fetch->stop(ErrorCode::kCancelled);
    });
    io.release();
    io.join();
  }

  void start(ClientRequest request, Done done);

  ClientOptions options;
  asio::ssl::context tls{asio::ssl::context::tls_client};
  std::atomic<std::size_t> open{0};
  std::set<std::shared_ptr<Fetch>> under_way;  // io thread
  bool closing = false;                        // io thread
  IoThread io{"net-client"};                   // last: ends before the rest goes
};

// On the io thread.
void Client::Impl::start(ClientRequest request, Done done) {
  const auto fetch = std::make_shared<Fetch>(io.context(), tls, options, std::move(request));
  under_way.insert(fetch);
  if (closing) fetch->stop(ErrorCode::kCancelled);
  asio::co_spawn(
      io.context(), fetch->run(),
      [this, fetch, done = std::move(done)](const std::exception_ptr& thrown, Result<ClientResponse> result) {
        under_way.erase(fetch);
        --open;
        if (thrown) return report(done, fail(ErrorCode::kInternal, "a request ended by an error of ours"));
        report(done, std::move(result));
      });
}

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::~Client() = default;

Result<std::unique_ptr<Client>> Client::make(ClientOptions options) {
  auto impl = std::make_unique<Impl>(std::move(options));
  const std::string& file = impl->options.ca_file;
  error_code error;
  if (file.empty())
    best_effort(impl->tls.set_default_verify_paths(error));
  else
    best_effort(impl->tls.load_verify_file(file, error));
  if (error && !file.empty())
    return fail(ErrorCode::kBadInput,
                fmt::format("the certificates in '{}' can't be used ({}); expected a PEM file", file,
                            error.message()));
  SSL_CTX_set_min_proto_version(impl->tls.native_handle(), TLS1_2_VERSION);
  return std::unique_ptr<Client>(new Client(std::move(impl)));
}

void Client::send(ClientRequest request, Done done) {
  Impl& impl = *impl_;
  const bool full = impl.open.fetch_add(1) >= impl.options.max_open;
  const bool usable = is_method(request.method);
  if (full || !usable) {
    --impl.open;
    auto error = full ? fail(ErrorCode::kFull,
                             fmt::format("{} requests are under way already", impl.options.max_open), true)
                      : fail(ErrorCode::kUsage, "a request's method must be capital letters");
    impl.io.post([done = std::move(done), error = std::move(error)] { report(done, error); });
    return;
  }
  // std::function wants what it holds to be copyable.
  auto held = std::make_shared<ClientRequest>(std::move(request));
  impl.io.post(
      [&impl, held, done = std::move(done)]() mutable { impl.start(std::move(*held), std::move(done)); });
}

Result<ClientResponse> Client::fetch(ClientRequest request) {
  struct Waiting {
    std::mutex mutex;
    std::condition_variable came;
    std::optional<Result<ClientResponse>> result;
  };
  const auto waiting = std::make_shared<Waiting>();
  send(std::move(request), [waiting](Result<ClientResponse> result) {
    const std::scoped_lock lock(waiting->mutex);
    waiting->result = std::move(result);
    waiting->came.notify_all();
  });
  std::unique_lock lock(waiting->mutex);
  waiting->came.wait(lock, [&] { return waiting->result.has_value(); });
  return std::move(*waiting->result);
}

}  // namespace braid::net
