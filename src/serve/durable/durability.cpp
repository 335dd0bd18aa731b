#include "durable/durability.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "braid/base/log.h"
#include "braid/net/key_store.h"
#include "server/stamps.h"

namespace braid::serve {

namespace {

constexpr Nanoseconds kTryAgain = std::chrono::seconds(10);  // to begin one without its client
constexpr Nanoseconds kBeginPatience = Milliseconds(2000);   // for who comes while it is being begun
constexpr Nanoseconds kFlushPatience = Milliseconds(1000);

/// Takes the same time wherever they differ.
bool is_token(const SavedSession& saved, const std::string& token) {
  const std::string hash = net::key_line(token);
  return saved.token_hash.size() == hash.size() &&
         CRYPTO_memcmp(saved.token_hash.data(), hash.data(), hash.size()) == 0;
}

}  // namespace

Durability::Durability(const DurabilityOptions& options, engine::EngineInfo model, Clock& clock,
                       store::StateFolder folder)
    : options_(options),
      model_(std::move(model)),
      clock_(clock),
      budget_({options.max_bytes, options.max_bytes_per_key}),
      mailbox_(std::make_shared<Mailbox>(clock)),
      begun_(clock),
      folder_(std::move(folder)) {}

Result<std::unique_ptr<Durability>> Durability::open(const DurabilityOptions& options,
                                                     const engine::EngineInfo& model, Clock& clock) {
  auto folder = store::StateFolder::open(options.state_dir);
  if (!folder) return tl::unexpected(folder.error());
  std::unique_ptr<Durability> made(new Durability(options, model, clock, std::move(*folder)));
  made->find();
  made->writer_ = Thread(clock, "snapshots", [raw = made.get()] { raw->run(); });
  return made;
}

Durability::~Durability() {
  {
    std::lock_guard lock(mailbox_->mutex);
    mailbox_->stopping = true;
    mailbox_->changed.notify_all();
  }
  writer_.join();
}

void Durability::find() {
  for (const std::string& name : folder_.names()) find(name);
  if (!entries_.empty())
    log(LogLevel::kInfo, "{} sessions of before may be resumed for {} s", entries_.size(),
        to_seconds(options_.resume_for));
}

void Durability::find(const std::string& name) {
  const auto path = folder_.make(name);
  auto loaded = path ? SessionStore::peek(*path) : tl::unexpected(path.error());
  // What a later version wrote is left to it, whichever of its files says so.
  if (loaded)
    if (Status ours = store::RecordLog::check_version(*path);
        !ours && ours.error().code == ErrorCode::kUnsupported)
      loaded = tl::unexpected(ours.error());
  if (loaded && loaded->saved.id != name)
    loaded = fail(ErrorCode::kBadInput, fmt::format("it is of another session, {}", loaded->saved.id));
  if (!loaded && loaded.error().code == ErrorCode::kNotFound) {
    remove_files(name);  // the process ended before its first snapshot
    return;
  }
  Entry entry;
  entry.expires = clock_.now() + options_.resume_for;
  if (loaded) {
    for (const std::string& refused : loaded->refused)
      log(LogLevel::kWarning, "session {}: {}; the one before is taken", name, refused);
    refused_ += loaded->refused.size();
    entry.saved = std::move(loaded->saved);
    entry.saved.timeline.clear();  // read again when it is resumed
    entry.saved.unanswered.clear();
    entry.saved.conversation.clear();
  } else {
    ++refused_;
    log(LogLevel::kWarning, "session {} can't be resumed: {}", name, loaded.error().message);
    if (loaded.error().code == ErrorCode::kUnsupported) {
      others_.push_back(charge("", folder_.bytes(name)));
      return;
    }
    entry.damaged = true;
  }
  entry.charge = charge(entry.saved.owner, folder_.bytes(name));
  entries_.emplace(name, std::move(entry));
}

/// Of what is there already.
std::shared_ptr<store::Charge> Durability::charge(const std::string& owner, std::uint64_t bytes) {
  auto charge = std::make_shared<store::Charge>(budget_, owner);
  charge->settle(bytes);
  return charge;
}

void Durability::remove_files(const std::string& id) {
  if (Status removed = folder_.remove(id); !removed)
    log(LogLevel::kWarning, "the files of session {} don't go: {}", id, removed.error().message);
}

std::string Durability::keep(const std::shared_ptr<LiveSession>& live, SavedSession saved,
                             std::weak_ptr<KeptConversation> conversation) {
  std::string token = new_id("resume_");
  {
    std::lock_guard lock(mutex_);
    saved.model = fingerprint_of(model_);
    saved.token_hash = net::key_line(token);
    Entry entry;
    entry.saved = std::move(saved);
    auto store = make_store(entry);
    if (!store) {
      failed(store.error());
      return {};
    }
    entry.live = live;
    entry.conversation = std::move(conversation);
    entry.store = std::move(*store);
    entries_.insert_or_assign(live->id(), std::move(entry));
  }
  ask_for_image({live, nullptr, std::nullopt});
  return token;
}

Result<std::unique_ptr<SessionStore>> Durability::make_store(Entry& entry) {
  const auto path = folder_.make(entry.saved.id);
  if (!path) return tl::unexpected(path.error());
  if (!entry.charge) entry.charge = charge(entry.saved.owner, 0);
  return SessionStore::open(*path, entry.charge);
}

Result<std::shared_ptr<LiveSession>> Durability::resume(const openai::SessionResume& wanted,
                                                        const std::string& owner, SessionKind kind,
                                                        const Begin& begin) {
  {
    std::unique_lock lock(mutex_);
    auto found = entries_.end();
    begun_.wait_until(lock, clock_.now() + kBeginPatience, [&] {
      found = entries_.find(wanted.id);
      return found == entries_.end() || !found->second.resuming || found->second.forgotten;
    });
    // Whose a damaged one is can't be read: nobody hears that it is there.
    if (found == entries_.end() || found->second.damaged || found->second.forgotten ||
        found->second.saved.owner != owner || !is_token(found->second.saved, wanted.token) ||
        found->second.saved.kind != kind)
      return fail(ErrorCode::kNotFound,
                  fmt::format("there is no session {} to be resumed here with this token", wanted.id));
    Entry& entry = found->second;
    auto live = entry.live.lock();
    if (live && kind == SessionKind::kSources) return live;
    if (live || entry.resuming)
      return fail(ErrorCode::kFull, fmt::format("session {} is ending or beginning: try again", wanted.id),
                  true);
    entry.resuming = true;
  }
  return this->begin(wanted.id, begin);
}

std::shared_ptr<LiveSession> Durability::resume_configured(const std::vector<std::string>& sources,
                                                           const Begin& begin) {
  std::string id;
  std::vector<std::string> others;
  {
    std::lock_guard lock(mutex_);
    for (auto& [name, entry] : entries_) {
      if (entry.saved.kind != SessionKind::kConfigured || entry.damaged) continue;
      if (id.empty() && entry.saved.sources == sources)
        id = name;
      else
        others.push_back(name);
    }
    if (!id.empty()) entries_[id].resuming = true;
  }
  for (const std::string& other : others) forget(other, "");  // of sources that are configured no more
  if (id.empty()) return nullptr;
  auto begun = this->begin(id, begin);
  if (begun) return *begun;
  log(LogLevel::kWarning, "session {} of the configured sources begins anew: {}", id, begun.error().message);
  forget(id, "");
  return nullptr;
}

Result<Resumed> Durability::load(const std::string& id, std::unique_ptr<SessionStore>& store) {
  std::lock_guard lock(mutex_);
  // Where the files lie and what is in them is for the log, not for a client.
  const auto unread = [&](const Error& error) {
    if (error.code == ErrorCode::kMismatch) return error;
    log(LogLevel::kWarning, "session {} can't be read: {}", id, error.message);
    return Error{error.code, "what is kept of it can't be read: the server's log says why", error.retryable};
  };
  if (entries_[id].forgotten) return fail(ErrorCode::kNotFound, "it was deleted");
  auto opened = make_store(entries_[id]);
  if (!opened) return tl::unexpected(unread(opened.error()));
  auto loaded = (*opened)->load(model_);
  if (!loaded) return tl::unexpected(unread(loaded.error()));
  store = std::move(*opened);
  for (const std::string& refused : loaded->refused) log(LogLevel::kWarning, "session {}: {}", id, refused);
  refused_ += loaded->refused.size();
  // Its time went on while nobody looked.
  const Microseconds away(std::max<std::int64_t>(0, unix_us() - loaded->written_us));
  loaded->image.now += away;
  return Resumed{std::move(loaded->saved), std::move(loaded->image), [this, id] { return is_wanted(id); }};
}

bool Durability::is_wanted(const std::string& id) {
  std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  return found != entries_.end() && !found->second.forgotten;
}

/// Of an entry that is marked as being resumed, which it isn't any more then.
Result<std::shared_ptr<LiveSession>> Durability::begin(const std::string& id, const Begin& begin) {
  std::unique_ptr<SessionStore> store;
  auto resumed = load(id, store);
  Result<std::shared_ptr<LiveSession>> live =
      resumed ? begin(std::move(*resumed)) : tl::unexpected(resumed.error());
  std::lock_guard lock(mutex_);
  Entry& entry = entries_[id];
  entry.resuming = false;
  begun_.notify_all();
  if (entry.forgotten) {
    entries_.erase(id);
    store.reset();
    remove_files(id);
    return fail(ErrorCode::kNotFound, fmt::format("session {} was deleted as it began", id));
  }
  if (!live) {
    live.error().message = fmt::format("session {} can't be resumed: {}", id, live.error().message);
    return live;
  }
  entry.live = *live;
  entry.store = std::move(store);
  entry.changes.reset();
  ++resumed_;
  return live;
}

void Durability::converse(const std::string& id, std::weak_ptr<KeptConversation> conversation) {
  std::lock_guard lock(mutex_);
  if (const auto found = entries_.find(id); found != entries_.end())
    found->second.conversation = std::move(conversation);
}

std::shared_ptr<KeptConversation> Durability::living(const openai::SessionResume& wanted,
                                                     const std::string& owner) {
  std::lock_guard lock(mutex_);
  const auto found = entries_.find(wanted.id);
  if (found == entries_.end() || found->second.saved.owner != owner ||
      !is_token(found->second.saved, wanted.token))
    return nullptr;
  return found->second.live.expired() ? nullptr : found->second.conversation.lock();
}

std::vector<openai::SessionInfo> Durability::resumable(const std::string& owner) {
  std::lock_guard lock(mutex_);
  std::vector<openai::SessionInfo> infos;
  for (const auto& [id, entry] : entries_) {
    if (entry.saved.owner != owner || entry.damaged || entry.forgotten || !entry.live.expired()) continue;
    openai::SessionInfo& info = infos.emplace_back();
    info.id = id;
    info.state = "resumable";
    info.created = info.last_used = entry.saved.created;
  }
  return infos;
}

void Durability::forget_asked(const std::string& id) {
  std::lock_guard lock(mailbox_->mutex);
  mailbox_->asked.erase(id);
  mailbox_->changed.notify_all();
}

bool Durability::forget(const std::string& id, const std::string& owner) {
  {
    std::lock_guard lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end() || found->second.forgotten || found->second.saved.owner != owner)
      return false;
    if (found->second.resuming) {
      found->second.forgotten = true;
      begun_.notify_all();
      return true;
    }
    entries_.erase(found);
    remove_files(id);
  }
  forget_asked(id);
  return true;
}

