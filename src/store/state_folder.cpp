#include "braid/store/state_folder.h"

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <utility>

#include "file.h"

namespace braid::store {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMark = "braid-state", kLock = ".lock";
constexpr std::string_view kMarkText = "Sessions of `braid serve`, which removes those whose time is over.\n";

bool is_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

/// Those that SnapshotFile and RecordLog make.
bool is_our_file(std::string_view name) {
  return name == "snapshot" || name == "snapshot.new" ||
         (name.size() == 20 && name.starts_with("log-") && is_hex(name.substr(4)));
}

/// `may_be_link`: whoever runs the server may have put it elsewhere. One that was there stays as it is.
Status make_folder(const std::string& path, bool may_be_link) {
  if (mkdir(path.c_str(), 0700) == 0) return {};
  if (errno != EEXIST) return tl::unexpected(system_error("make", path));
  struct stat info {};
  if ((may_be_link ? stat : lstat)(path.c_str(), &info) != 0)
    return tl::unexpected(system_error("look at", path));
  if (!S_ISDIR(info.st_mode)) return fail(ErrorCode::kUsage, fmt::format("{} isn't a folder", path));
  return {};
}

/// What in the folder isn't ours, if it bears no mark of ours: we neither write there nor remove anything.
Result<std::optional<std::string>> stranger_in(const std::string& path) {
  std::optional<std::string> stranger;
  std::error_code error;
  for (fs::directory_iterator at(path, error), last; !error && at != last; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const fs::file_type type = at->symlink_status(error).type();
    if (error) break;
    if (name == kMark && type == fs::file_type::regular) return std::nullopt;
    // Versions without a mark left these; and a disk of its own may have been mounted here.
    const bool ours = (name == kLock && type == fs::file_type::regular && at->file_size(error) == 0) ||
                      (is_session_folder(name) && type == fs::file_type::directory) || name == "lost+found";
    if (!ours && (!stranger || name < *stranger)) stranger = name;
  }
  if (error) return fail(ErrorCode::kResource, fmt::format("can't list {}: {}", path, error.message()));
  return stranger;
}

Status mark(const std::string& path) {
  if (open_file(path)) return {};
  const auto file = make_file(path);
  if (!file) return tl::unexpected(file.error());
  static_cast<void>(write_at(*file, path, 0, kMarkText));  // for people: its name is enough for us
  return {};
}

}  // namespace

bool is_session_folder(std::string_view name) {
  constexpr std::string_view kPrefix = "sess_";
  return name.size() == kPrefix.size() + 32 && name.starts_with(kPrefix) &&
         is_hex(name.substr(kPrefix.size()));
}

struct StateFolder::State {
  std::string path;
  Descriptor lock;

  std::string inside(std::string_view name) const { return fmt::format("{}/{}", path, name); }
};

StateFolder::StateFolder(std::unique_ptr<State> state) : state_(std::move(state)) {}
StateFolder::StateFolder(StateFolder&&) noexcept = default;
StateFolder& StateFolder::operator=(StateFolder&&) noexcept = default;
StateFolder::~StateFolder() = default;

Result<StateFolder> StateFolder::open(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  auto state = std::make_unique<State>();
  state->path = std::move(path);
  if (Status made = make_folder(state->path, true); !made) return tl::unexpected(made.error());
  const auto stranger = stranger_in(state->path);
  if (!stranger) return tl::unexpected(stranger.error());
  if (*stranger)
    return fail(
        ErrorCode::kUsage,
        fmt::format("{} holds what isn't a session's ('{}') and was never used for sessions: name an empty "
                    "folder, or one that isn't there yet",
                    state->path, **stranger));
  const std::string lock = state->inside(kLock);
  auto file = make_file(lock);
  if (!file) return tl::unexpected(file.error());
  if (flock(file->get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK)
      return fail(
          ErrorCode::kFull,
          fmt::format("{} is used by another process: give each server a folder of its own", state->path));
    return tl::unexpected(system_error("lock", lock));
  }
  state->lock = std::move(*file);
  if (Status marked = mark(state->inside(kMark)); !marked) return tl::unexpected(marked.error());
  return StateFolder(std::move(state));
}

std::vector<std::string> StateFolder::names() const {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(state_->path, error), last; !error && at != last; at.increment(error)) {
    std::string name = at->path().filename().string();
    if (is_session_folder(name) && at->symlink_status(error).type() == fs::file_type::directory)
      names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::uint64_t StateFolder::bytes(std::string_view name) const {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (fs::directory_iterator at(state_->inside(name), error), last; !error && at != last;
       at.increment(error)) {
    std::error_code unknown;
    if (!is_our_file(at->path().filename().string()) || !at->is_regular_file(unknown)) continue;
    const std::uintmax_t size = at->file_size(unknown);
    if (!unknown) bytes += size;
  }
  return bytes;
}

Status StateFolder::is_there() const {
  struct stat held {};
  struct stat found {};
  if (fstat(state_->lock.get(), &held) == 0 && stat(state_->inside(kLock).c_str(), &found) == 0 &&
      held.st_dev == found.st_dev && held.st_ino == found.st_ino)
    return {};
  return fail(
      ErrorCode::kResource,
      fmt::format("{} or its .lock was removed while it was used: start the server again", state_->path));
}

Result<std::string> StateFolder::make(std::string_view name) {
  if (!is_session_folder(name))
    return fail(ErrorCode::kUsage, "a name that isn't 'sess_' and 32 hex digits names no session's folder");
  if (Status there = is_there(); !there) return tl::unexpected(there.error());
  std::string path = state_->inside(name);
  if (Status made = make_folder(path, false); !made) return tl::unexpected(made.error());
  return path;
}

Status StateFolder::remove(std::string_view name) {
  if (!is_session_folder(name)) return {};
  const std::string path = state_->inside(name);
  std::error_code error;
  if (fs::symlink_status(path, error).type() != fs::file_type::directory) return {};
  for (fs::directory_iterator at(path, error), last; !error && at != last; at.increment(error))
    if (is_our_file(at->path().filename().string())) unlink(at->path().c_str());
  if (error) return fail(ErrorCode::kResource, fmt::format("can't list {}: {}", path, error.message()));
  if (rmdir(path.c_str()) == 0 || errno == ENOENT) return {};
  if (errno == ENOTEMPTY || errno == EEXIST)
    return fail(ErrorCode::kUsage, fmt::format("{} holds what isn't the session's, and stays", path));
  return tl::unexpected(system_error("remove", path));
}

}  // namespace braid::store
