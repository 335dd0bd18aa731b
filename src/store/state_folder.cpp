#include "braid/store/state_folder.h"

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "file.h"

namespace braid::store {

namespace fs = std::filesystem;

namespace {

/// `may_be_link`: whoever runs the server may have put it elsewhere.
Status make_folder(const std::string& path, bool may_be_link) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return tl::unexpected(system_error("make", path));
  struct stat info {};
  if ((may_be_link ? stat : lstat)(path.c_str(), &info) != 0)
    return tl::unexpected(system_error("look at", path));
  if (!S_ISDIR(info.st_mode)) return fail(ErrorCode::kUsage, fmt::format("{} isn't a folder", path));
  // One that was there may be open to others.
  if (chmod(path.c_str(), 0700) != 0) return tl::unexpected(system_error("close to others", path));
  return {};
}

}  // namespace

bool is_folder_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), fits);
}

struct StateFolder::State {
  std::string path;
  Descriptor lock;
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
  const std::string lock = state->path + "/.lock";
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
  return StateFolder(std::move(state));
}

std::vector<std::string> StateFolder::names() const {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(state_->path, error), last; !error && at != last; at.increment(error)) {
    std::string name = at->path().filename().string();
    if (is_folder_name(name) && at->symlink_status(error).type() == fs::file_type::directory)
      names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::string> StateFolder::make(std::string_view name) {
  if (!is_folder_name(name))
    return fail(ErrorCode::kUsage, "a name that isn't of letters, digits, '_' and '-' names no folder");
  std::string path = fmt::format("{}/{}", state_->path, name);
  if (Status made = make_folder(path, false); !made) return tl::unexpected(made.error());
  return path;
}

Status StateFolder::remove(std::string_view name) {
  if (!is_folder_name(name)) return {};
  const std::string path = fmt::format("{}/{}", state_->path, name);
  std::error_code error;
  fs::remove_all(path, error);
  if (error) return fail(ErrorCode::kResource, fmt::format("can't remove {}: {}", path, error.message()));
  return {};
}

}  // namespace braid::store
