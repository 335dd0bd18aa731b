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

bool is_open_to(const LiveSession& live, const std::string& owner) {
  return live.owner() == owner || live.owner().empty();
}

void add_events(const SessionClocks& clocks, std::array<std::uint64_t, sync::kClockEvents>& to) {
  for (const ClockState& clock : clocks.report())
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += clock.report.events[i];
}

}  // namespace

LiveSessions::LiveSessions(EngineHost& host, sync::SpeechDetectorFactory* speech, Clock& clock,
                           LiveSessionsOptions options)
    : host_(host),
      speech_(speech),
      clock_(clock),
      options_(std::move(options)),
      places_(std::make_shared<SessionPlaces>(SessionLimits{options_.max_sessions, options_.max_per_key},
                                              clock)) {}

LiveSessions::~LiveSessions() {
  std::map<std::string, std::shared_ptr<LiveSession>> left;
  {
    std::lock_guard lock(mutex_);
    left.swap(sessions_);
  }
  for (const auto& [id, live] : left) live->session().stop(false);
  left.clear();
  places_->close();
}

Result<std::shared_ptr<LiveSession>> LiveSessions::make(const std::string& owner,
                                                        const std::optional<SessionRebirth>& again,
                                                        const LiveSession* instead_of) {
  if (*closing_) return fail(ErrorCode::kCancelled, "the server is stopping", true);
  return places_->take(again ? again->id : new_id("sess_"), owner, again ? again->created : unix_seconds(),
                       instead_of != nullptr ? instead_of->id() : "");
}

Result<std::shared_ptr<LiveSession>> LiveSessions::create(const openai::SessionCreate& wanted,
                                                          const std::string& owner,
                                                          std::optional<SessionRebirth> again) {
  auto live = make(owner, again, nullptr);
  if (!live) return live;
  SessionOptions options = options_.session;
  if (wanted.window) options.window.max_age = *wanted.window;
  if (!again) options.first_packet_patience = kFirstPacketPatience;
  ingest::IngestOptions ingest = options_.ingest;
  ingest.realtime = options.realtime;
  ingest.give_up = closing_;
  ingest.isolation.computing = {};  // of a stream that goes on
  if (!ingest.pipe_timeout) ingest.pipe_timeout = ingest.network_timeout;
  options.clocks = std::make_shared<SessionClocks>();
  ingest.clocks = clocks_of_sources(options.clocks);
  ingest.unix_us = unix_us;
  // The source asks when its thread runs: the session has started by then.
  ingest.session_start = [raw = live->get()] { return raw->session().started_at(); };
  const auto specs = parse_sources(wanted.sources);
  if (!specs) return tl::unexpected(specs.error());
  std::vector<std::unique_ptr<ingest::Source>> sources;
  for (const ingest::SourceSpec& spec : *specs) {
    auto source = ingest::open_source(spec, ingest, clock_);
    if (!source) return tl::unexpected(source.error());
    if (!again || (*source)->info().live) sources.push_back(std::move(*source));
  }
  return add(std::move(sources), options, std::move(*live), std::move(again));
}

Result<std::shared_ptr<LiveSession>> LiveSessions::create(
    std::vector<std::unique_ptr<ingest::Source>> sources, const SessionOptions& options,
    const std::string& owner, std::optional<SessionRebirth> again, const LiveSession* instead_of) {
  auto live = make(owner, again, instead_of);
  if (!live) return live;
  return add(std::move(sources), options, std::move(*live), std::move(again));
}

Result<std::shared_ptr<LiveSession>> LiveSessions::add(std::vector<std::unique_ptr<ingest::Source>> sources,
                                                       SessionOptions options,
                                                       std::shared_ptr<LiveSession> live,
                                                       std::optional<SessionRebirth> again) {
  if (options_.on_new) options_.on_new(*live, options, again ? again->image.now : kSessionStart);
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
  if (found == sessions_.end() || !is_open_to(*found->second, owner)) return nullptr;
  return found->second;
}

std::vector<std::shared_ptr<LiveSession>> LiveSessions::list(const std::string& owner) const {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<LiveSession>> found;
  for (const auto& [id, live] : sessions_)
    if (is_open_to(*live, owner)) found.push_back(live);
  return found;
}

std::set<std::string> LiveSessions::owners() const {
  std::lock_guard lock(mutex_);
  std::set<std::string> owners;
  for (const auto& [id, live] : sessions_) owners.insert(live->owner());
  return owners;
}

bool LiveSessions::end(const std::string& id, const std::string& owner) {
  const auto live = find(id, owner);
  if (!live || live->owner() != owner) return false;
  live->ended_by_id();
  end(live);
  return true;
}

void LiveSessions::end(const std::shared_ptr<LiveSession>& live, std::function<void()> after) {
  {
    std::lock_guard lock(mutex_);
    if (sessions_.erase(live->id()) > 0) add_events(live->clocks(), ended_clock_events_);
  }
  places_->ending(live->id(), std::move(after));
  live->session().stop(false);
}

std::uint64_t LiveSessions::bytes() const {
  std::lock_guard lock(mutex_);
  std::uint64_t bytes = 0;
  for (const auto& [id, live] : sessions_) bytes += live->info().bytes;
  return bytes;
}

NotesBehind LiveSessions::notes() const {
  std::lock_guard lock(mutex_);
  NotesBehind all;
  for (const auto& [id, live] : sessions_) all.add(live->session().notes());
  return all;
}

std::map<std::string, std::vector<ClockState>> LiveSessions::clocks() const {
  std::map<std::string, std::vector<ClockState>> clocks;
  std::lock_guard lock(mutex_);
  for (const auto& [id, live] : sessions_)
    if (auto states = live->clocks().report(); !states.empty()) clocks.emplace(id, std::move(states));
  return clocks;
}

std::array<std::uint64_t, sync::kClockEvents> LiveSessions::clock_events() const {
  std::lock_guard lock(mutex_);
  auto events = ended_clock_events_;
  for (const auto& [id, live] : sessions_) add_events(live->clocks(), events);
  return events;
}

std::size_t LiveSessions::count() const {
  std::lock_guard lock(mutex_);
  return sessions_.size();
}

}  // namespace braid::serve
