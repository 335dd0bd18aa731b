#include "memory/memories.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "braid/base/log.h"
#include "memory/memory_trouble.h"

namespace braid::serve {

namespace fs = std::filesystem;

namespace {

constexpr const char* kKeys = "keys";
constexpr std::size_t kMaxPlace = 200;   // bytes; a file's name may have 255
constexpr std::size_t kMostUnused = 16;  // that nobody uses and are still open

bool is_plain(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_'; }

Status make_folder(const std::string& folder) {
  std::error_code error;
  if (fs::create_directory(folder, error)) fs::permissions(folder, fs::perms::owner_all, error);
  if (error) return fail(ErrorCode::kResource, fmt::format("can't make {}: {}", folder, error.message()));
  return {};
}

void add(const retrieve::Memory& memory, MemoryCounts& to) {
  const retrieve::MemoryStats counts = memory.counts();
  to.written += counts.committed;
  to.failed_commits += counts.failed_commits;
  to.refused += counts.refused;
  to.forgotten += counts.forgotten;
}

}  // namespace

Result<std::string> memory_place(const std::string& owner) {
  if (owner.empty()) return std::string();
  std::string place = std::string(kKeys) + '/';
  for (const char c : owner)
    place += is_plain(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  if (place.size() <= kMaxPlace) return place;
  return fail(ErrorCode::kUnsupported,
              fmt::format("the key's name has {} bytes; to have a memory it may have {} (of letters and "
                          "digits): shorten it in the keys file",
                          owner.size(), kMaxPlace));
}

void Memories::One::tell_trouble() {
  const std::optional<Error> failing = memory_->failing();
  if (in_trouble_.exchange(failing.has_value()) == failing.has_value()) return;
  if (failing)
    log(LogLevel::kWarning, "the memory {} can't be written, what is to be remembered waits: {}", folder_,
        failing->message);
  else
    log(LogLevel::kInfo, "the memory {} is written again", folder_);
}

void Memories::One::finish() {
  if (const Status done = finish_memory(*memory_, folder_, memory_->counts().refused); !done)
    log(LogLevel::kWarning, "{}", done.error().message);
}

Result<std::unique_ptr<Memories>> Memories::open(const std::string& folder, retrieve::MemoryOptions options,
                                                 Clock& clock) {
  std::unique_ptr<Memories> memories(new Memories(folder, std::move(options), clock));
  if (auto own = memories->of(""); !own) return tl::unexpected(own.error());
  return memories;
}

Memories::~Memories() {
  for (const auto& [owner, one] : open_) one->finish();
}

/// With mutex_ held.
Result<std::shared_ptr<Memories::One>> Memories::open_one(const std::string& owner) {
  const auto place = memory_place(owner);
  if (!place) return tl::unexpected(place.error());
  if (!owner.empty())
    if (Status made = make_folder(fmt::format("{}/{}", folder_, kKeys)); !made)
      return tl::unexpected(made.error());
  const std::string folder = owner.empty() ? folder_ : fmt::format("{}/{}", folder_, *place);
  auto memory = retrieve::Memory::open(folder, options_, clock_);
  if (!memory) return tl::unexpected(memory.error());
  return std::make_shared<One>(std::move(*memory), folder);
}

/// With mutex_ held. Whose sessions have ended: each has two threads and files that are open.
void Memories::close_unused() {
  const auto is_unused = [](const auto& entry) {
    return !entry.first.empty() && entry.second.use_count() == 1 && entry.second->memory().use_count() == 1;
  };
  auto unused = static_cast<std::size_t>(std::count_if(open_.begin(), open_.end(), is_unused));
  for (auto at = open_.begin(); at != open_.end() && unused > kMostUnused;) {
    if (!is_unused(*at)) {
      ++at;
      continue;
    }
    at->second->finish();
    add(*at->second->memory(), closed_);
    at = open_.erase(at);
    --unused;
  }
}

Result<std::shared_ptr<Memories::One>> Memories::of(const std::string& owner) {
  std::lock_guard lock(mutex_);
  if (const auto found = open_.find(owner); found != open_.end()) return found->second;
  close_unused();
  auto opened = open_one(owner);
  if (!opened) {
    if (refused_.insert(owner).second)
      log(LogLevel::kWarning, "nothing is remembered of sessions of '{}': {}", owner, opened.error().message);
    return opened;
  }
  refused_.erase(owner);
  open_.emplace(owner, *opened);
  return opened;
}

MemoryCounts Memories::counts() const {
  std::lock_guard lock(mutex_);
  MemoryCounts counts = closed_;
  counts.open = open_.size();
  counts.failing = refused_.size();
  for (const auto& [owner, one] : open_) {
    add(*one->memory(), counts);
    counts.waiting += one->memory()->waiting();
    counts.failing += one->memory()->failing() ? 1 : 0;
  }
  return counts;
}

}  // namespace braid::serve
