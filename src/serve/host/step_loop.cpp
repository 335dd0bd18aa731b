#include "host/step_loop.h"

#include <algorithm>
#include <utility>

namespace braid::serve {

namespace {

// About a frame of the default model: on two quiet cores such a step stays under the target.
constexpr int kMinStepRows = 16;

// First guesses; the planner learns the engine's own.
constexpr Nanoseconds kStepBase = Milliseconds(10);
constexpr Nanoseconds kStepRow = Milliseconds(2);

schedule::PlanOptions plan_options(const HostOptions& options, const engine::EngineInfo& info) {
  schedule::PlanOptions plan;
  plan.max_rows = info.max_step_rows;
  plan.step_target = options.step_target;
  plan.min_rows = kMinStepRows;
  plan.perceive_beside_question = info.on_gpu;
  plan.deterministic = options.deterministic;
  return plan;
}

// Clients take turns at being asked; what somebody waits for doesn't: two that share the steps both come
// late.
bool waits_longer(const schedule::PrefillJob* a, const schedule::PrefillJob* b) {
  return std::pair(a->since(), a->sequence()) < std::pair(b->since(), b->sequence());
}

void clear(schedule::Ready& ready) {
  ready.decodes.clear();
  ready.questions.clear();
  ready.awaited.clear();
  ready.perception.clear();
  ready.rebuilds.clear();
  ready.question_waits = false;
}

}  // namespace

StepLoop::StepLoop(engine::Engine& engine, Clock& clock, HostOptions options)
    : engine_(engine),
      clock_(clock),
      options_(options),
      timeline_text_(*engine.tokenizer),
      arbiter_(clock, !engine.info.on_gpu),
      in_(clock),
      new_clients_(in_.add_lane({.capacity = 64})),
      ledger_(engine.info.cells, engine.info.max_sequences),
      promises_(engine.info.cells, engine.info.max_sequences, clock, options.idle_after),
      prefixes_(*engine.decoder, ledger_),
      planner_(plan_options(options, engine.info), schedule::StepCost(kStepBase, kStepRow)),
      last_look_(clock.now()) {}

StepLoop::~StepLoop() {
  {
    std::lock_guard lock(mutex_);
    new_clients_.end();
  }
  if (thread_) thread_->join();
}

void StepLoop::forget_lanes(std::initializer_list<std::size_t> lanes) {
  for (const std::size_t lane : lanes) in_.close(lane);
}

void StepLoop::start() {
  std::lock_guard lock(mutex_);
  start_locked();
}

void StepLoop::start_locked() {
  if (!thread_) thread_.emplace(clock_, "engine", [this] { run(); });
}

void StepLoop::add(std::unique_ptr<StepClient> client) {
  std::lock_guard lock(mutex_);
  start_locked();
  new_clients_.push(std::move(client));
}

// Cells are promised before a client comes for them, so what is freed here is there in time.
void StepLoop::make_room() {
  for (auto& client : clients_) client->give_way();
  prefixes_.trim(engine_.info.cells - promises_.cells(), engine_.info.max_sequences - promises_.sequences());
}

bool StepLoop::take() {
  bool any = false;
  while (auto input = in_.try_pop(kNewClients)) {
    clients_.push_back(std::move(std::get<std::unique_ptr<StepClient>>(*input)));
    any = true;
  }
  make_room();
  for (auto& client : clients_) any = client->take() || any;
  return any;
}

// Deterministic: the first client that has rows, alone; sums then don't depend on who else is there.
bool StepLoop::plan() {
  clear(ready_);
  asked_.clear();
  const std::size_t count = clients_.size();
  if (count == 0) return false;
  first_ = (first_ + 1) % count;
  for (std::size_t i = 0; i < count; ++i) {
    StepClient* client = clients_[(first_ + i) % count].get();
    client->ready(ready_);
    asked_.push_back(client);
    if (!options_.deterministic) continue;
    planner_.plan(ready_, planned_);
    if (!planned_.plan.rows.empty()) return true;
    clear(ready_);
    asked_.clear();
  }
  if (options_.deterministic) return false;
  std::sort(ready_.questions.begin(), ready_.questions.end(), waits_longer);
  for (auto* jobs : {&ready_.awaited, &ready_.rebuilds})
    std::stable_sort(jobs->begin(), jobs->end(), waits_longer);
  planner_.plan(ready_, planned_);
  return !planned_.plan.rows.empty();
}

// Whoever comes next waits for no more than this one step.
bool StepLoop::plan_idle() {
  if (ready_.question_waits) return false;
  const std::size_t count = clients_.size();
  for (std::size_t i = 0; i < count; ++i) {
    StepClient* client = clients_[(first_ + i) % count].get();
    clear(ready_);
    client->ready_idle(ready_);
    if (ready_.decodes.empty() && ready_.questions.empty()) continue;
    // Cut at the step's target, which a question wouldn't be.
    ready_.rebuilds.swap(ready_.questions);
    asked_.assign(1, client);
    planner_.plan(ready_, planned_);
    return !planned_.plan.rows.empty();
  }
  return false;
}

bool StepLoop::step() {
  if (!plan() && !plan_idle()) return false;
  auto turn = arbiter_.take(engine::DeviceArbiter::Work::kStep);
  const SteadyTime begin = clock_.now();
  for (StepClient* client : asked_) client->step_begins(planned_, begin);
  auto result = engine_.decoder->step(planned_.plan);
  const SteadyTime end = clock_.now();
  last_step_ = end;
  if (!result) {
    for (StepClient* client : asked_) client->step_failed(planned_, result.error());
    return true;
  }
  planner_.cost().observe(static_cast<int>(planned_.plan.rows.size()), end - begin);
  for (StepClient* client : asked_) client->step_done(planned_, *result, end);
  return true;
}

void StepLoop::sweep() {
  const auto over = [](const std::unique_ptr<StepClient>& client) { return client->over(); };
  clients_.erase(std::remove_if(clients_.begin(), clients_.end(), over), clients_.end());
}

void StepLoop::run() {
  while (true) {
    last_look_ = clock_.now();
    used_cells_ = ledger_.used();
    const bool took = take();
    const bool stepped = step();
    sweep();
    if (stepped || took) continue;
    if (clients_.empty() && in_.ended(kNewClients)) break;
    in_.wait();
  }
  prefixes_.trim(0, 0);
  in_.close();
}

EngineHost::EngineHost(engine::Engine& engine, Clock& clock, HostOptions options)
    : loop_(std::make_unique<StepLoop>(engine, clock, options)) {}
EngineHost::~EngineHost() = default;

const engine::EngineInfo& EngineHost::info() const { return loop_->engine().info; }
SteadyTime EngineHost::last_step() const { return loop_->last_step(); }
int EngineHost::cells() const { return loop_->engine().info.cells; }
int EngineHost::promised_cells() const { return loop_->promised_cells(); }
int EngineHost::used_cells() const { return loop_->used_cells(); }

}  // namespace braid::serve