void Durability::write_last(const std::shared_ptr<LiveSession>& live, std::string conversation) {
  ++images_;
  Taken begun;
  begun.conversation = std::move(conversation);
  begun.live = live;
  take_image(*live, std::move(begun));
}

void Durability::leave(const std::string& id) {
  {
    std::lock_guard lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) return;
    Entry& entry = found->second;
    // Of which nothing found room, nothing can come back: there mustn't be one more for each client that
    // goes.
    const bool is_nothing = !entry.resuming && !(entry.store && entry.store->has_snapshot());
    entry.live.reset();
    entry.conversation.reset();
    entry.store.reset();
    entry.expires = clock_.now() + options_.resume_for;
    if (is_nothing) {
      entries_.erase(found);
      remove_files(id);
    }
  }
  forget_asked(id);
}

void Durability::flush() {
  ask_for_images();
  std::unique_lock lock(mailbox_->mutex);
  mailbox_->changed.wait_until(lock, clock_.now() + kFlushPatience,
                               [this] { return mailbox_->asked.empty(); });
}

DurabilityCounts Durability::counts() {
  std::lock_guard lock(mutex_);
  const auto waits = std::count_if(entries_.begin(), entries_.end(), [](const auto& named) {
    return named.second.live.expired() && !named.second.damaged && !named.second.forgotten;
  });
  return {images_,  written_, failed_,         left_out_,
          refused_, resumed_, budget_.taken(), static_cast<std::size_t>(waits)};
}

