#include "braid/store/record_log.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "braid/store/checksum.h"
#include "file.h"
#include "segment.h"

namespace braid::store {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPrefix = "log-";

std::string segment_path(const std::string& folder, std::uint64_t base) {
  return fmt::format("{}/{}{:016x}", folder, kPrefix, base);
}

/// None: no name of ours.
std::optional<std::uint64_t> base_of(std::string_view name) {
  if (!name.starts_with(kPrefix) || name.size() != kPrefix.size() + 16) return std::nullopt;
  std::uint64_t base = 0;
  const auto [end, error] =
      std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), base, 16);
  if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return base;
}

}  // namespace

struct RecordLog::State {
  std::string folder;
  RecordLogOptions options;
  std::map<std::uint64_t, std::uint64_t> segments;  // base to bytes of the file
  Descriptor newest;
  bool dirty = false;  // appended since the last sync
  std::uint64_t torn = 0;

  std::uint64_t end() const {
    return segments.empty() ? 0 : segments.rbegin()->first + segments.rbegin()->second;
  }
  std::string newest_path() const { return segment_path(folder, segments.rbegin()->first); }
  Status find();
  Status go_on();
  Status begin_segment();
};

Status RecordLog::State::find() {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), last; !error && at != last; at.increment(error)) {
    const auto base = base_of(at->path().filename().string());
    if (!base) continue;
    const std::uint64_t size = at->file_size(error);
    if (error) break;
    segments.emplace(*base, size);
  }
  if (error) return fail(ErrorCode::kResource, fmt::format("can't list {}: {}", folder, error.message()));
  return {};
}

Status RecordLog::State::go_on() {
  if (segments.empty()) return {};
  const std::string path = newest_path();
  auto file = open_file(path);
  if (!file) return tl::unexpected(file.error());
  std::uint64_t& size = segments.rbegin()->second;
  if (size < sizeof(SegmentHeader)) {  // it died as the file was made: nothing refers to it
    torn += size;
    segments.erase(segments.rbegin()->first);
    unlink(path.c_str());
    return go_on();
  }
  const auto bytes = read_at(*file, path, 0, size);
  if (!bytes) return tl::unexpected(bytes.error());
  const auto scan = scan_segment(*bytes);
  if (!scan) return fail(scan.error().code, fmt::format("{}: {}", path, scan.error().message));
  if (scan->base != segments.rbegin()->first)
    return fail(ErrorCode::kBadInput,
                fmt::format("{} says that it begins at {}: it was renamed or altered", path, scan->base));
  if (ftruncate(file->get(), static_cast<off_t>(scan->whole)) != 0)
    return tl::unexpected(system_error("cut", path));
  torn += size - scan->whole;
  size = scan->whole;
  newest = std::move(*file);
  return {};
}

Status RecordLog::State::begin_segment() {
  const std::uint64_t base = end();
  const std::string path = segment_path(folder, base);
  auto file = make_file(path);
  if (!file) return tl::unexpected(file.error());
  const SegmentHeader header = segment_header(base);
  if (Status written = write_at(*file, path, 0, bytes_of(header)); !written) {
    unlink(path.c_str());
    return written;
  }
  if (dirty && fdatasync(newest.get()) != 0) return tl::unexpected(system_error("sync", newest_path()));
  newest = std::move(*file);
  segments.emplace(base, sizeof header);
  return sync_folder(folder);
}

RecordLog::RecordLog(std::unique_ptr<State> state) : state_(std::move(state)) {}
RecordLog::RecordLog(RecordLog&&) noexcept = default;
RecordLog& RecordLog::operator=(RecordLog&&) noexcept = default;
RecordLog::~RecordLog() = default;

Result<RecordLog> RecordLog::open(std::string folder, RecordLogOptions options) {
  auto state = std::make_unique<State>();
  state->folder = std::move(folder);
  state->options = options;
  Status found = state->find();
  if (found) found = state->go_on();
  if (!found) return tl::unexpected(found.error());
  return RecordLog(std::move(state));
}

