#include "server/live_sessions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "server/stamps.h"
#include "watch/source_specs.h"

namespace braid::serve {

namespace {
// A camera says something within it, or is as silent as it will be.
constexpr Nanoseconds kFirstPacketPatience = std::chrono::seconds(2);
}  // namespace

LiveSessions::LiveSessions(EngineHost& host, sync::SpeechDetectorFactory* speech, Clock& clock,
                           LiveSessionsOptions options)
    : host_(host), speech_(speech), clock_(clock), options_(std::move(options)) {}

LiveSessions::~LiveSessions() = default;

Status LiveSessions::admit(const std::string& owner, const std::optional<SessionRebirth>& again) const {
  if (*closing_) return fail(ErrorCode::kCancelled, "the server is stopping", true);
  std::lock_guard lock(mutex_);
  if (again && sessions_.contains(again->id))
    return fail(ErrorCode::kFull, fmt::format("session {} is still there: try again", again->id), true);
  if (sessions_.size() >= options_.max_sessions)
    return fail(ErrorCode::kFull,
                fmt::format("{} sessions are open, no more may be: end one", sessions_.size()), true);
  const auto of_owner = std::count_if(sessions_.begin(), sessions_.end(),
                                      [&](const auto& entry) { return entry.second->owner() == owner; });
  if (!owner.empty() && static_cast<std::size_t>(of_owner) >= options_.max_per_key)
    return fail(ErrorCode::kFull,
                fmt::format("this key has {} sessions open, no more may be: end one", of_owner), true);
  return {};
}

std::shared_ptr<LiveSession> LiveSessions::make(const std::string& owner,
                                                const std::optional<SessionRebirth>& again) {
  return std::make_shared<LiveSession>(again ? again->id : new_id("sess_"), owner,
                                       again ? again->created : unix_seconds(), clock_);
}

Result<std::shared_ptr<LiveSession>> LiveSessions::create(const openai::SessionCreate& wanted,
                                                          const std::string& owner,
                                                          std::optional<SessionRebirth> again) {
  if (auto admitted = admit(owner, again); !admitted) return tl::unexpected(admitted.error());
  auto live = make(owner, again);
  SessionOptions options = options_.session;
  if (wanted.window) options.window.max_age = *wanted.window;
  if (!again) options.first_packet_patience = kFirstPacketPatience;
  ingest::IngestOptions ingest = options_.ingest;
  ingest.realtime = options.realtime;
  ingest.give_up = closing_;
  // The source asks when its thread runs: the session has started by then.
  ingest.session_start = [raw = live.get()] { return raw->session().started_at(); };
  const auto specs = parse_sources(wanted.sources);
  if (!specs) return tl::unexpected(specs.error());
  std::vector<std::unique_ptr<ingest::Source>> sources;
  for (const ingest::SourceSpec& spec : *specs) {
    auto source = ingest::open_source(spec, ingest, clock_);
    if (!source) return tl::unexpected(source.error());
    if (!again || (*source)->info().live) sources.push_back(std::move(*source));
  }
  return add(std::move(sources), options, std::move(live), std::move(again));
}

Result<std::shared_ptr<LiveSession>> LiveSessions::create(
    std::vector<std::unique_ptr<ingest::Source>> sources, const SessionOptions& options,
    const std::string& owner, std::optional<SessionRebirth> again) {
  if (auto admitted = admit(owner, again); !admitted) return tl::unexpected(admitted.error());
  auto live = make(owner, again);
  return add(std::move(sources), options, std::move(live), std::move(again));
}

Result<std::shared_ptr<LiveSession>> LiveSessions::add(std::vector<std::unique_ptr<ingest::Source>> sources,
                                                       const SessionOptions& options,
                                                       std::shared_ptr<LiveSession> live,
                                                       std::optional<SessionRebirth> again) {
  if (options_.on_new) options_.on_new(*live);
  std::optional<SessionImage> image;
  if (again) {
    image = std::move(again->image);
    live->recall(std::move(again->left), again->perceived, again->kept);
  }
  if (auto started = live->start(options, host_, speech_, std::move(sources), std::move(image)); !started)
    return tl::unexpected(started.error());
  std::lock_guard lock(mutex_);
  sessions_.emplace(live->id(), live);
  return live;
}

std::shared_ptr<LiveSession> LiveSessions::find(const std::string& id, const std::string& owner) const {
  std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  if (found == sessions_.end() || found->second->owner() != owner) return nullptr;
  return found->second;
}

std::vector<std::shared_ptr<LiveSession>> LiveSessions::list(const std::string& owner) const {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<LiveSession>> found;
  for (const auto& [id, live] : sessions_)
    if (live->owner() == owner) found.push_back(live);
  return found;
}

bool LiveSessions::end(const std::string& id, const std::string& owner) {
  std::shared_ptr<LiveSession> live;
  {
    std::lock_guard lock(mutex_);
    const auto found = sessions_.find(id);
    if (found == sessions_.end() || found->second->owner() != owner) return false;
    live = std::move(found->second);
    sessions_.erase(found);
  }
  live->session().stop(false);
  return true;
}

std::uint64_t LiveSessions::bytes() const {
  std::lock_guard lock(mutex_);
  std::uint64_t bytes = 0;
  for (const auto& [id, live] : sessions_) bytes += live->info().bytes;
  return bytes;
}

std::size_t LiveSessions::count() const {
  std::lock_guard lock(mutex_);
  return sessions_.size();
}

}  // namespace braid::serve
