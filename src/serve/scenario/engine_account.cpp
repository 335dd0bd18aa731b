#include "scenario/engine_account.h"

#include <array>
#include <boost/json.hpp>

namespace braid::serve {

namespace {

namespace json = boost::json;

constexpr std::array<const char*, kRowKinds> kRowNames = {"decode_rows", "question_rows", "perception_rows",
                                                          "rebuild_rows"};

json::object work_between(const std::vector<engine::ScriptedCall>& calls, SteadyTime from, SteadyTime to) {
  std::int64_t encodes = 0;
  std::int64_t steps = 0;
  std::array<std::int64_t, kRowKinds> rows{};
  for (const engine::ScriptedCall& call : calls) {
    if (call.begin < from || call.begin >= to) continue;
    ++(call.kind == engine::ScriptedCall::Kind::kEncode ? encodes : steps);
    for (std::size_t i = 0; i < kRowKinds; ++i) rows[i] += call.rows[i];
  }
  json::object object{{"encodes", encodes}, {"steps", steps}};
  for (std::size_t i = 0; i < kRowKinds; ++i) object[kRowNames[i]] = rows[i];
  return object;
}

}  // namespace

std::string work_of(const Answer& answer, const std::vector<engine::ScriptedCall>& calls) {
  const SteadyTime first = answer.first_token.value_or(answer.last_token);
  return json::serialize(json::object{{"type", "work"},
                                      {"id", answer.id.value},
                                      {"before_first", work_between(calls, answer.asked, first)},
                                      {"in_all", work_between(calls, answer.asked, answer.last_token)}});
}

std::string totals_of(const engine::ScriptedEngine& made) {
  const engine::Counters counters = made.engine.decoder->counters();
  json::object object{
      {"type", "engine"},
      {"steps", counters.steps},
      {"passes", counters.passes},
      {"forks", counters.forks},
      {"used_cells", made.probe->used_cells()},
      {"peak_cells", made.probe->peak_cells()},
      {"encoded_frames", made.engine.encoder ? made.engine.encoder->encoded_frames() : 0},
      {"encoded_utterances", made.engine.encoder ? made.engine.encoder->encoded_utterances() : 0}};
  for (std::size_t i = 0; i < kRowKinds; ++i) object[kRowNames[i]] = counters.rows[i];
  return json::serialize(object);
}

}  // namespace braid::serve
