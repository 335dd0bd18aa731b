#include "server/standing_webhooks.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <random>
#include <utility>

#include "braid/base/log.h"
#include "server/stamps.h"

namespace braid::serve {

namespace {

constexpr std::size_t kMaxUnderWay = 32;  // posts at once
// A client whose receiver hangs keeps neither the operator's answers nor other clients' from theirs.
constexpr std::size_t kMaxUnderWayOfOne = kMaxUnderWay / 4;
constexpr std::size_t kShareOfOne = 4;  // a client's share of what may wait is one of so many

bool worth_retrying(const Result<net::ClientResponse>& response) {
  if (!response)
    return response.error().code != ErrorCode::kUsage && response.error().code != ErrorCode::kUnsupported &&
           response.error().code != ErrorCode::kCancelled;
  const int status = response->status;
  return status == 408 || status == 425 || status == 429 || status >= 500;
}

}  // namespace

struct Webhooks::Delivery {
  WebhookTarget target;
  openai::WebhookEvent event;
};

/// Outlives the object where a post is still under way.
struct Webhooks::State {
  using Waiting = std::multimap<SteadyTime, std::shared_ptr<Delivery>>;  // by when it is due

  State(WebhookOptions given, Clock& its_clock)
      : options(std::move(given)), clock(its_clock), changed(its_clock), random(std::random_device()()) {}

  Nanoseconds pause(int attempts) {
    Nanoseconds longest = options.backoff;
    for (int i = 1; i < attempts && longest < options.max_backoff; ++i) longest *= 2;
    longest = std::min<Nanoseconds>(longest, options.max_backoff);
    return from_seconds(to_seconds(longest) * std::uniform_real_distribution<>(0.5, 1.0)(random));
  }

  std::size_t under_way_of(const WebhookTarget& target) const {
    const auto found = under_way_by_owner.find(target.owner);
    return found == under_way_by_owner.end() ? 0 : found->second;
  }
  bool may_go(const WebhookTarget& target) const {
    return under_way < kMaxUnderWay && (target.trusted || under_way_of(target) < kMaxUnderWayOfOne);
  }
  bool may_wait(const WebhookTarget& target) const {
    if (waiting.size() + under_way >= options.max_waiting) return false;
    const auto of_owner = std::count_if(waiting.begin(), waiting.end(), [&](const auto& entry) {
      return !entry.second->target.trusted && entry.second->target.owner == target.owner;
    });
    const std::size_t most = std::max<std::size_t>(options.max_waiting / kShareOfOne, 1);
    return target.trusted || static_cast<std::size_t>(of_owner) + under_way_of(target) < most;
  }
  /// The first that may go, whenever it is due.
  Waiting::iterator next() {
    return std::find_if(waiting.begin(), waiting.end(),
                        [&](const auto& entry) { return may_go(entry.second->target); });
  }
  std::shared_ptr<Delivery> take(Waiting::iterator at) {
    auto delivery = std::move(at->second);
    waiting.erase(at);
    ++under_way;
    if (!delivery->target.trusted) ++under_way_by_owner[delivery->target.owner];
    return delivery;
  }

  void answered(std::shared_ptr<Delivery> delivery, const Result<net::ClientResponse>& response) {
    std::lock_guard lock(mutex);
    --under_way;
    ++changes;
    const auto of_owner = under_way_by_owner.find(delivery->target.owner);
    if (!delivery->target.trusted && --of_owner->second == 0) under_way_by_owner.erase(of_owner);
    changed.notify_all();
    if (response && response->status / 100 == 2) {
      ++counts.delivered;
      return;
    }
    openai::WebhookEvent& event = delivery->event;
    if (!stopping && worth_retrying(response) && event.attempt < options.max_attempts) {
      ++counts.retried;
      const SteadyTime due = clock.now() + pause(event.attempt);
      ++event.attempt;
      waiting.emplace(due, std::move(delivery));
      return;
    }
    ++counts.dead;
    log(LogLevel::kWarning, "{} of session {} was given up after {} attempts: {}",
        event.pipeline.empty() ? "an answer" : "a pipeline's event", event.session, event.attempt,
        response ? fmt::format("the webhook answered {}", response->status) : response.error().message);
  }

  const WebhookOptions options;
  Clock& clock;
  mutable std::mutex mutex;
  Signal changed;
  std::mt19937_64 random;
  Waiting waiting;
  std::size_t under_way = 0;
  std::uint64_t changes = 0;                              // of these two
  std::map<std::string, std::size_t> under_way_by_owner;  // of clients'
  WebhookCounts counts;
  bool stopping = false;
};

Webhooks::Webhooks(WebhookOptions options, Clock& clock, Send send)
    : state_(std::make_shared<State>(std::move(options), clock)),
      send_(std::move(send)),
      thread_(clock, "webhooks", [this] { run(); }) {}

Webhooks::~Webhooks() {
  {
    std::lock_guard lock(state_->mutex);
    state_->stopping = true;
    state_->changed.notify_all();
  }
  thread_.join();
}

void Webhooks::post(WebhookTarget target, openai::WebhookEvent event) {
  std::lock_guard lock(state_->mutex);
  if (state_->stopping || !state_->may_wait(target)) {
    ++state_->counts.dead;
    return;
  }
  event.attempt = 1;
  ++state_->changes;
  state_->waiting.emplace(state_->clock.now(),
                          std::make_shared<Delivery>(Delivery{std::move(target), std::move(event)}));
  state_->changed.notify_all();
}

WebhookCounts Webhooks::counts() const {
  std::lock_guard lock(state_->mutex);
  WebhookCounts counts = state_->counts;
  counts.waiting = state_->waiting.size() + state_->under_way;
  return counts;
}

bool Webhooks::private_allowed() const { return state_->options.allow_private; }

void Webhooks::run() {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  const auto due = [&] {
    const auto next = state.next();
    return state.stopping || (next != state.waiting.end() && next->first <= state.clock.now());
  };
  while (!state.stopping) {
    if (!due()) {
      // A later one that is due sooner wakes this too, and so does one that was answered and waits again:
      // then the wait starts anew.
      const std::uint64_t known = state.changes;
      const auto changed = [&] { return due() || state.changes != known; };
      const auto next = state.next();
      if (next == state.waiting.end())
        state.changed.wait(lock, changed);
      else
        state.changed.wait_until(lock, next->first, changed);
      continue;
    }
    auto delivery = state.take(state.next());
    lock.unlock();
    attempt(std::move(delivery));
    lock.lock();
  }
}

void Webhooks::attempt(std::shared_ptr<Delivery> delivery) {
  openai::WebhookEvent& event = delivery->event;
  event.sent_at = unix_seconds();
  auto printed = openai::print_webhook(event, delivery->target.secret);
  if (!printed) return state_->answered(std::move(delivery), tl::unexpected(printed.error()));
  net::ClientRequest request;
  request.method = "POST";
  request.url = delivery->target.url;
  for (auto& [name, value] : printed->headers) request.headers.add(std::move(name), std::move(value));
  request.body = std::move(printed->body);
  request.timeout = state_->options.timeout;
  request.max_body = 4 << 10;  // its status says all
  request.cut_body = true;
  send_(std::move(request), delivery->target.trusted,
        [state = state_, delivery](const Result<net::ClientResponse>& response) {
          state->answered(delivery, response);
        });
}

}  // namespace braid::serve
