#include "braid/base/virtual_clock.h"

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>

namespace braid {

struct VirtualClock::Participant {
  enum class State { kReady, kRunning, kWaiting };
  std::uint64_t id = 0;
  std::string name;
  State state = State::kReady;
  std::uint64_t turn = 0;          // order among the ready
  const void* waits_on = nullptr;  // the waiter, while kWaiting
  std::optional<SteadyTime> waits_until;
  std::condition_variable wake;
};

namespace {
thread_local void* current_participant = nullptr;
}

class VirtualClock::VirtualWaiter final : public detail::Waiter {
 public:
  explicit VirtualWaiter(VirtualClock& clock) : clock_(clock) {}

  void wait(std::unique_lock<std::mutex>& lock, std::optional<SteadyTime> until) override {
    auto& self = *static_cast<Participant*>(current_participant);
    {
      std::unique_lock state(clock_.mutex_);
      self.state = Participant::State::kWaiting;
      self.waits_on = this;
      self.waits_until = until;
      lock.unlock();
      clock_.hand_over();
      clock_.pause(state, self);
    }
    lock.lock();
  }

  void notify_all() override {
    std::lock_guard state(clock_.mutex_);
    for (auto& [id, participant] : clock_.participants_)
      if (participant->state == Participant::State::kWaiting && participant->waits_on == this)
        clock_.make_ready(*participant);
  }

 private:
  VirtualClock& clock_;
};

VirtualClock::VirtualClock(SteadyTime start) : now_(start) {
  std::lock_guard state(mutex_);
  owner_ = enlist("main");
  owner_->state = Participant::State::kRunning;
  current_participant = owner_.get();
}

VirtualClock::~VirtualClock() { current_participant = nullptr; }

SteadyTime VirtualClock::now() const {
  std::lock_guard state(mutex_);
  return now_;
}

std::unique_ptr<detail::Waiter> VirtualClock::make_waiter() { return std::make_unique<VirtualWaiter>(*this); }

std::thread VirtualClock::start_thread(std::string name, std::function<void()> body) {
  std::unique_lock state(mutex_);
  auto self = enlist(std::move(name));
  return std::thread([this, self, body = std::move(body)] {
    current_participant = self.get();
    {
      std::unique_lock running(mutex_);
      pause(running, *self);
    }
    body();
    std::lock_guard leaving(mutex_);
    participants_.erase(self->id);
    hand_over();
  });
}

std::shared_ptr<VirtualClock::Participant> VirtualClock::enlist(std::string name) {
  auto participant = std::make_shared<Participant>();
  participant->id = next_id_++;
  participant->name = std::move(name);
  participants_.emplace(participant->id, participant);
  make_ready(*participant);
  return participant;
}

void VirtualClock::make_ready(Participant& participant) {
  participant.state = Participant::State::kReady;
  participant.waits_on = nullptr;
  participant.waits_until.reset();
  participant.turn = next_turn_++;
}

void VirtualClock::hand_over() {
  Participant* next = nullptr;
  Participant* earliest = nullptr;
  for (auto& [id, participant] : participants_) {
    if (participant->state == Participant::State::kReady && (!next || participant->turn < next->turn))
      next = participant.get();
    if (participant->state == Participant::State::kWaiting && participant->waits_until &&
        (!earliest || *participant->waits_until < *earliest->waits_until))
      earliest = participant.get();
  }
  if (!next) {
    if (participants_.empty()) return;
    if (!earliest) report_deadlock();
    now_ = std::max(now_, *earliest->waits_until);
    make_ready(*earliest);
    next = earliest;
  }
  next->state = Participant::State::kRunning;
  next->wake.notify_one();
}

void VirtualClock::pause(std::unique_lock<std::mutex>& state, Participant& self) {
  self.wake.wait(state, [&] { return self.state == Participant::State::kRunning; });
}

void VirtualClock::report_deadlock() const {
  std::fprintf(stderr, "virtual time stands still at %.6f s: every thread waits and none for a time:",
               static_cast<double>(now_.time_since_epoch().count()) / 1e9);
  for (const auto& [id, participant] : participants_) std::fprintf(stderr, " %s", participant->name.c_str());
  std::fprintf(stderr, "\n");
  std::abort();
}

}  // namespace braid
