#pragma once
// Failures as answers.

#include "braid/net/exchange.h"
#include "braid/openai/api_error.h"

namespace braid::serve {

/// With Retry-After where trying again helps.
void respond_error(net::Exchange& exchange, const openai::ApiError& error);

}  // namespace braid::serve
