#include "memory/add_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "braid/calendar/session_range.h"
#include "braid/ingest/log_row.h"
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

/// A number without a unit: in that in which it counts from 1970, else seconds.
std::optional<Nanoseconds> bare_time(const std::string& cell) {
  constexpr Nanoseconds kLast = std::chrono::seconds(4'100'000'000);  // 2099; by then the units don't overlap
  using ingest::TimeUnit;
  for (const TimeUnit unit :
       {TimeUnit::kSeconds, TimeUnit::kMilliseconds, TimeUnit::kMicroseconds, TimeUnit::kNanoseconds})
    if (const auto time = ingest::log_time({cell, unit}, unit);
        time && ingest::is_absolute(*time) && *time < kLast)
      return *time;
  const auto time = ingest::log_time({cell, TimeUnit::kSeconds}, TimeUnit::kSeconds);
  return time ? std::optional(*time) : std::nullopt;
}

/// As sensor logs have them: calendar times, in the asker's zone; numbers since 1970 or since the document's
/// time.
std::optional<UtcTime> cell_time(const std::string& cell, ingest::TimeUnit unit, UtcTime zero,
                                 const calendar::Asker& asker) {
  if (ingest::is_calendar_time(cell)) {
    const auto range = calendar::parse_time_range(cell, asker);
    return range && range->from != UtcTime::min() ? std::optional(range->from) : std::nullopt;
  }
  std::optional<Nanoseconds> time;
  if (unit == ingest::TimeUnit::kAuto)
    time = bare_time(cell);
  else if (const auto read = ingest::log_time({cell, unit}, unit))
    time = *read;
  if (!time) return std::nullopt;
  return calendar::utc_time(SessionTime(*time), ingest::is_absolute(*time) ? UtcTime{} : zero);
}

retrieve::CellTime time_column(std::string_view name, const RecordHead& head) {
  const auto unit = ingest::time_unit_of_name(name);
  if (!unit) return {};
  return [unit = *unit, zero = head.start, asker = calendar::Asker{head.zone, {}}](std::string_view cell) {
    return cell_time(std::string(cell), unit, zero, asker);
  };
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
  auto format = retrieve::document_format(path);
  if (!format && path != "-")
    return fail(ErrorCode::kUnsupported,
                fmt::format("{} is of a format that isn't read: {} are", path, retrieve::kDocumentEnds));
  const auto bytes = bytes_of(path);
  if (!bytes) return tl::unexpected(bytes.error());
  if (!format) format = retrieve::document_format_of(*bytes);
  const auto passages = retrieve::cut_document(
      *bytes, *format, {head.start, [&head](std::string_view column) { return time_column(column, head); }});
  if (!passages) return fail(passages.error().code, fmt::format("{}: {}", path, passages.error().message));
  retrieve::Record record;
  record.source = head.source;
  record.kind = head.kind;
  record.links = head.links;
  for (const retrieve::Passage& passage : *passages) {
    record.start = passage.start.value_or(head.start);
    record.end = passage.start ? passage.end : head.end;
    record.text = passage.text;
    record.page = passage.page;
    record.offset = passage.offset;
    if (Status added = add_when_there_is_room(memory, record); !added) return tl::unexpected(added.error());
  }
  if (Status flushed = memory.flush(); !flushed) return tl::unexpected(flushed.error());
  return passages->size();
}

}  // namespace braid::serve
