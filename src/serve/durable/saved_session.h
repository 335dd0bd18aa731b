#pragma once
// What a snapshot of a session holds: its text, and where in the log its embeddings are.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "braid/base/result.h"
#include "braid/openai/session_api.h"
#include "braid/packet/prompt.h"
#include "braid/packet/question.h"

namespace braid::serve {

/// Who began it, and so who may take it up again.
enum class SessionKind : std::uint8_t {
  kSources,     ///< POST /v1/sessions
  kConfigured,  ///< the server itself, for its [[source]]s
  kClient,      ///< a Realtime client
};

/// A run of embeddings in the session's log.
struct SavedRun {
  std::uint64_t id = 0, offset = 0;
};

struct SavedEntry {
  bool is_chunk = false;  ///< else turns
  std::int64_t chunk = 0;
  Modality modality = Modality::kText;
  std::int64_t source = 0;
  SessionTime start, end;
  Nanoseconds error_bound{};
  std::vector<std::variant<TokenRun, SavedRun>> pieces;
};

struct SavedSession {
  std::string id;
  std::string owner;       ///< the key's name
  std::string token_hash;  ///< of the resume token; empty: nobody has one
  std::string model;       ///< fingerprint of the one whose embeddings these are
  SessionKind kind = SessionKind::kSources;
  std::vector<std::string> sources;                ///< specs
  std::vector<openai::StandingQuestion> standing;  ///< of kSources, with their secrets
  std::optional<Nanoseconds> window;               ///< as it was asked for
  std::int64_t created = 0;                        ///< Unix time, seconds
  std::string conversation;                        ///< JSON of kClient's
  SessionTime now;
  std::uint64_t evicted = 0;
  std::int64_t next_question = 0;
  std::uint64_t next_run = 0;
  std::uint64_t perceived = 0, kept = 0;  ///< packets
  std::vector<SavedEntry> timeline;
  std::vector<openai::UnansweredQuestion> unanswered;
};

std::string print_saved_session(const SavedSession& session);
/// Any bytes will do; doesn't throw. kBadInput: no such JSON, or a member isn't what it must be. What isn't
/// known is passed over, what isn't there has its default.
Result<SavedSession> parse_saved_session(std::string_view json);

}  // namespace braid::serve