Status RecordLog::check_version(const std::string& folder) {
  State state;
  state.folder = folder;
  if (Status found = state.find(); !found) return found;
  for (const auto& [base, size] : state.segments) {
    const std::string path = segment_path(folder, base);
    const auto file = open_file(path);
    if (!file || size < sizeof(SegmentHeader)) continue;
    const auto head = read_at(*file, path, 0, sizeof(SegmentHeader));
    const auto scan = head ? scan_segment(*head) : tl::unexpected(head.error());
    if (!scan && scan.error().code == ErrorCode::kUnsupported)
      return fail(ErrorCode::kUnsupported, fmt::format("{}: {}", path, scan.error().message));
  }
  return {};
}

Result<std::uint64_t> RecordLog::append(std::uint64_t id, std::string_view bytes) {
  State& s = *state_;
  if (bytes.size() > kMaxRecordBytes)
    return fail(ErrorCode::kLimit,
                fmt::format("the record has {} bytes; it may have {}", bytes.size(), kMaxRecordBytes));
  if (s.segments.empty() || s.segments.rbegin()->second >= s.options.segment_bytes)
    if (Status begun = s.begin_segment(); !begun) return tl::unexpected(begun.error());
  std::uint64_t& size = s.segments.rbegin()->second;
  const std::string path = s.newest_path();
  const RecordHeader header = record_header(id, bytes);
  Status written = write_at(s.newest, path, size, bytes_of(header));
  if (written) written = write_at(s.newest, path, size + sizeof header, bytes);
  if (!written) {
    // If it can't be cut either, the next record is written over it.
    static_cast<void>(ftruncate(s.newest.get(), static_cast<off_t>(size)) == 0);
    return tl::unexpected(written.error());
  }
  const std::uint64_t offset = s.end();
  size += sizeof header + bytes.size();
  s.dirty = true;
  return offset;
}

Result<std::string> RecordLog::read(std::uint64_t offset, std::uint64_t id) const {
  const State& s = *state_;
  auto segment = s.segments.upper_bound(offset);
  if (segment == s.segments.begin() || offset >= s.end())
    return fail(ErrorCode::kNotFound, fmt::format("the log holds nothing at {}", offset));
  --segment;
  const std::uint64_t at = offset - segment->first;
  const auto nothing = [&] {
    return fail(ErrorCode::kBadInput,
                fmt::format("the log's record {} at {} is torn or was altered", id, offset));
  };
  if (at > segment->second || segment->second - at < sizeof(RecordHeader)) return nothing();
  const std::string path = segment_path(s.folder, segment->first);
  auto file = open_file(path);
  if (!file) return tl::unexpected(file.error());
  auto head = read_at(*file, path, at, sizeof(RecordHeader));
  if (!head) return head;
  RecordHeader header;
  std::memcpy(&header, head->data(), sizeof header);
  if (header.id != id || header.length > segment->second - at - sizeof header) return nothing();
  auto bytes = read_at(*file, path, at + sizeof header, header.length);
  if (bytes && record_header(id, *bytes).checksum != header.checksum) return nothing();
  return bytes;
}

void RecordLog::forget_before(std::uint64_t offset) {
  State& s = *state_;
  // The newest is written to; what it begins with tells where the log goes on.
  while (s.segments.size() > 1 && std::next(s.segments.begin())->first <= offset) {
    unlink(segment_path(s.folder, s.segments.begin()->first).c_str());
    s.segments.erase(s.segments.begin());
  }
}

Status RecordLog::sync() {
  State& s = *state_;
  if (!s.dirty) return {};
  if (fdatasync(s.newest.get()) != 0) return tl::unexpected(system_error("sync", s.newest_path()));
  s.dirty = false;
  return {};
}

bool RecordLog::intact() const {
  const State& s = *state_;
  struct stat info {};
  if (!s.segments.empty() && (fstat(s.newest.get(), &info) != 0 || info.st_nlink == 0)) return false;
  return std::all_of(s.segments.begin(), s.segments.end(), [&](const auto& segment) {
    // A record that failed and couldn't be cut off may follow.
    return lstat(segment_path(s.folder, segment.first).c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
           static_cast<std::uint64_t>(info.st_size) >= segment.second;
  });
}

std::uint64_t RecordLog::end() const { return state_->end(); }

std::uint64_t RecordLog::bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [base, size] : state_->segments) bytes += size;
  return bytes;
}

std::uint64_t RecordLog::torn_bytes() const { return state_->torn; }

}  // namespace braid::store
