#include "braid/store/record_file.h"

#include <vector>

#include "folder_for_tests.h"
#include "small_disk_for_tests.h"

namespace braid::store {
namespace {

constexpr RecordFileKind kKind{{'T', 'E', 'S', 'T', 'F', 'I', 'L', 'E'}, 2};

class RecordFileTest : public FolderTest {
 protected:
  /// Records of 0, 100, 200, ... bytes; its bytes.
  std::string written(int records) const {
    auto file = RecordFileWriter::create(path("file"), kKind);
    for (int i = 0; i < records; ++i)
      EXPECT_TRUE(
          file->append(static_cast<std::uint32_t>(i), std::string(100U * static_cast<unsigned>(i), 'x')));
    EXPECT_TRUE(file->sync());
    std::string bytes = bytes_of(path("file"));
    EXPECT_EQ(bytes.size(), file->bytes());
    std::filesystem::remove(path("file"));
    return bytes;
  }
  struct Read {
    std::size_t records = 0;
    std::optional<ErrorCode> error;
    std::uint64_t torn = 0;
  };
  static Read read(const std::string& bytes) {
    auto file = RecordFileReader::over(bytes, kKind);
    if (!file) return {0, file.error().code, 0};
    Read read;
    while (true) {
      const auto record = file->next();
      if (!record) {
        read.error = record.error().code;
        return read;
      }
      if (!*record) break;
      EXPECT_EQ((*record)->type, read.records);
      EXPECT_EQ((*record)->bytes.size(), 100 * read.records);
      ++read.records;
    }
    read.torn = file->torn_bytes();
    return read;
  }
};

TEST_F(RecordFileTest, WhatWasWrittenIsRead) {
  const std::string bytes = written(5);
  write(path("again"), bytes);
  auto file = RecordFileReader::open(path("again"), kKind);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->version(), 2U);
  EXPECT_EQ(read(bytes).records, 5U);
  EXPECT_EQ(read(bytes).torn, 0U);
}

TEST_F(RecordFileTest, CutAnywhereItIsReadUpToItsLastWholeRecord) {
  const std::string bytes = written(4);
  std::vector<std::size_t> ends = {16};
  for (std::size_t i = 0; i < 4; ++i) ends.push_back(ends.back() + 16 + 100 * i);
  ASSERT_EQ(ends.back(), bytes.size());
  for (std::size_t length = 16; length <= bytes.size(); ++length) {
    const Read now = read(bytes.substr(0, length));
    std::size_t whole = 0;
    while (whole + 1 < ends.size() && ends[whole + 1] <= length) ++whole;
    EXPECT_EQ(now.records, whole) << length;
    EXPECT_EQ(now.torn, length - ends[whole]) << length;
    EXPECT_FALSE(now.error) << length;
  }
}

TEST_F(RecordFileTest, EachFlippedByteIsTold) {
  const std::string bytes = written(4);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    EXPECT_TRUE(read(flipped).error) << at;
  }
}

TEST_F(RecordFileTest, OtherFilesAndLaterVersionsAreRefused) {
  EXPECT_EQ(read("").error, ErrorCode::kBadInput);
  EXPECT_EQ(read(std::string(100, '\0')).error, ErrorCode::kBadInput);
  constexpr RecordFileKind kOlder{kKind.magic, 1};
  EXPECT_EQ(RecordFileReader::over(written(1), kOlder).error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(RecordFileReader::open(path("none"), kKind).error().code, ErrorCode::kNotFound);
}

TEST_F(RecordFileTest, AFileThatIsThereIsLeftAlone) {
  write(path("file"), "mine");
  EXPECT_EQ(RecordFileWriter::create(path("file"), kKind).error().code, ErrorCode::kUsage);
  EXPECT_EQ(bytes_of(path("file")), "mine");
}

TEST_F(RecordFileTest, AFullDiskIsAnError) {
  const SmallDisk disk(4096);
  auto file = RecordFileWriter::create(path("file"), kKind);
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->append(1, std::string(1000, 'x')));
  const Status status = file->append(2, std::string(5000, 'x'));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kResource);
}

}  // namespace
}  // namespace braid::store
