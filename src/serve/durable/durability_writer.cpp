// The writer's side: images are asked for where something changed, and written as they come.

#include <utility>

#include "braid/base/log.h"
#include "durable/durability.h"
#include "server/stamps.h"

namespace braid::serve {

/// Unless it is written as it is. The engine's thread hears of it only where something changed.
void Durability::ask_for_image(const Living& living) {
  LiveSession& live = *living.session;
  const std::uint64_t changes =
      live.changes() + (living.conversation ? living.conversation->changes() : std::uint64_t{0});
  if (living.written == changes) return;
  {
    std::lock_guard lock(mailbox_->mutex);
    if (!mailbox_->asked.insert(live.id()).second) return;
  }
  ++images_;
  live.session().take_image(
      [mailbox = mailbox_, id = live.id(), changes, &clock = clock_](SessionImage image) {
        std::lock_guard lock(mailbox->mutex);
        mailbox->taken.push_back({id, changes, std::move(image), clock.now(), unix_us()});
        mailbox->changed.notify_all();
      });
}

void Durability::ask_for_images() {
  std::vector<Living> all;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [id, entry] : entries_)
      if (auto live = entry.live.lock())
        all.push_back({std::move(live), entry.conversation.lock(), entry.changes});
  }
  for (const Living& living : all) ask_for_image(living);
}

void Durability::failed(const Error& error) {
  ++failed_;
  if (!std::exchange(failing_, true))
    log(LogLevel::kWarning, "sessions can't be kept as they should: {}", error.message);
}

void Durability::write(const Taken& taken) {
  SavedSession saved;
  Living living;
  {
    std::lock_guard lock(mutex_);
    if (const auto found = entries_.find(taken.id); found != entries_.end()) {
      const Entry& entry = found->second;
      saved = entry.saved;
      living = {entry.live.lock(), entry.conversation.lock(), std::nullopt};
    }
  }
  // Their locks come before ours.
  if (living.session) saved.unanswered = living.session->open_questions();
  if (living.conversation) saved.conversation = living.conversation->saved();
  const bool gone = !living.session || (saved.kind == SessionKind::kClient && saved.conversation.empty());
  if (!gone) {
    std::lock_guard lock(mutex_);
    if (const auto found = entries_.find(taken.id); found != entries_.end() && found->second.store)
      write(found->second, taken, std::move(saved));
  }
  forget_asked(taken.id);
}

void Durability::write(Entry& entry, const Taken& taken, SavedSession saved) {
  const auto left_out = entry.store->write(std::move(saved), taken.image, taken.at, taken.wall_us);
  entry.changes.reset();
  if (!left_out) return failed(left_out.error());
  ++written_;
  left_out_ += *left_out;
  if (*left_out == 0) entry.changes = taken.changes;  // else what found no room may find some later
  if (std::exchange(failing_, false)) log(LogLevel::kWarning, "sessions are kept again");
}

void Durability::run() {
  Mailbox& mailbox = *mailbox_;
  std::unique_lock lock(mailbox.mutex);
  SteadyTime next = clock_.now() + options_.interval;
  while (true) {
    mailbox.changed.wait_until(lock, next, [&] { return mailbox.stopping || !mailbox.taken.empty(); });
    if (mailbox.stopping) return;
    if (!mailbox.taken.empty()) {
      const Taken taken = std::move(mailbox.taken.front());
      mailbox.taken.pop_front();
      lock.unlock();
      write(taken);
      lock.lock();
      continue;
    }
    lock.unlock();
    drop_expired();
    begin_unattended();
    ask_for_images();
    next = clock_.now() + options_.interval;
    lock.lock();
  }
}

}  // namespace braid::serve
