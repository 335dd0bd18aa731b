#include "server/reports.h"

#include <string_view>
#include <utility>

#include "config/config.h"

namespace braid::serve {

Result<std::vector<openai::StandingQuestion>> configured_questions(const ServerConfig& config) {
  std::vector<openai::StandingQuestion> questions;
  for (const QuestionChoice& choice : config.questions) {
    auto secret = read_secret(choice.secret);
    if (!secret) return tl::unexpected(secret.error());
    questions.push_back({choice.ask, choice.every, choice.on_event, choice.webhook, std::move(*secret),
                         choice.deadline, choice.max_tokens});
  }
  return questions;
}

Result<std::unique_ptr<Reports>> Reports::make(const ServerConfig& config, Clock& clock,
                                               const engine::EngineInfo& model) {
  auto secret = read_secret(config.webhooks.secret);
  if (!secret) return tl::unexpected(secret.error());
  const auto anywhere = [](std::string_view) { return true; };
  net::ClientOptions options;
  if (config.webhooks.allow_private) options.allow = anywhere;
  auto untrusted = net::Client::make(options);
  options.allow = anywhere;
  auto trusted = net::Client::make(options);
  if (!untrusted) return tl::unexpected(untrusted.error());
  if (!trusted) return tl::unexpected(trusted.error());
  return std::unique_ptr<Reports>(
      new Reports(config, clock, model, {std::move(*trusted), std::move(*untrusted)}, std::move(*secret)));
}

Reports::Reports(const ServerConfig& config, Clock& clock, const engine::EngineInfo& model, Clients clients,
                 std::string secret)
    : metrics_({BRAID_VERSION, model.name, model.device, config.metrics.vllm_names}),
      clients_(std::move(clients)),
      tracing_(config.tracing, clock, BRAID_VERSION,
               [client = clients_.trusted.get()](net::ClientRequest request, net::Client::Done done) {
                 client->send(std::move(request), std::move(done));
               }),
      webhooks_(
          config.webhooks, clock,
          [this](net::ClientRequest request, bool trusted, net::Client::Done done) {
            (trusted ? clients_.trusted : clients_.untrusted)->send(std::move(request), std::move(done));
          }),
      standing_(webhooks_, clock, std::move(secret)) {}

void Reports::read(MetricsNow& now) const {
  const TracingCounts spans = tracing_.counts();
  now.spans_waiting = spans.waiting;
  now.spans_sent = spans.sent;
  now.spans_dropped = spans.dropped;
  const WebhookCounts webhooks = webhooks_.counts();
  now.webhooks_waiting = webhooks.waiting;
  now.webhooks_delivered = webhooks.delivered;
  now.webhooks_retried = webhooks.retried;
  now.webhooks_dead = webhooks.dead;
  const StandingCounts standing = standing_.counts();
  now.standing_asked = standing.asked;
  now.standing_skipped = standing.skipped;
  now.standing_failed = standing.failed;
}

}  // namespace braid::serve
