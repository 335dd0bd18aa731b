#include "braid/openai/api_error.h"

#include <utility>

#include "json_out.h"

namespace braid::openai {

std::string print_error(const ApiError& error) {
  JsonOut out;
  out.begin_object().name("error").begin_object();
  out.name("message").string(error.message).name("type").string(error.type);
  out.name("param").string_or_null(error.param).name("code").string_or_null(error.code);
  out.end_object().end_object();
  return out.take();
}

ApiError to_api_error(const Error& error, std::string_view param) {
  ApiError api{400, error.message, "invalid_request_error", std::string(param), to_string(error.code)};
  switch (error.code) {
    case ErrorCode::kUsage:
    case ErrorCode::kBadInput:
    case ErrorCode::kUnsupported:
    case ErrorCode::kMismatch:
    case ErrorCode::kLimit:
      break;
    case ErrorCode::kNotFound:
      api.http_status = 404;
      break;
    case ErrorCode::kFull:
      api.http_status = 429;
      api.type = "rate_limit_error";
      break;
    case ErrorCode::kLate:
    case ErrorCode::kCancelled:
    case ErrorCode::kResource:
      api.http_status = 503;
      api.type = "server_error";
      break;
    case ErrorCode::kInternal:
      api.http_status = 500;
      api.type = "server_error";
      api.message = "The server failed while it worked on this request; its log says why.";
      break;
  }
  return api;
}

}  // namespace braid::openai
