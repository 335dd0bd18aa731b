#pragma once
// Events as JSON objects; the field names are those of docs/json.md.

#include <cstdint>
#include <string>

#include "braid/deliver/events.h"
#include "json_line.h"

namespace braid::deliver {

/// Rows of all chunks so far.
struct TokenTotals {
  std::uint64_t perceived = 0;
  std::uint64_t kept = 0;
};

std::string json_of(const Perceived& perceived);
std::string json_of(const Note& note);
std::string json_of(const Progress& progress);
std::string json_of(const Fault& fault);
std::string json_of(const Notice& notice);
std::string json_of(const AnswerBegin& begin);
std::string json_of(const AnswerDelta& delta);
std::string json_of(const PipelineEvent& event);
std::string json_of(const Summary& summary);

/// An answer's object up to its text, which can go out before the answer is finished.
JsonLine open_answer(const Answer& answer);
/// The rest of a finished one.
void close_answer(JsonLine& line, const Answer& answer, const TokenTotals& totals);

}  // namespace braid::deliver