void Durability::drop_expired() {
  std::lock_guard lock(mutex_);
  const SteadyTime now = clock_.now();
  for (auto at = entries_.begin(); at != entries_.end();) {
    const Entry& entry = at->second;
    if (entry.resuming || entry.store || !entry.live.expired() || now < entry.expires) {
      ++at;
      continue;
    }
    remove_files(at->first);
    at = entries_.erase(at);
  }
}

void Durability::go_on(Begin begin, std::function<Status(std::function<void()>)> post) {
  {
    std::lock_guard lock(mutex_);
    begin_unattended_ = std::move(begin);
    post_ = std::move(post);
  }
  begin_unattended();
}

/// It is tried again and again, mostly with the same end.
void Durability::tell_once(const std::string& id, const Error& error) {
  std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || std::exchange(found->second.told, error.message) == error.message) return;
  log(LogLevel::kWarning, "its standing questions wait: {}", error.message);
}

void Durability::begin_unattended() {
  std::lock_guard lock(mutex_);
  if (!begin_unattended_) return;
  const SteadyTime now = clock_.now();
  for (auto& [id, entry] : entries_) {
    if (entry.saved.standing.empty() || entry.damaged || entry.resuming || !entry.live.expired() ||
        now < entry.next_try)
      continue;
    entry.next_try = now + kTryAgain;
    const auto work = [this, id = id, begin = begin_unattended_] {
      if (const auto begun = this->begin(id, begin); !begun) tell_once(id, begun.error());
    };
    entry.resuming = post_(work).has_value();
  }
}

}  // namespace braid::serve
