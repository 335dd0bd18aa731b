#include "memory/transfer.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unordered_map>
#include <utility>
#include <vector>

#include "braid/store/checksum.h"
#include "memory/record_line.h"

namespace braid::serve {

namespace json = boost::json;

namespace {

constexpr std::int64_t kVersion = 1;
constexpr int kBatch = 256;  // records of a page, and of a commit
constexpr std::size_t kMaxLineBytes = 2U << 20;

/// Each line's with the one before, so that it can go on line by line.
class Checksum {
 public:
  void add(std::string_view line) { value_ = store::crc32c({fmt::format("{:08x}", value_), line}); }
  std::uint32_t value() const { return value_; }

 private:
  std::uint32_t value_ = 0;
};

/// A file that gets its name when it is whole.
class NewFile {
 public:
  explicit NewFile(std::string path)
      : path_(std::move(path)), part_(path_ + ".part"), file_(std::fopen(part_.c_str(), "wbe")) {}
  ~NewFile() {
    if (file_) std::fclose(file_);
    if (file_) std::remove(part_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  Status line(const std::string& line) {
    if (file_ && std::fwrite(line.data(), 1, line.size(), file_) == line.size() &&
        std::fputc('\n', file_) != EOF)
      return {};
    return failed();
  }
  Status finish() {
    if (!file_) return failed();
    const bool flushed = std::fflush(file_) == 0;
    const bool closed = std::fclose(std::exchange(file_, nullptr)) == 0;
    if (flushed && closed && std::rename(part_.c_str(), path_.c_str()) == 0) return {};
    Status why = failed();
    std::remove(part_.c_str());
    return why;
  }

 private:
  Status failed() const {
    return fail(ErrorCode::kResource, fmt::format("can't write {}: {}", path_, std::strerror(errno)));
  }

  std::string path_, part_;
  std::FILE* file_;
};

/// Links count in the export's own numbers; one to a record that isn't before it in the file is left out.
void renumber(retrieve::Record& record, std::int64_t number,
              std::unordered_map<std::int64_t, std::int64_t>& numbers) {
  std::vector<retrieve::RecordLink> links;
  for (const retrieve::RecordLink& link : record.links)
    if (const auto to = numbers.find(link.to); to != numbers.end()) links.push_back({link.kind, to->second});
  record.links = std::move(links);
  numbers[record.id] = number;
  record.id = number;
}

/// Lines of an export that is whole.
class ExportReader {
 public:
  explicit ExportReader(const std::string& path)
      : path_(path), file_(path, std::ios::binary), line_(kMaxLineBytes, '\0') {}

  /// Checks all of it and says what it holds.
  Result<Transfer> check() {
    if (!file_)
      return fail(ErrorCode::kNotFound, fmt::format("can't read {}: {}", path_, std::strerror(errno)));
    auto head = next();
    if (!head) return tl::unexpected(head.error());
    if (Status known = check_head(*head); !known) return tl::unexpected(known.error());
    begin_ = file_.tellg();
    Transfer whole;
    Checksum checksum;
    for (;;) {
      const auto line = next();
      if (!line) return tl::unexpected(line.error());
      if (line->starts_with(R"({"type":"end")")) {
        whole.checksum = checksum.value();
        if (Status same = check_end(*line, whole); !same) return tl::unexpected(same.error());
        return whole;
      }
      checksum.add(*line);
      ++whole.records;
    }
  }
  /// To the first record.
  void rewind() {
    file_.clear();
    file_.seekg(begin_);
    number_ = 1;
  }
  Result<std::string_view> next() {
    ++number_;
    if (file_.getline(line_.data(), static_cast<std::streamsize>(line_.size())))
      return std::string_view(line_.data(), static_cast<std::size_t>(file_.gcount() - (file_.eof() ? 0 : 1)));
    return fail(ErrorCode::kBadInput,
                fmt::format("{} is cut: it breaks off at line {}; export it again", path_, number_));
  }
  std::int64_t number() const { return number_; }

 private:
  Status check_head(std::string_view line) const {
    boost::system::error_code error;
    const json::value head = json::parse(line, error);
    const json::object* object = error ? nullptr : head.if_object();
    const json::value* type = object ? object->if_contains("type") : nullptr;
    if (!type || *type != "braid_memory")
      return fail(ErrorCode::kBadInput, fmt::format("{} is no export of a memory", path_));
    const json::value* version = object->if_contains("version");
    if (version && *version == kVersion) return {};
    return fail(ErrorCode::kUnsupported,
                fmt::format("{} is of another version; this one reads {}", path_, kVersion));
  }
  Status check_end(std::string_view line, const Transfer& whole) const {
    const std::string expected = json::serialize(end_line(whole));
    if (line == expected) return {};
    return fail(
        ErrorCode::kBadInput,
        fmt::format("{} was changed: it ends with {}, and has {}; export it again", path_, line, expected));
  }

 public:
  static json::object end_line(const Transfer& whole) {
    return {{"type", "end"}, {"records", whole.records}, {"crc32c", fmt::format("{:08x}", whole.checksum)}};
  }

 private:
  const std::string path_;
  std::ifstream file_;
  std::string line_;
  std::streampos begin_;
  std::int64_t number_ = 0;
};

}  // namespace

Result<Transfer> export_memory(retrieve::Memory& memory, const std::string& file, bool with_vectors) {
  NewFile out(file);
  if (Status begun = out.line(json::serialize(json::object{{"type", "braid_memory"}, {"version", kVersion}}));
      !begun)
    return tl::unexpected(begun.error());
  Transfer whole;
  Checksum checksum;
  std::unordered_map<std::int64_t, std::int64_t> numbers;
  for (std::int64_t after = 0;;) {
    auto page = memory.page(after, kBatch, with_vectors);
    if (!page) return tl::unexpected(page.error());
    if (page->empty()) break;
    after = page->back().id;
    for (retrieve::Record& record : *page) {
      renumber(record, ++whole.records, numbers);
      const std::string line = record_line(record);
      checksum.add(line);
      if (Status written = out.line(line); !written) return tl::unexpected(written.error());
    }
  }
  whole.checksum = checksum.value();
  Status done = out.line(json::serialize(ExportReader::end_line(whole)));
  if (done) done = out.finish();
  if (!done) return tl::unexpected(done.error());
  return whole;
}

Result<Transfer> import_memory(retrieve::Memory& memory, const std::string& file) {
  ExportReader reader(file);
  auto whole = reader.check();
  if (!whole) return whole;
  const std::string key = fmt::format("{:08x}-{}", whole->checksum, whole->records);
  const auto there = memory.imported(key);
  if (!there) return tl::unexpected(there.error());
  whole->there = *there;
  reader.rewind();
  std::vector<retrieve::Record> batch;
  for (std::int64_t i = 1; i <= whole->records; ++i) {
    const auto line = reader.next();
    if (!line) return tl::unexpected(line.error());
    if (i <= *there) continue;
    auto record = read_record_line(*line);
    if (!record)
      return fail(record.error().code,
                  fmt::format("{}, line {}: {}", file, reader.number(), record.error().message));
    record->id = i;
    batch.push_back(std::move(*record));
    if (batch.size() < kBatch && i < whole->records) continue;
    if (Status added = memory.import_records(key, std::exchange(batch, {})); !added)
      return tl::unexpected(added.error());
  }
  return whole;
}

}  // namespace braid::serve
