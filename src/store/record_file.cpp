#include "braid/store/record_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "braid/store/checksum.h"
#include "file.h"

namespace braid::store {

namespace {

static_assert(std::endian::native == std::endian::little, "files are little-endian");

struct FileHeader {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t checksum;  // of this, as if it were 0
};
static_assert(sizeof(FileHeader) == 16);

/// A header with a checksum of its own: what was cut off is told from what was altered.
struct Head {
  std::uint32_t type;
  std::uint32_t length;    // of the bytes that follow
  std::uint32_t body;      // their checksum
  std::uint32_t checksum;  // of this, as if it were 0
};
static_assert(sizeof(Head) == 16);

template <class T>
std::string_view view_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

FileHeader file_header(const RecordFileKind& kind) {
  FileHeader header{kind.magic, kind.version, 0};
  header.checksum = crc32c({view_of(header)});
  return header;
}

Head head_of(std::uint32_t type, std::string_view bytes) {
  Head head{type, static_cast<std::uint32_t>(bytes.size()), crc32c({bytes}), 0};
  head.checksum = crc32c({view_of(head)});
  return head;
}

bool is_whole(Head head) {
  const std::uint32_t said = std::exchange(head.checksum, 0);
  return crc32c({view_of(head)}) == said && head.length <= kMaxFileRecordBytes;
}

}  // namespace

struct RecordFileWriter::State {
  std::string path;
  Descriptor file;
  std::uint64_t end = 0;
};

RecordFileWriter::RecordFileWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
RecordFileWriter::RecordFileWriter(RecordFileWriter&&) noexcept = default;
RecordFileWriter& RecordFileWriter::operator=(RecordFileWriter&&) noexcept = default;
RecordFileWriter::~RecordFileWriter() = default;

Result<RecordFileWriter> RecordFileWriter::create(const std::string& path, const RecordFileKind& kind) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->file = Descriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_CREAT | O_EXCL, 0600));
  if (state->file.get() < 0 && errno == EEXIST)
    return fail(ErrorCode::kUsage, fmt::format("{} is there already: name another file, or remove it", path));
  if (state->file.get() < 0) return tl::unexpected(system_error("make", path));
  const FileHeader header = file_header(kind);
  if (Status written = write_at(state->file, path, 0, view_of(header)); !written)
    return tl::unexpected(written.error());
  state->end = sizeof header;
  return RecordFileWriter(std::move(state));
}

Status RecordFileWriter::append(std::uint32_t type, std::string_view bytes) {
  State& s = *state_;
  if (bytes.size() > kMaxFileRecordBytes)
    return fail(ErrorCode::kLimit,
                fmt::format("the record has {} bytes; it may have {}", bytes.size(), kMaxFileRecordBytes));
  const Head head = head_of(type, bytes);
  if (Status written = write_at(s.file, s.path, s.end, view_of(head)); !written) return written;
  if (Status written = write_at(s.file, s.path, s.end + sizeof head, bytes); !written) return written;
  s.end += sizeof head + bytes.size();
  return {};
}

Status RecordFileWriter::sync() {
  if (fdatasync(state_->file.get()) != 0) return tl::unexpected(system_error("sync", state_->path));
  return {};
}

std::uint64_t RecordFileWriter::bytes() const { return state_->end; }

struct RecordFileReader::State {
  std::string path;
  Descriptor file;  // none: all is in `memory`
  std::string memory;
  std::uint64_t size = 0, at = 0;
  std::uint32_t version = 0;

  Result<std::string> read(std::uint64_t offset, std::uint64_t bytes) const {
    if (file.get() < 0) return memory.substr(offset, bytes);
    return read_at(file, path, offset, bytes);
  }
};

RecordFileReader::RecordFileReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
RecordFileReader::RecordFileReader(RecordFileReader&&) noexcept = default;
RecordFileReader& RecordFileReader::operator=(RecordFileReader&&) noexcept = default;
RecordFileReader::~RecordFileReader() = default;

Result<RecordFileReader> RecordFileReader::open(const std::string& path, const RecordFileKind& kind) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->file = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (state->file.get() < 0) return tl::unexpected(system_error("open", path));
  const auto size = size_of(state->file, path);
  if (!size) return tl::unexpected(size.error());
  state->size = *size;
  return begin(std::move(state), kind);
}

Result<RecordFileReader> RecordFileReader::over(std::string bytes, const RecordFileKind& kind) {
  auto state = std::make_unique<State>();
  state->path = "memory";
  state->size = bytes.size();
  state->memory = std::move(bytes);
  return begin(std::move(state), kind);
}

Result<RecordFileReader> RecordFileReader::begin(std::unique_ptr<State> state, const RecordFileKind& kind) {
  FileHeader header;
  if (state->size < sizeof header)
    return fail(ErrorCode::kBadInput,
                fmt::format("{} has {} bytes: too few to be such a file", state->path, state->size));
  const auto bytes = state->read(0, sizeof header);
  if (!bytes) return tl::unexpected(bytes.error());
  std::memcpy(&header, bytes->data(), sizeof header);
  if (header.magic != kind.magic)
    return fail(ErrorCode::kBadInput, fmt::format("{} doesn't begin as such a file does", state->path));
  if (header.version == 0 || file_header({header.magic, header.version}).checksum != header.checksum)
    return fail(ErrorCode::kBadInput, fmt::format("the header of {} was altered", state->path));
  if (header.version > kind.version)
    return fail(ErrorCode::kUnsupported, fmt::format("{} is of version {}, this program reads up to {}",
                                                     state->path, header.version, kind.version));
  state->version = header.version;
  state->at = sizeof header;
  return RecordFileReader(std::move(state));
}

Result<std::optional<FileRecord>> RecordFileReader::next() {
  State& s = *state_;
  const auto altered = [&] {
    return fail(ErrorCode::kBadInput, fmt::format("{}: the record at byte {} was altered", s.path, s.at));
  };
  if (s.size - s.at < sizeof(Head)) return std::optional<FileRecord>();
  const auto bytes = s.read(s.at, sizeof(Head));
  if (!bytes) return tl::unexpected(bytes.error());
  Head head;
  std::memcpy(&head, bytes->data(), sizeof head);
  if (!is_whole(head)) return altered();
  if (head.length > s.size - s.at - sizeof head) return std::optional<FileRecord>();
  auto body = s.read(s.at + sizeof head, head.length);
  if (!body) return tl::unexpected(body.error());
  if (crc32c({*body}) != head.body) return altered();
  s.at += sizeof head + head.length;
  return std::optional(FileRecord{head.type, std::move(*body)});
}

std::uint64_t RecordFileReader::torn_bytes() const { return state_->size - state_->at; }
std::uint32_t RecordFileReader::version() const { return state_->version; }

}  // namespace braid::store
