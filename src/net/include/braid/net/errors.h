#pragma once
// Errors as clients see them: {"error":{"message","type","param","code"}}, the form OpenAI's clients read.

#include <functional>
#include <string>

namespace braid::net {

/// What went wrong with a request. Fields are UTF-8; invalid bytes are replaced when written.
struct HttpError {
  int status = 500;
  std::string message;
  std::string type;   ///< empty: by status: "invalid_request_error", or "server_error" from 500 on
  std::string param;  ///< the field that was wrong; empty: null
  std::string code;   ///< a word that programs branch on; empty: null
};

/// An error as the body of an answer of type application/json. Called on io threads; must not throw.
using ErrorFormatter = std::function<std::string(const HttpError&)>;

std::string error_json(const HttpError& error);

/// "Not Found" for 404; "Status" for what has no name.
const char* status_text(int status);

}  // namespace braid::net
