#pragma once
// Failures in the form that OpenAI's clients read.

#include <string>
#include <string_view>

#include "braid/base/result.h"

namespace braid::openai {

/// What a client gets instead of an answer. `type` and `code` are OpenAI's words; clients branch on
/// `http_status` and `code`.
struct ApiError {
  int http_status = 400;
  std::string message;  ///< what came, what was expected, what to do
  std::string type = "invalid_request_error";
  std::string param;  ///< path of the field, as in messages[1].content[0].image_url.url; empty: null
  std::string code;   ///< empty: null
};

template <class T>
using Parsed = tl::expected<T, ApiError>;

/// `{"error":{"message","type","param","code"}}`: a response's body, or an event in the midst of a stream.
std::string print_error(const ApiError& error);

/// A failure from inside as a client may see it: bad input and the like 400, not_found 404, full 429, late,
/// resource and cancelled 503, internal 500 with a message that tells nothing of the inside.
ApiError to_api_error(const Error& error, std::string_view param = {});

}  // namespace braid::openai
