#pragma once
// What the scripted engine's parts share: options, cells, labels, and the log that the probe shows.

#include <mutex>
#include <set>
#include <vector>

#include "braid/engine/scripted_engine.h"
#include "scripted/cells.h"
#include "scripted/labels.h"
#include "scripted/vocabulary.h"

namespace braid::engine::scripted {

struct State final : ScriptedProbe {
  State(Clock& its_clock, ScriptedOptions its_options);

  int used_cells() const override;
  int peak_cells() const override;
  int sequences() const override;
  std::string contents(SequenceId sequence) const override;
  std::vector<ScriptedCall> calls() const override;

  void log_call(const ScriptedCall& call);  // takes the mutex

  Clock& clock;
  const ScriptedOptions options;
  const Vocabulary vocabulary;
  LabelTable labels;

  mutable std::mutex mutex;  // guards what follows
  CellStore cells;
  Counters counters;
  int peak = 0;
  std::uint64_t frames = 0;
  std::uint64_t utterances = 0;
  std::vector<ScriptedCall> log;
};

}  // namespace braid::engine::scripted
