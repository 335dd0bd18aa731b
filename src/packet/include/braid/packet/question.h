#pragma once
// What is asked, and what comes back while it is answered.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "braid/base/deadline.h"
#include "braid/base/ids.h"
#include "braid/base/result.h"
#include "braid/base/stage.h"
#include "braid/base/time.h"

namespace braid {

/// How tokens are chosen. Greedy by default.
struct Sampling {
  float temperature = 0.0F;  ///< 0: greedy; top_k to seed are ignored then
  int top_k = 40;            ///< 0: off
  float top_p = 0.95F;       ///< 1: off
  float min_p = 0.05F;       ///< 0: off
  std::uint64_t seed = 0;
  float frequency_penalty = 0.0F;  ///< taken from a token's logit for each time it was generated; 0: off
  float presence_penalty = 0.0F;   ///< taken once from the logit of a token that was generated; 0: off
  std::vector<std::pair<std::int32_t, float>> logit_bias = {};  ///< token, added to its logit
};

/// A record of a memory that is given to the model beside a question.
struct Evidence {
  std::int64_t record = 0;  ///< its number in the memory
  std::string time;         ///< as it is cited: ISO 8601, a moment or `start/end`
  std::string source;
  std::string text;
  /// Where it ends on the session's timeline, if it was written by the same session: what is still in the
  /// window then isn't said twice.
  std::optional<SessionTime> perceived_at = std::nullopt;
};

/// A question to a session. It sees every chunk that ends at or before `at`.
struct Question {
  QuestionId id;
  std::string text;                  ///< may be empty where the last utterance is the question
  std::optional<SessionTime> at;     ///< none: when everything has been seen
  std::optional<Nanoseconds> every;  ///< asked again so much later, for as long as the sources last
  QuestionId standing;               ///< the first of those asked so; set by the session
  bool now = false;                  ///< asked by somebody who waits: `at` is set when the session takes it
  std::optional<Nanoseconds> deadline;  ///< from asked to last byte delivered
  int max_tokens = 96;
  Sampling sampling;
  std::vector<std::string> stops;  ///< texts that end the answer; not part of it

  SteadyTime asked{};      ///< set when the question is asked: by the asker, or when its time `at` comes
  SessionTime asked_at{};  ///< the same moment on the session's timeline
  StageTrace trace;        ///< who held the question itself
  std::vector<std::string> degraded;  ///< what was given up for it: the answer's
  std::vector<Evidence> evidence;     ///< what a memory has on it, best first; read before its text
};

/// Why an answer ended. Wire names: stop, length, cancelled, error, shed.
enum class FinishReason { kStop, kLength, kCancelled, kError, kShed };
const char* to_string(FinishReason reason);

/// What an answer saw of one source.
struct SourceView {
  SourceId source;
  std::string name;
  int chunks = 0;             ///< 0: nothing of it was in sight
  SessionTime newest;         ///< end of the last one
  Nanoseconds error_bound{};  ///< the largest of them
};

/// What an answer saw.
struct WindowInfo {
  SessionTime from;  ///< start of the oldest visible chunk
  SessionTime to;    ///< end of the newest
  int chunks = 0;
  int tokens = 0;          ///< rows visible to the question, system text included
  int evicted_chunks = 0;  ///< left the window since the session's start
  int frames = 0, utterances = 0, lines = 0, readings = 0;  ///< of the chunks
  std::vector<SourceView> sources;  ///< by id; each of the session's, once the answer begins
};

/// A piece of an answer's text. Whole UTF-8 characters.
struct AnswerDelta {
  QuestionId id;
  std::string text;
};

/// A finished answer. Sums of `stages` over all stages equal `wall`.
struct Answer {
  QuestionId id;
  std::string question;
  std::string text;
  FinishReason finish = FinishReason::kStop;
  std::optional<Error> error;  ///< with kError and kShed
  SessionTime asked_at;
  SteadyTime asked;       ///< when the question was asked
  SteadyTime last_token;  ///< when the model was done; `deliver` runs from here
  std::optional<SteadyTime> first_token;
  std::optional<Nanoseconds> freshness;  ///< age of the newest perceived chunk at the first decode
  std::optional<Nanoseconds> deadline;
  Verdict verdict = Verdict::kNone;   ///< set by deliver
  std::vector<std::string> degraded;  ///< rungs of the ladder taken
  int prompt_tokens = 0;              ///< visible window and question
  int question_tokens = 0;
  int answer_tokens = 0;
  WindowInfo window;
  std::vector<Evidence> evidence;  ///< what of the question's had room, in order of time
  StageTimes stages;               ///< up to last_token; deliver adds kDeliver and kUnattributed
};

}  // namespace braid
