#include "braid/store/snapshot_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include "braid/store/checksum.h"
#include "file.h"

namespace braid::store {

namespace {

static_assert(std::endian::native == std::endian::little,
              "files are little-endian, as all machines we build for");

constexpr std::array<char, 8> kMagic{'B', 'R', 'D', 'S', 'N', 'A', 'P', '\n'};
constexpr std::uint32_t kVersion = 1;
constexpr std::uint64_t kMinSlot = 64U << 10;  // a whole number of pages, as all slots are

struct Header {
  std::array<char, 8> magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t checksum = 0;  // of this, as if it were 0, and the body
  std::uint64_t sequence = 0;
  std::int64_t steady_ns = 0;
  std::int64_t wall_us = 0;
  std::uint64_t length = 0;  // of the body
};
static_assert(sizeof(Header) == 48);

std::string_view bytes_of(const Header& header) {
  return {reinterpret_cast<const char*>(&header), sizeof header};
}

std::uint32_t checksum_of(Header header, std::string_view body) {
  header.checksum = 0;
  return crc32c({bytes_of(header), body});
}

struct Slot {
  std::optional<Header> header;  // none: refused, or never written
  std::string_view body;
  std::string refused;
  bool later = false;  // of a version to come
};

Slot refuse(std::string why, bool later = false) { return {std::nullopt, {}, std::move(why), later}; }

Slot parse_slot(std::string_view bytes) {
  if (bytes.size() < sizeof(Header)) return refuse("it is shorter than a header");
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::all_of(bytes.begin(), bytes.begin() + sizeof header, [](char c) { return c == 0; })) return {};
  if (header.magic != kMagic) return refuse("it doesn't begin as a snapshot does");
  if (header.version != kVersion)
    return refuse(fmt::format("it is of version {}, this program reads {}", header.version, kVersion),
                  header.version > kVersion);
  if (header.length > bytes.size() - sizeof header)
    return refuse(
        fmt::format("it should have {} bytes and has {}", header.length, bytes.size() - sizeof header));
  const std::string_view body = bytes.substr(sizeof header, header.length);
  const std::uint32_t checksum = checksum_of(header, body);
  if (checksum != header.checksum)
    return refuse(fmt::format("its checksum is {:08x}, its bytes give {:08x}: it is torn or was altered",
                              header.checksum, checksum));
  return {header, body, {}};
}

std::array<Slot, 2> parse_slots(std::string_view file) {
  const std::size_t half = file.size() / 2;
  return {parse_slot(file.substr(0, half)), parse_slot(file.substr(half))};
}

std::size_t newest_of(const std::array<Slot, 2>& slots) {
  if (!slots[0].header || !slots[1].header) return slots[1].header ? 1 : 0;
  return slots[1].header->sequence > slots[0].header->sequence ? 1 : 0;
}

}  // namespace

Result<Snapshot> parse_snapshot(std::string_view file) {
  const auto slots = parse_slots(file);
  Snapshot snapshot;
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (!slots[i].refused.empty())
      snapshot.refused.push_back(fmt::format("slot {}: {}", i, slots[i].refused));
  const bool later = slots[0].later || slots[1].later;
  const Slot& newest = slots[newest_of(slots)];
  if (newest.header && !later) {
    snapshot.stamp = {newest.header->sequence, SteadyTime(Nanoseconds(newest.header->steady_ns)),
                      newest.header->wall_us};
    snapshot.body = newest.body;
    return snapshot;
  }
  const std::string why = fmt::format("{}", fmt::join(snapshot.refused, "; "));
  if (later)
    return fail(ErrorCode::kUnsupported,
                fmt::format("a later version of the program went on with the snapshot: {}", why));
  return fail(ErrorCode::kBadInput,
              fmt::format("no slot of the snapshot is whole: {}", why.empty() ? "nothing was written" : why));
}

