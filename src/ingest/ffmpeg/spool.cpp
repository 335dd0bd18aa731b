#include "spool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace braid::ingest::ffmpeg {

namespace {

constexpr std::size_t kBoxHeader = 8;  // u32 size, big-endian; 4 letters

std::uint64_t big_endian(const std::uint8_t* bytes, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8U | bytes[i];
  return value;
}

}  // namespace

bool has_index_at_end(std::span<const std::uint8_t> head) {
  const auto is = [&](std::size_t at, const char* name) {
    return std::memcmp(head.data() + at + 4, name, 4) == 0;
  };
  if (head.size() < kBoxHeader || !is(0, "ftyp")) return false;
  for (std::uint64_t at = 0; at + kBoxHeader <= head.size();) {
    if (is(at, "moov") || is(at, "moof")) return false;
    if (is(at, "mdat")) return true;
    const std::uint64_t size = big_endian(head.data() + at, 4);
    if (size < kBoxHeader) return false;
    at += size;
  }
  return false;
}

int Spool::make_file() {
  std::error_code none;
  const std::string folder = std::filesystem::temp_directory_path(none).string();
  return ::open(folder.empty() ? "/tmp" : folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

Result<Spool> Spool::fill(std::span<const std::uint8_t> head, const Read& rest, int file) {
  Spool spool(file);
  if (spool.descriptor_ < 0)
    return fail(ErrorCode::kResource,
                fmt::format("no temporary file can be made ({}): set TMPDIR to a folder that can hold "
                            "the input",
                            std::strerror(errno)));
  Status stored = spool.append(head);
  std::array<std::uint8_t, 1 << 16> block;
  while (stored) {
    const std::ptrdiff_t got = rest(block.data(), block.size());
    if (got <= 0) break;
    stored = spool.append({block.data(), static_cast<std::size_t>(got)});
  }
  if (!stored) return tl::unexpected(stored.error());
  return spool;
}

Status Spool::append(std::span<const std::uint8_t> bytes) {
  size_ += static_cast<std::int64_t>(bytes.size());
  if (size_ > kLimit)
    return fail(
        ErrorCode::kLimit,
        fmt::format(
            "this MP4 has its index at the end and comes from where one can't go back, with more than "
            "{} bytes: name it as a file, or write it with -movflags +faststart",
            kLimit));
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(descriptor_, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0)
      return fail(ErrorCode::kResource,
                  fmt::format("the temporary folder can't hold the pipe's input ({}): set TMPDIR "
                              "to one that can",
                              std::strerror(errno)));
    bytes = bytes.subspan(static_cast<std::size_t>(wrote));
  }
  return {};
}

Spool::Spool(Spool&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

Spool::~Spool() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::string Spool::path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

}  // namespace braid::ingest::ffmpeg
