#pragma once
// Braid's own: live sessions over HTTP (/v1/sessions) and what is posted to webhooks.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/base/time.h"
#include "braid/openai/api_error.h"
#include "braid/openai/chat_response.h"

namespace braid::openai {

struct SessionLimits {
  std::size_t body_bytes = 256U << 10;
  std::size_t sources = 16;
  std::size_t source_bytes = 4096;  ///< of one source's text
  std::size_t questions = 16;
  std::size_t question_bytes = 4096;
};

/// A question asked again and again; either `every` or `on_event` is set.
struct StandingQuestion {
  std::string ask;
  std::optional<Nanoseconds> every;  ///< >= 100 ms
  std::string on_event;              ///< an event's name; the server knows which there are
  std::string webhook;               ///< http or https; empty: answers are only kept
  std::string secret;                ///< signs what is posted; empty: the server's. Never printed
  std::optional<Nanoseconds> deadline;
  std::optional<int> max_tokens;
};

/// {"id","token"}: a session that was there before.
struct SessionResume {
  std::string id, token;  ///< the token is never printed
};

/// POST /v1/sessions {"sources":[...], "model"?, "window_s"?, "questions":[...]?}, or {"resume":{...}} alone
struct SessionCreate {
  std::vector<std::string>
      sources;        ///< each as `braid watch` takes it; at least one, but where one is resumed
  std::string model;  ///< empty: the server's
  std::optional<Nanoseconds> window;
  std::vector<StandingQuestion> questions;
  std::optional<SessionResume> resume;
};
Parsed<SessionCreate> parse_session_create(std::string_view body, const SessionLimits& limits = {});

struct SourceInfo {
  std::string name;
  std::string kind;   ///< media, sensor, text
  std::string state;  ///< the server's word: opening, live, ended, failed
  std::uint64_t perceived = 0, kept = 0;
};

/// Open when the process that was asked it died.
struct UnansweredQuestion {
  std::string question;
  SessionTime asked_at;
};

struct SessionInfo {
  std::string id;
  std::string state;  ///< the server's word
  std::vector<SourceInfo> sources;
  std::uint64_t perceived = 0, kept = 0;  ///< packets of all sources
  SessionTime window_from, window_to;
  std::int64_t window_chunks = 0, window_tokens = 0;
  std::int64_t created = 0, last_used = 0;     ///< Unix time, seconds
  std::uint64_t bytes = 0;                     ///< held outside the KV cache
  std::vector<UnansweredQuestion> unanswered;  ///< that nobody asks again, of one that came back
  std::string resume_token;                    ///< only where the session has just been made
};
std::string print_session(const SessionInfo& session);
/// {"object":"list","data":[...]}
std::string print_sessions(const std::vector<SessionInfo>& sessions);
std::string print_session_deleted(std::string_view id);

/// An answer to a standing question, to be posted.
struct WebhookEvent {
  std::string delivery_id;  ///< the same for every attempt: receivers drop what they have seen
  int attempt = 1;
  std::int64_t sent_at = 0;  ///< Unix time, seconds; signed, so that receivers can refuse old posts
  std::string session;
  std::string question, answer;
  Finish finish = Finish::kStop;
  std::int64_t asked_at_us = 0;  ///< session time
  Account account;
  /// What a pipeline's stage tells, as a JSON object: instead of an answer and all that is about it.
  std::string pipeline;
};

struct WebhookPost {
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;  ///< X-Braid-Delivery, -Attempt, -Signature, ...
};
/// No X-Braid-Signature without a secret. Errors: as webhook_signature().
Result<WebhookPost> print_webhook(const WebhookEvent& event, std::string_view secret);

/// "sha256=" and the hex HMAC-SHA256 (RFC 2104) of `body` under `secret`. Errors: kResource, where OpenSSL
/// refuses the algorithm or the key.
Result<std::string> webhook_signature(std::string_view secret, std::string_view body);

}  // namespace braid::openai