Result<Snapshot> read_snapshot(const std::string& path) {
  auto file = open_file(path);
  if (!file) return tl::unexpected(file.error());
  const auto size = size_of(*file, path);
  if (!size) return tl::unexpected(size.error());
  if (*size > 4 * kMaxSnapshotBytes)
    return fail(ErrorCode::kLimit, fmt::format("{} has {} bytes; no snapshot is so large", path, *size));
  const auto bytes = read_at(*file, path, 0, *size);
  if (!bytes) return tl::unexpected(bytes.error());
  auto snapshot = parse_snapshot(*bytes);
  if (!snapshot) snapshot.error().message = fmt::format("{}: {}", path, snapshot.error().message);
  return snapshot;
}

SnapshotFile::SnapshotFile(std::string path) : path_(std::move(path)) {
  const auto file = open_file(path_);
  if (!file) return;
  const auto size = size_of(*file, path_);
  if (!size || *size > 4 * kMaxSnapshotBytes) return;
  const auto bytes = read_at(*file, path_, 0, *size);
  if (!bytes) return;
  const auto slots = parse_slots(*bytes);
  later_ = slots[0].later || slots[1].later;
  newest_ = newest_of(slots);
  if (!slots[newest_].header || *size < 2 * kMinSlot || *size % (2 * kMinSlot) != 0) return;
  last_ = slots[newest_].header->sequence;
  slot_bytes_ = *size / 2;
}

bool SnapshotFile::intact() const {
  if (slot_bytes_ == 0) return true;
  const auto file = open_file(path_);
  const auto size = file ? size_of(*file, path_) : tl::unexpected(file.error());
  return size && *size == 2 * slot_bytes_;
}

std::uint64_t SnapshotFile::bytes_with(std::size_t body_bytes) const {
  std::uint64_t slot = std::max(slot_bytes_, kMinSlot);
  while (slot < body_bytes + sizeof(Header)) slot *= 2;
  return 2 * slot;
}

/// Another file, as large as it must be, takes this one's place when it holds the new snapshot.
Status SnapshotFile::grow(std::size_t needed, std::string_view slot) {
  const std::string fresh = path_ + ".new";
  const std::uint64_t size = bytes_with(needed);
  const auto file = make_file(fresh);
  if (!file) return tl::unexpected(file.error());
  errno = posix_fallocate(file->get(), 0, static_cast<off_t>(size));
  Status written = errno == 0 ? Status{} : tl::unexpected(system_error("reserve space for", fresh));
  if (written) written = write_at(*file, fresh, 0, slot);
  if (written && fsync(file->get()) != 0) written = tl::unexpected(system_error("sync", fresh));
  if (written && std::rename(fresh.c_str(), path_.c_str()) != 0)
    written = tl::unexpected(system_error("rename", fresh));
  if (!written) {
    unlink(fresh.c_str());
    return written;
  }
  newest_ = 0;
  slot_bytes_ = size / 2;
  return sync_folder(path_.substr(0, path_.find_last_of('/') + 1));
}

/// Over the older slot, in place.
Status SnapshotFile::overwrite(std::string_view slot) {
  const auto file = open_file(path_);
  if (!file) return tl::unexpected(file.error());
  const std::size_t older = 1 - newest_;
  if (Status written = write_at(*file, path_, older * slot_bytes_, slot); !written) return written;
  if (fdatasync(file->get()) != 0) return tl::unexpected(system_error("sync", path_));
  newest_ = older;
  return {};
}

Status SnapshotFile::write(std::string_view body, SteadyTime now, std::int64_t wall_us) {
  if (body.size() > kMaxSnapshotBytes)
    return fail(ErrorCode::kLimit,
                fmt::format("the snapshot has {} bytes; it may have {}", body.size(), kMaxSnapshotBytes));
  if (later_)
    return fail(ErrorCode::kUnsupported,
                fmt::format("{} is a later version's, and left as it is: use that one", path_));
  Header header;
  header.sequence = last_ + 1;
  header.steady_ns = now.time_since_epoch().count();
  header.wall_us = wall_us;
  header.length = body.size();
  header.checksum = checksum_of(header, body);
  std::string slot(bytes_of(header));
  slot += body;
  // Someone may have cut or removed the file: then the other slot is gone as well.
  const bool fits = slot.size() <= slot_bytes_ && intact();
  if (Status written = fits ? overwrite(slot) : grow(body.size(), slot); !written) return written;
  last_ = header.sequence;
  return {};
}

}  // namespace braid::store
