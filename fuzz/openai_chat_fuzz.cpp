// Any bytes as the body of a chat request or of POST /v1/sessions: what passes keeps its promises, what
// doesn't is refused with a sentence.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "braid/base/utf8.h"
#include "braid/openai/chat_request.h"
#include "braid/openai/session_api.h"
#include "json_in.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const braid::openai::ApiError& error) {
  require(error.http_status == 400 || error.http_status == 413);
  require(!error.message.empty() && braid::to_valid_utf8(error.message) == error.message);
  require(braid::openai::JsonDoc::parse(braid::openai::print_error(error), {}).has_value());
}

void check(const braid::openai::ChatRequest& request, const braid::openai::ChatLimits& limits) {
  require(!request.model.empty() && !request.messages.empty() && request.messages.size() <= limits.messages);
  require(request.stops.size() <= 4);
  std::size_t media = 0, text = 0;
  for (const braid::openai::Message& message : request.messages)
    for (const braid::openai::Part& part : message.content) {
      require(part.bytes.size() <= limits.media_bytes && (part.bytes.empty() || part.url.empty()));
      require(braid::to_valid_utf8(part.text) == part.text);
      media += part.bytes.size();
      text += part.text.size();
    }
  require(media <= limits.media_total && text <= limits.text_bytes);
  if (!request.response_format.schema.empty())
    require(braid::openai::JsonDoc::parse(request.response_format.schema, {}).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  braid::openai::ChatLimits limits;
  limits.text_bytes = 200;
  limits.media_bytes = 60;
  limits.media_total = 100;
  limits.messages = 8;
  const auto request = braid::openai::parse_chat(body, limits);
  if (request)
    check(*request, limits);
  else
    check(request.error());
  const auto session = braid::openai::parse_session_create(body);
  if (session)
    require(!session->sources.empty());
  else
    check(session.error());
  // What is printed is the same document.
  const auto doc = braid::openai::JsonDoc::parse(body, {});
  if (!doc) return 0;
  const std::string printed = doc->print(0);
  const auto again = braid::openai::JsonDoc::parse(printed, {});
  require(again.has_value() && again->print(0) == printed);
  return 0;
}
