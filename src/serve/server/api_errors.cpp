#include "server/api_errors.h"

#include <fmt/format.h>

#include <utility>

#include "braid/base/utf8.h"

namespace braid::serve {

namespace {
constexpr std::size_t kShown = 64;  // bytes of an id that a client made up
}

void respond_error(net::Exchange& exchange, const openai::ApiError& error) {
  net::Headers headers;
  if (error.http_status == 429 || error.http_status == 503) headers.add("retry-after", "1");
  exchange.respond(error.http_status, "application/json", openai::print_error(error), headers);
}

openai::ApiError no_such_session(std::string_view id, std::string param) {
  return {
      404,
      fmt::format(
          "there is no session {} of this key; GET /v1/sessions lists those that there are, POST makes one",
          to_valid_utf8(id.substr(0, kShown))),
      "invalid_request_error", std::move(param), "session_not_found"};
}

}  // namespace braid::serve
