#include "braid/net/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "braid/base/json_text.h"

namespace braid::net {

std::string error_json(const HttpError& error) {
  const auto or_null = [](const std::string& text) {
    return text.empty() ? std::string("null") : quoted(text);
  };
  const std::string type = !error.type.empty()   ? error.type
                           : error.status >= 500 ? "server_error"
                                                 : "invalid_request_error";
  return fmt::format(R"({{"error":{{"message":{},"type":{},"param":{},"code":{}}}}})", quoted(error.message),
                     quoted(type), or_null(error.param), or_null(error.code));
}

const char* status_text(int status) {
  static constexpr std::array<std::pair<int, const char*>, 36> kTexts{{
      {100, "Continue"},
      {101, "Switching Protocols"},
      {200, "OK"},
      {201, "Created"},
      {202, "Accepted"},
      {204, "No Content"},
      {206, "Partial Content"},
      {301, "Moved Permanently"},
      {302, "Found"},
      {303, "See Other"},
      {304, "Not Modified"},
      {307, "Temporary Redirect"},
      {308, "Permanent Redirect"},
      {400, "Bad Request"},
      {401, "Unauthorized"},
      {403, "Forbidden"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {406, "Not Acceptable"},
      {408, "Request Timeout"},
      {409, "Conflict"},
      {410, "Gone"},
      {411, "Length Required"},
      {412, "Precondition Failed"},
      {413, "Content Too Large"},
      {415, "Unsupported Media Type"},
      {417, "Expectation Failed"},
      {422, "Unprocessable Content"},
      {426, "Upgrade Required"},
      {429, "Too Many Requests"},
      {431, "Request Header Fields Too Large"},
      {500, "Internal Server Error"},
      {501, "Not Implemented"},
      {502, "Bad Gateway"},
      {503, "Service Unavailable"},
      {504, "Gateway Timeout"},
  }};
  const auto* found =
      std::find_if(kTexts.begin(), kTexts.end(), [&](const auto& text) { return text.first == status; });
  return found == kTexts.end() ? "Status" : found->second;
}

}  // namespace braid::net
