// The writer's side: images are asked for where something changed, and written as they come.

#include <fmt/format.h>

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
  Taken begun;
  begun.changes = changes;
  take_image(live, std::move(begun));
}

void Durability::take_image(LiveSession& live, Taken begun) {
  begun.id = live.id();
  live.session().take_image(
      [mailbox = mailbox_, taken = std::move(begun), &clock = clock_](SessionImage image) mutable {
        taken.image = std::move(image);
        taken.at = clock.now();
        taken.wall_us = unix_us();
        std::lock_guard lock(mailbox->mutex);
        // Nothing of it stays on the engine's thread, which can't end a session.
        mailbox->taken.push_back(std::move(taken));
        mailbox->changed.notify_all();
      });
}

void Durability::ask_for_images() {
  std::vector<Living> all;
  {
    std::lock_guard lock(mutex_);
    for (auto& [id, entry] : entries_) {
      if (entry.store && !entry.store->intact()) entry.changes.reset();
      if (auto live = entry.live.lock())
        all.push_back({std::move(live), entry.conversation.lock(), entry.changes});
    }
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
  if (living.session) {
    const openai::SessionInfo info = living.session->info();
    saved.perceived = info.perceived;
    saved.kept = info.kept;
    saved.unanswered = living.session->open_questions();
  }
  if (taken.conversation)
    saved.conversation = *taken.conversation;
  else if (living.conversation)
    saved.conversation = living.conversation->saved();
  const bool gone = !living.session || (saved.kind == SessionKind::kClient && saved.conversation.empty());
  if (!gone) {
    std::lock_guard lock(mutex_);
    if (const auto found = entries_.find(taken.id); found != entries_.end() && !found->second.live.expired())
      write(found->second, taken, std::move(saved));
  }
  if (!taken.conversation) forget_asked(taken.id);
}

/// Whose files others cut or removed gets others: the first snapshot there is whole again.
Status Durability::have_store(Entry& entry) {
  if (entry.store && entry.store->intact()) return {};
  if (Status there = folder_.is_there(); !there) return there;
  if (std::exchange(entry.store, nullptr))
    failed({ErrorCode::kResource, fmt::format("the files of session {} were cut or removed while the server "
                                              "ran: they are made anew",
                                              entry.saved.id)});
  auto made = make_store(entry);
  // What is left of them may be beyond use.
  if (!made && folder_.remove(entry.saved.id)) made = make_store(entry);
  if (!made) return tl::unexpected(made.error());
  entry.store = std::move(*made);
  return {};
}

void Durability::write(Entry& entry, const Taken& taken, SavedSession saved) {
  entry.changes.reset();
  if (Status there = have_store(entry); !there) return failed(there.error());
  const auto left_out = entry.store->write(std::move(saved), taken.image, taken.at, taken.wall_us);
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
      std::optional<Taken> taken = std::move(mailbox.taken.front());
      mailbox.taken.pop_front();
      lock.unlock();
      write(*taken);
      taken.reset();  // maybe the last to use its session
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
