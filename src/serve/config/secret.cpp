#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "config/config.h"

namespace braid::serve {

namespace {

constexpr std::streamsize kMaxSecret = 4096;  // bytes

}  // namespace

Result<std::string> read_secret(const SecretChoice& choice) {
  if (!choice.file.empty() && !choice.env.empty())
    return fail(ErrorCode::kUsage, "secret_file and secret_env are both set; a secret comes from one place");
  std::string secret;
  if (!choice.env.empty()) {
    const char* value = std::getenv(choice.env.c_str());
    if (!value)
      return fail(ErrorCode::kUsage, fmt::format("the variable {} of secret_env isn't set", choice.env));
    secret = value;
  } else if (!choice.file.empty()) {
    std::ifstream file(choice.file, std::ios::binary);
    if (!file) return fail(ErrorCode::kNotFound, fmt::format("{} of secret_file can't be read", choice.file));
    secret.resize(kMaxSecret);
    file.read(secret.data(), kMaxSecret);
    secret.resize(static_cast<std::size_t>(file.gcount()));
    while (!secret.empty() && (secret.back() == '\n' || secret.back() == '\r')) secret.pop_back();
  } else {
    return secret;
  }
  if (secret.empty())
    return fail(ErrorCode::kBadInput,
                fmt::format("the secret in {} is empty", choice.env.empty() ? choice.file : choice.env));
  return secret;
}

}  // namespace braid::serve
