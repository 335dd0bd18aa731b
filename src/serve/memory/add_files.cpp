#include "memory/add_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "braid/retrieve/document.h"

namespace braid::serve {

namespace {

Result<std::string> bytes_of(const std::string& path) {
  const auto close = [](std::FILE* file) { return file == stdin ? 0 : std::fclose(file); };
  std::unique_ptr<std::FILE, decltype(close)> file(path == "-" ? stdin : std::fopen(path.c_str(), "rbe"),
                                                   close);
  if (!file) return fail(ErrorCode::kNotFound, fmt::format("can't read {}: {}", path, std::strerror(errno)));
  std::string bytes;
  std::vector<char> block(1 << 16);
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), file.get())) {
    bytes.append(block.data(), got);
    if (bytes.size() > retrieve::kMaxDocumentBytes)
      return fail(ErrorCode::kLimit,
                  fmt::format("{} is longer than {} bytes: split it", path, retrieve::kMaxDocumentBytes));
  }
  if (std::ferror(file.get()) != 0)
    return fail(ErrorCode::kBadInput, fmt::format("can't read {} to its end", path));
  return bytes;
}

/// Room comes with the next commit.
Status add_when_there_is_room(retrieve::Memory& memory, const retrieve::Record& record) {
  Status added = memory.add(record);
  if (added || added.error().code != ErrorCode::kFull) return added;
  if (Status flushed = memory.flush(); !flushed) return flushed;
  return memory.add(record);
}

}  // namespace

Result<UtcTime> modified(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0)
    return fail(ErrorCode::kNotFound, fmt::format("can't read {}: {}", path, std::strerror(errno)));
  if (!S_ISREG(status.st_mode)) return fail(ErrorCode::kBadInput, fmt::format("{} is no plain file", path));
  return UtcTime(std::chrono::seconds(status.st_mtim.tv_sec) + Nanoseconds(status.st_mtim.tv_nsec));
}

Result<std::size_t> add_file(retrieve::Memory& memory, const std::string& path, const RecordHead& head) {
  const auto format = path == "-" ? retrieve::DocumentFormat::kText : retrieve::document_format(path);
  if (!format)
    return fail(
        ErrorCode::kUnsupported,
        fmt::format("{} is of a format that isn't read: text (.txt, .log) and Markdown (.md) are", path));
  const auto bytes = bytes_of(path);
  if (!bytes) return tl::unexpected(bytes.error());
  const auto passages = retrieve::cut_document(*bytes, *format);
  if (!passages) return fail(passages.error().code, fmt::format("{}: {}", path, passages.error().message));
  retrieve::Record record;
  record.start = head.start;
  record.end = head.end;
  record.source = head.source;
  record.kind = head.kind;
  for (const retrieve::Passage& passage : *passages) {
    record.text = passage.text;
    record.offset = passage.offset;
    if (Status added = add_when_there_is_room(memory, record); !added) return tl::unexpected(added.error());
  }
  if (Status flushed = memory.flush(); !flushed) return tl::unexpected(flushed.error());
  return passages->size();
}

}  // namespace braid::serve
