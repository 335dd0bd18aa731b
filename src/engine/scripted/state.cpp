#include "scripted/state.h"

#include <utility>

#include "scripted/view.h"

namespace braid::engine::scripted {

namespace {
constexpr std::size_t kMaxLog = 65536;
}

State::State(Clock& its_clock, ScriptedOptions its_options)
    : clock(its_clock),
      options(std::move(its_options)),
      vocabulary(options.words),
      cells(options.max_sequences) {}

int State::used_cells() const {
  std::lock_guard lock(mutex);
  return cells.used();
}

int State::peak_cells() const {
  std::lock_guard lock(mutex);
  return peak;
}

int State::sequences() const {
  std::lock_guard lock(mutex);
  return cells.open_sequences();
}

std::string State::contents(SequenceId sequence) const {
  std::lock_guard lock(mutex);
  return cells.valid(sequence) ? render(cells.held(sequence), vocabulary, labels) : "";
}

std::vector<ScriptedCall> State::calls() const {
  std::lock_guard lock(mutex);
  return log;
}

void State::log_call(const ScriptedCall& call) {
  std::lock_guard lock(mutex);
  if (log.size() < kMaxLog) log.push_back(call);
}

}  // namespace braid::engine::scripted
