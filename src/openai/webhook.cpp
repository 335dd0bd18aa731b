#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "account.h"
#include "braid/openai/session_api.h"
#include "json_out.h"

namespace braid::openai {

Result<std::string> webhook_signature(std::string_view secret, std::string_view body) {
  // An empty key is a key too; OpenSSL wants an address for it.
  static constexpr char kNothing = 0;
  const void* key = secret.empty() ? &kNothing : secret.data();
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  if (HMAC(EVP_sha256(), key, static_cast<int>(secret.size()),
           reinterpret_cast<const unsigned char*>(body.data()), body.size(), digest.data(),
           &length) == nullptr)
    return fail(ErrorCode::kResource, "OpenSSL refuses HMAC-SHA256 under this secret; a longer one may do");
  return fmt::format("sha256={:02x}", fmt::join(std::span(digest).first(length), ""));
}

Result<WebhookPost> print_webhook(const WebhookEvent& event, std::string_view secret) {
  JsonOut out;
  out.begin_object().name("type").string(event.pipeline.empty() ? "answer" : "pipeline");
  out.name("delivery").string(event.delivery_id).name("attempt").integer(event.attempt);
  out.name("sent_at").integer(event.sent_at).name("session").string(event.session);
  if (event.pipeline.empty()) {
    out.name("question").string(event.question).name("asked_at_us").integer(event.asked_at_us);
    out.name("answer").string(event.answer).name("finish").string(to_string(event.finish));
    append_account(out, event.account);
  } else {
    out.name("event").raw(event.pipeline);
  }
  out.end_object();

  WebhookPost post;
  post.body = out.take();
  post.headers = {{"Content-Type", "application/json"},
                  {"X-Braid-Delivery", event.delivery_id},
                  {"X-Braid-Attempt", std::to_string(event.attempt)}};
  if (!secret.empty()) {
    Result<std::string> signature = webhook_signature(secret, post.body);
    if (!signature) return tl::unexpected(std::move(signature.error()));
    post.headers.emplace_back("X-Braid-Signature", std::move(*signature));
  }
  return post;
}

}  // namespace braid::openai
