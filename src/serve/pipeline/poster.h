#pragma once
// What webhook stages post, and with what secret.

#include <functional>
#include <string>

#include "braid/serve/pipeline.h"
#include "server/standing_webhooks.h"

namespace braid::serve {

/// Whether the secrets of all webhook stages are set. Errors of read_secret().
Status check_secrets(const PipelinePlan& plan);
/// Posts on behalf of the operator. `webhooks` outlives what is returned.
std::function<Status(const PipelineStage& stage, std::string body)> make_poster(Webhooks& webhooks,
                                                                                std::string session);

}  // namespace braid::serve
