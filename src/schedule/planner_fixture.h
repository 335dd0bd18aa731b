#pragma once
// For the planner's tests: jobs made in a line, and plans read as text.

#include <fmt/format.h>

#include <deque>
#include <memory>
#include <string>

#include "braid/schedule/planner.h"

namespace braid::schedule {

/// `text`: a letter is a token, a digit an indivisible medium of so many rows.
inline Prompt prompt_of(const std::string& text) {
  Prompt prompt;
  for (const char c : text) {
    if (c < '0' || c > '9') {
      prompt.append(TokenRun{c});
      continue;
    }
    EmbeddingRun medium;
    medium.positions = c - '0';
    medium.rows = std::make_shared<Matrix>(static_cast<std::size_t>(medium.positions), 1);
    medium.indivisible = true;
    prompt.pieces.emplace_back(medium);
  }
  return prompt;
}

/// Jobs that live as long as the fixture, and the plans made of them.
class PlannerFixture {
 public:
  PrefillJob* job(RowKind kind, int sequence, const std::string& text, Position start = 0) {
    jobs_.emplace_back(SequenceId{sequence}, start, prompt_of(text), kind, kind == RowKind::kQuestion);
    PrefillJob* made = &jobs_.back();
    if (kind == RowKind::kQuestion) ready.questions.push_back(made);
    if (kind == RowKind::kPerception) ready.perception.push_back(made);
    if (kind == RowKind::kRebuild) ready.rebuilds.push_back(made);
    return made;
  }
  PrefillJob* question(int sequence, const std::string& text) {
    return job(RowKind::kQuestion, sequence, text);
  }
  PrefillJob* perception(int sequence, const std::string& text, Position start = 0) {
    return job(RowKind::kPerception, sequence, text, start);
  }
  PrefillJob* awaited(int sequence, const std::string& text) {
    PrefillJob* made = perception(sequence, text);
    ready.perception.pop_back();
    ready.awaited.push_back(made);
    return made;
  }
  PrefillJob* rebuild(int sequence, const std::string& text) {
    return job(RowKind::kRebuild, sequence, text);
  }
  void decoding(int sequence) { ready.decodes.push_back({SequenceId{sequence}, 50, 'd'}); }

  /// Plans, commits, and gives the rows by kind: "2d 3q 1p 4r", media in brackets.
  std::string step(Planner& planner) {
    planner.plan(ready, planned);
    for (const auto& share : planned.shares) share.job->commit(share.rows);
    std::string text;
    constexpr const char* kLetters = "dqpr";
    for (const RowKind kind : {RowKind::kDecode, RowKind::kQuestion, RowKind::kPerception, RowKind::kRebuild})
      if (const int n = planned.plan.count(kind); n > 0)
        text += fmt::format("{}{}{}", text.empty() ? "" : " ", n, kLetters[static_cast<std::size_t>(kind)]);
    return planned.plan.non_causal ? fmt::format("[{}]", text) : text;
  }

  Ready ready;
  Planned planned;

 private:
  std::deque<PrefillJob> jobs_;
};

/// A step of n rows takes 10 + n ms: 40 rows in the target of 50 ms.
inline StepCost forty_rows() { return {Milliseconds(10), Milliseconds(1)}; }

}  // namespace braid::schedule
