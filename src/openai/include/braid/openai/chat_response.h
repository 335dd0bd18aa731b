#pragma once
// Answers as chat.completion and chat.completion.chunk objects. Text is made valid UTF-8; numbers are such
// that the official client reads them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/base/deadline.h"
#include "braid/base/stage.h"
#include "braid/openai/chat_request.h"

namespace braid::openai {

/// PREFIX and 32 hex digits of the caller's random bits, as in chatcmpl-0123...
std::string make_id(std::string_view prefix, std::uint64_t high, std::uint64_t low);

/// What every object of one answer begins with.
struct AnswerHead {
  std::string id;            ///< chatcmpl-...
  std::int64_t created = 0;  ///< Unix time, seconds
  std::string model;
  std::string system_fingerprint;  ///< empty: null
};

/// Why an answer ended, in OpenAI's words: stop, length, tool_calls, content_filter.
enum class Finish { kStop, kLength, kToolCalls, kContentFilter };
const char* to_string(Finish finish);

/// One choice that the model had. `bytes` may be part of a character.
struct TokenChance {
  std::string bytes;
  double logprob = 0;  ///< natural; minus infinity is printed as -9999
};

struct TokenLogprob {
  TokenChance chosen;
  std::vector<TokenChance> top;  ///< most likely first; may hold the chosen one
};

/// Token counts.
struct Usage {
  std::int64_t prompt = 0;      ///< all rows the answer could see
  std::int64_t completion = 0;  ///< made
  std::int64_t cached = 0;      ///< of `prompt`: in the KV cache before the request came
  std::int64_t audio = 0;       ///< of `prompt`
  std::int64_t image = 0;       ///< of `prompt`
  std::int64_t text = 0;        ///< of `prompt`
};

/// What an answer saw of one source of its session.
struct AccountSource {
  std::string name;
  std::int64_t chunks = 0;
  std::optional<Nanoseconds> age, error_bound;  ///< none: nothing of it was in sight
};

/// A record of a memory that the model read with the question.
struct AccountEvidence {
  std::int64_t record = 0;
  std::string time;  ///< ISO 8601
  std::string source;
};

/// Braid's: how the answer came about; the object "braid" with the members of docs/json.md.
struct Account {
  std::optional<Nanoseconds> ttft;
  Nanoseconds wall{};
  std::optional<Nanoseconds> freshness;
  StageTimes stages;
  Verdict verdict = Verdict::kNone;
  std::vector<std::string> degraded;
  std::optional<Nanoseconds> deadline;
  SessionTime window_from, window_to;
  std::int64_t window_chunks = 0;
  std::int64_t window_tokens = 0;
  std::int64_t window_evicted_chunks = 0;
  std::vector<AccountSource> window_sources;
  std::vector<AccountEvidence> evidence;  ///< in order of time
};

/// An answer that isn't streamed.
struct Completion {
  AnswerHead head;
  std::string content;
  std::vector<ToolCall> tool_calls;
  std::optional<std::vector<TokenLogprob>> logprobs;
  Finish finish = Finish::kStop;
  Usage usage;
  std::optional<Account> account;
};
std::string print_completion(const Completion& completion);

/// The objects of one streamed answer, each the data of one server-sent event: role() first, text() or
/// tool_call() as they come, last(), usage() if the client asked for it, then kStreamEnd. One thread.
class ChunkPrinter {
 public:
  /// `include_usage`: the client asked for usage; the other chunks then say "usage":null.
  ChunkPrinter(const AnswerHead& head, bool include_usage);

  std::string role() const;
  /// `text`: whole characters. `logprobs`: of the tokens that it was made from; empty: null.
  std::string text(std::string_view text, const std::vector<TokenLogprob>& logprobs = {}) const;
  /// A whole call in one chunk; `index` counts the answer's calls from 0.
  std::string tool_call(int index, const ToolCall& call) const;
  std::string last(Finish finish, const std::optional<Account>& account = {}) const;
  /// No choices; all counts.
  std::string usage(const Usage& usage) const;

 private:
  std::string choice(std::string_view delta, std::string_view logprobs, std::string_view finish,
                     std::string_view rest = {}) const;

  std::string opening_;  // up to "choices":
  std::string closing_;
};

/// The data of a stream's last event.
inline constexpr std::string_view kStreamEnd = "[DONE]";

/// A model of GET /v1/models.
struct ModelInfo {
  std::string id;
  std::int64_t created = 0;  ///< Unix time, seconds
  std::string owned_by = "braid";
};
std::string print_model(const ModelInfo& model);
std::string print_models(const std::vector<ModelInfo>& models);

}  // namespace braid::openai
