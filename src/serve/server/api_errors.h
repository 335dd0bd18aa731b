#pragma once
// Failures as answers.

#include <string>
#include <string_view>

#include "braid/net/exchange.h"
#include "braid/openai/api_error.h"

namespace braid::serve {

/// With Retry-After where trying again helps.
void respond_error(net::Exchange& exchange, const openai::ApiError& error);

/// 404, of a client that named it in `param`.
openai::ApiError no_such_session(std::string_view id, std::string param);

}  // namespace braid::serve
