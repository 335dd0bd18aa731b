#include "pipeline/pipeline_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "braid/calendar/session_range.h"
#include "braid/deliver/json_writer.h"
#include "memory/session_memory.h"
#include "pipeline/stage_text.h"

namespace braid::serve {

namespace {

/// A note comes after what it is about; so long its surroundings are kept.
constexpr Nanoseconds kNotesLag = std::chrono::minutes(1);

/// About a hundred pictures of the default model.
constexpr std::size_t kNoteBytes = 8U << 20;

bool waits_for_notes(const PipelineStage& stage) {
  const auto& trigger = stage.trigger_on;
  if (!trigger || !trigger->stage.empty() || !trigger->channel.empty()) return false;
  return trigger->event == StageEvent::kNote || (!trigger->event && !trigger->contains.empty());
}

Nanoseconds reach_of(const PipelinePlan& plan) {
  Nanoseconds reach{};
  for (const PipelineStage& stage : plan.stages) {
    const Nanoseconds length = stage.time_window ? stage.time_window->length : Nanoseconds{};
    reach = std::max({reach, length - stage.start_offset, stage.tolerance - stage.start_offset});
    if (waits_for_notes(stage)) reach = std::max(reach, kNotesLag);
  }
  return reach;
}

bool writes_clips(const PipelinePlan& plan) {
  return std::any_of(plan.stages.begin(), plan.stages.end(),
                     [](const PipelineStage& stage) { return stage.action == StageAction::kClip; });
}

}  // namespace

PipelineTools tools_of(const std::function<Session&()>& session) {
  PipelineTools tools;
  tools.ask = [session](Question question) { return session().ask(std::move(question)); };
  tools.tell = [session](deliver::PipelineEvent event) { return session().tell(std::move(event)); };
  tools.notes = [session] { return session().notes(); };
  return tools;
}

Result<std::unique_ptr<PipelineRun>> PipelineRun::create(PipelinePlan plan, PipelineTools tools,
                                                         Clock& clock) {
  if (const auto fault = find_fault(plan))
    return fail(ErrorCode::kUsage, fmt::format("{}: {}", fault->key, fault->message));
  if (Status can = check_plan_needs(plan, tools.memory != nullptr); !can) return tl::unexpected(can.error());
  return std::unique_ptr<PipelineRun>(new PipelineRun(std::move(plan), std::move(tools), clock));
}

PipelineRun::PipelineRun(PipelinePlan plan, PipelineTools tools, Clock& clock)
    : plan_(std::move(plan)),
      tools_(std::move(tools)),
      clock_(clock),
      unperceived_(plan_.unperceived.begin(), plan_.unperceived.end()),
      reach_(reach_of(plan_)),
      changed_(clock),
      held_(writes_clips(plan_)),
      triggers_(plan_),
      thread_(clock, "pipeline", [this] { run(); }) {
  const auto held = lock();
  for (std::size_t stage = 0; stage < plan_.stages.size(); ++stage)
    if (plan_.stages[stage].time_window && !plan_.stages[stage].trigger_on)
      windows_[stage] = held_.add_windows(*plan_.stages[stage].time_window);
}

PipelineRun::~PipelineRun() { close(); }

void PipelineRun::close() {
  {
    const auto held = lock();
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

PipelineCounts PipelineRun::counts() const {
  const auto held = lock();
  return counts_;
}

bool PipelineRun::needs_notes() const {
  return std::any_of(plan_.stages.begin(), plan_.stages.end(), waits_for_notes);
}

void PipelineRun::attach(SessionOptions& options) {
  options.tap = this;
  options.evidence_tokens = std::max(options.evidence_tokens, kEvidenceTokens);
  if (needs_notes()) options.note_bytes = std::max(options.note_bytes, kNoteBytes);
}

void PipelineRun::add_source(SourceId source, const ingest::SourceInfo& info) {
  const auto held = lock();
  held_.add_source(source, info);
}

void PipelineRun::arrived(SourceId source, const Packet& packet) {
  const auto held = lock();
  held_.arrived(source, packet);
}

void PipelineRun::assumed(const std::vector<sync::Advance>& advances) {
  const auto held = lock();
  held_.assumed(advances);
}

void PipelineRun::ended(SourceId source) {
  const auto held = lock();
  held_.ended(source);
}

bool PipelineRun::let_out(const sync::Timed& item) {
  const auto held = lock();
  const auto source = std::visit(
      [](const auto& one) -> std::optional<SourceId> {
        if constexpr (requires { one.source; }) return one.source;
        return std::nullopt;
      },
      item);
  if (std::holds_alternative<sync::StreamsEnd>(item)) pass(SessionTime::max());
  if (!source) return true;
  const std::string& name = held_.name(*source);
  if (const auto* utterance = std::get_if<Utterance>(&item)) held_.heard(*utterance);
  happened(triggers_.at(item, name));
  return std::holds_alternative<Damage>(item) || !unperceived_.contains(name);
}

void PipelineRun::passed(SessionTime frontier) {
  const auto held = lock();
  pass(frontier);
}

void PipelineRun::pass(SessionTime frontier) {
  frontier_ = std::max(frontier_, frontier);
  held_.passed(frontier);
  for (const auto& [stage, windows] : windows_)
    while (auto window = held_.next_window(windows)) {
      const SessionTime at = window->at;
      fire({stage, at, {}, {}, {}, {}}, std::move(window));
    }
  release_ready();
  forget();
}

void PipelineRun::on_event(const deliver::Event& event) {
  const auto held = lock();
  if (const auto* note = std::get_if<deliver::Note>(&event)) {
    ++notes_heard_;
    happened(triggers_.at(*note));
    release_ready();
  } else if (const auto* answer = std::get_if<Answer>(&event)) {
    answered(*answer);
  } else if (const auto* progress = std::get_if<deliver::Progress>(&event); progress && progress->ended) {
    all_seen_ = true;
  } else {
    return;
  }
  changed_.notify_all();
}

void PipelineRun::answered(const Answer& answer) {
  const auto asked = asked_.find(answer.id.value);
  if (asked == asked_.end()) {
    if (asking_) early_.push_back(answer);
    return;
  }
  asked->second->answer = answer;
  jobs_.push_back(std::move(asked->second));
  asked_.erase(asked);
}

void PipelineRun::happened(const std::vector<Happened>& all) {
  for (const Happened& one : all) fire(one);
}

bool PipelineRun::admit(std::size_t stage, SessionTime at) {
  if (stopping_) return false;
  if (waiting_.size() + jobs_.size() + asked_.size() >= kMostOpen) {
    ++counts_.passed_over;
    changed_.notify_all();
    return false;
  }
  const auto last = last_.find(stage);
  if (last != last_.end() && at - last->second < plan_.stages[stage].cooldown) {
    ++counts_.cooled;
    return false;
  }
  last_[stage] = at;
  ++counts_.fired;
  return true;
}

void PipelineRun::fire(const Happened& trigger, std::optional<sync::AlignedWindow> window) {
  if (!admit(trigger.stage, trigger.at)) return;
  auto firing = std::make_shared<Firing>();
  firing->index = trigger.stage;
  firing->stage = &plan_.stages[trigger.stage];
  firing->number = next_++;
  firing->trigger = trigger;
  firing->began = clock_.now();
  place(*firing, trigger.at);
  if (window) {
    firing->from = window->from;
    firing->to = window->at;
    firing->due = std::max(firing->due, firing->to);
  }
  waiting_.push_back(std::move(firing));
}

/// What waits for this stage begins, with all that is known by now.
void PipelineRun::follow(const Firing& done) {
  for (std::size_t stage = 0; stage < plan_.stages.size(); ++stage) {
    const auto& trigger = plan_.stages[stage].trigger_on;
    if (!trigger || trigger->stage != done.stage->name) continue;
    if (!trigger->contains.empty() && !has_phrase(done.event.answer, trigger->contains)) continue;
    if (!admit(stage, done.trigger.at)) continue;
    auto firing = std::make_shared<Firing>();
    firing->index = stage;
    firing->stage = &plan_.stages[stage];
    firing->number = next_++;
    firing->trigger = done.trigger;
    firing->began = done.began;
    firing->event.evidence = done.event.evidence;
    firing->event.answer = done.event.answer;
    place(*firing, done.trigger.at);
    waiting_.push_back(std::move(firing));
  }
}

void PipelineRun::release_ready() {
  const auto ready = [&](const FiringPtr& firing) { return held_.settled(firing->due); };
  const auto first = std::stable_partition(waiting_.begin(), waiting_.end(),
                                           [&](const FiringPtr& firing) { return !ready(firing); });
  for (auto it = first; it != waiting_.end(); ++it) {
    Firing& firing = **it;
    if (firing.has_window()) {
      auto gathered = held_.gather({firing.from, firing.to, firing.stage->take, firing.trigger.at,
                                    firing.stage->sources, &unperceived_},
                                   [this](SessionTime at) { return when(at); });
      firing.event.from = firing.from;
      firing.event.to = firing.to;
      if (gathered) {
        firing.event.streams = std::move(gathered->streams);
        std::move(gathered->words.begin(), gathered->words.end(), std::back_inserter(firing.event.evidence));
        firing.pictures = std::move(gathered->pictures);
      }
    }
    jobs_.push_back(std::move(*it));
  }
  if (first == waiting_.end()) return;
  waiting_.erase(first, waiting_.end());
  changed_.notify_all();
}

void PipelineRun::forget() {
  SessionTime needed = frontier_;
  for (const FiringPtr& firing : waiting_) needed = std::min(needed, firing->trigger.at);
  for (const FiringPtr& firing : jobs_) needed = std::min(needed, firing->trigger.at);
  for (const auto& [id, firing] : asked_) needed = std::min(needed, firing->trigger.at);
  if (busy_at_) needed = std::min(needed, *busy_at_);
  if (needed != SessionTime::max()) held_.forget_before(needed - reach_);
}

UtcTime PipelineRun::utc(SessionTime at) const {
  std::call_once(zero_asked_, [this] {
    if (zero_of_) zero_ = zero_of_();
  });
  return calendar::utc_time(at, zero_);
}

std::string PipelineRun::when(SessionTime at) const { return calendar::utc_text(utc(at)); }

bool PipelineRun::all_noted() const {
  if (!tools_.notes || !needs_notes()) return true;
  const NotesBehind notes = tools_.notes();
  return notes.waiting == 0 && notes.made == notes_heard_;
}

void PipelineRun::run() {
  auto held = lock();
  const auto due = [&] { return stopping_ || !jobs_.empty() || counts_.passed_over > told_passed_over_; };
  while (!stopping_) {
    if (counts_.passed_over > told_passed_over_) {
      held.unlock();
      tell_passed_over();
      held.lock();
    } else if (!jobs_.empty()) {
      const FiringPtr firing = std::move(jobs_.front());
      jobs_.pop_front();
      busy_at_ = firing->trigger.at;
      held.unlock();
      act(firing);
      held.lock();
      busy_at_.reset();
    } else if (all_seen_ && idle() && !told_done_) {
      told_done_ = all_noted();
      if (!told_done_) {
        changed_.wait_until(held, clock_.now() + Milliseconds(50), due);
        continue;
      }
      held.unlock();
      if (tools_.done) tools_.done();
      held.lock();
    } else {
      bool woken = false;
      changed_.wait(held, [&] { return std::exchange(woken, true) || due(); });
    }
  }
}

}  // namespace braid::serve
