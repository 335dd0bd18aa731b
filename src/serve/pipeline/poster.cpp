#include "pipeline/poster.h"

#include <utility>

#include "config/config.h"
#include "server/stamps.h"

namespace braid::serve {

namespace {

Result<std::string> secret_of(const PipelineStage& stage) {
  return read_secret({.file = {}, .env = stage.secret_env});
}

}  // namespace

Status check_secrets(const PipelinePlan& plan) {
  for (const PipelineStage& stage : plan.stages)
    if (auto secret = secret_of(stage); !secret)
      return fail(secret.error().code, "stage '" + stage.name + "': " + secret.error().message);
  return {};
}

std::function<Status(const PipelineStage& stage, std::string body)> make_poster(Webhooks& webhooks,
                                                                                std::string session) {
  return [&webhooks, session = std::move(session)](const PipelineStage& stage, std::string body) -> Status {
    auto secret = secret_of(stage);
    if (!secret) return tl::unexpected(secret.error());
    openai::WebhookEvent event;
    event.delivery_id = new_id("evt_");
    event.session = session;
    event.pipeline = std::move(body);
    webhooks.post({.url = stage.url, .secret = std::move(*secret), .trusted = true, .owner = {}},
                  std::move(event));
    return {};
  };
}

}  // namespace braid::serve
