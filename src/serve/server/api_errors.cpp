#include "server/api_errors.h"

namespace braid::serve {

void respond_error(net::Exchange& exchange, const openai::ApiError& error) {
  net::Headers headers;
  if (error.http_status == 429 || error.http_status == 503) headers.add("retry-after", "1");
  exchange.respond(error.http_status, "application/json", openai::print_error(error), headers);
}

}  // namespace braid::serve
