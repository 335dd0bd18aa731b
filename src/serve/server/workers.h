#pragma once
// Threads for what must not hold up the network's.

#include <deque>
#include <functional>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/base/clock.h"
#include "braid/base/result.h"
#include "braid/net/exchange.h"
#include "braid/net/router.h"

namespace braid::serve {

/// Thread-safe. What is queued when it is destroyed is still done.
class Workers {
 public:
  Workers(Clock& clock, std::string_view name, int threads, std::size_t max_queued = 256);
  ~Workers();

  /// Never blocks. kFull (retryable): too much waits.
  Status post(std::function<void()> work);

 private:
  void run();

  const std::size_t max_queued_;
  std::mutex mutex_;
  Signal changed_;
  std::deque<std::function<void()>> queue_;
  bool stopping_ = false;
  std::vector<Thread> threads_;
};

/// Hands a request to the workers; answers it itself (429) where too much waits.
void run_on(Workers& workers, net::Request request, net::Exchange exchange,
            std::function<void(net::Request, net::Exchange)> handler);

/// The handler of a route whose `work`, with `parts`, may block.
template <class Parts>
net::Handler on_workers(const Parts& parts, Workers& workers,
                        void (*work)(const Parts&, const net::Request&, net::Exchange)) {
  return [parts, &workers, work](net::Request request, net::Exchange exchange) {
    run_on(workers, std::move(request), std::move(exchange),
           [parts, work](const net::Request& taken, net::Exchange answer) {
             work(parts, taken, std::move(answer));
           });
  };
}

}  // namespace braid::serve
