#include "braid/store/record_log.h"

#include <optional>
#include <random>
#include <vector>

#include "folder_for_tests.h"
#include "small_disk_for_tests.h"

namespace braid::store {
namespace {

class RecordLogTest : public FolderTest {
 protected:
  RecordLog open() {
    auto log = RecordLog::open(folder, {.segment_bytes = 1000});
    if (!log) throw std::runtime_error(log.error().message);
    return std::move(*log);
  }
  std::vector<std::string> files() const {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    return files;
  }
};

TEST_F(RecordLogTest, WhatWasWrittenIsReadNowAndLater) {
  std::vector<std::uint64_t> offsets;
  {
    RecordLog log = open();
    for (int i = 0; i < 40; ++i)
      offsets.push_back(*log.append(static_cast<std::uint64_t>(i), std::string(100, static_cast<char>(i))));
    ASSERT_TRUE(log.sync());
    for (int i = 0; i < 40; ++i)
      EXPECT_EQ(*log.read(offsets[static_cast<std::size_t>(i)], static_cast<std::uint64_t>(i)),
                std::string(100, static_cast<char>(i)));
  }
  EXPECT_GT(files().size(), 3U);
  EXPECT_EQ(mode_of(files()[0]), 0600U);
  RecordLog log = open();
  EXPECT_EQ(log.torn_bytes(), 0U);
  for (int i = 0; i < 40; ++i)
    EXPECT_EQ(*log.read(offsets[static_cast<std::size_t>(i)], static_cast<std::uint64_t>(i)),
              std::string(100, static_cast<char>(i)));
  EXPECT_GT(*log.append(40, "more"), offsets.back());
}

TEST_F(RecordLogTest, RecordsOfAnotherIdOrPlaceAreRefused) {
  RecordLog log = open();
  const auto at = *log.append(1, "one");
  EXPECT_EQ(log.read(at, 2).error().code, ErrorCode::kBadInput);
  EXPECT_FALSE(log.read(at + 1, 1));
  EXPECT_EQ(log.read(log.end(), 1).error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(log.read(~0ULL, 1));
  EXPECT_FALSE(log.read(3, 1));
}

TEST_F(RecordLogTest, ThatItsFilesWereCutOrRemovedIsSeen) {
  RecordLog log = open();
  EXPECT_TRUE(log.intact());
  for (std::uint64_t i = 0; i < 20; ++i) ASSERT_TRUE(log.append(i, std::string(100, 'x')));
  ASSERT_GE(files().size(), 3U);
  EXPECT_TRUE(log.intact());
  for (const std::string& file : files()) {
    const std::string whole = bytes_of(file);
    std::filesystem::resize_file(file, 30);
    EXPECT_FALSE(log.intact()) << file;
    write(file, whole);
    EXPECT_TRUE(log.intact()) << file;
  }
  std::filesystem::remove(files().back());
  EXPECT_FALSE(log.intact());
  EXPECT_TRUE(open().intact());
}

TEST_F(RecordLogTest, ATornTailIsCutAndWrittenOver) {
  std::uint64_t first = 0, end = 0;
  {
    RecordLog log = open();
    first = *log.append(1, "whole");
    end = log.end();
    ASSERT_TRUE(log.append(2, std::string(50, 'x')));
  }
  const std::string whole = bytes_of(files()[0]);
  for (std::size_t left = end; left < whole.size(); ++left) {
    write(files()[0], whole.substr(0, left));
    RecordLog log = open();
    EXPECT_EQ(log.end(), end) << left;
    EXPECT_EQ(log.torn_bytes(), left - end) << left;
    EXPECT_EQ(*log.read(first, 1), "whole");
    EXPECT_EQ(*log.append(3, "next"), end);
    EXPECT_EQ(*log.read(end, 3), "next");
  }
}

TEST_F(RecordLogTest, AnAlteredRecordCostsNoOther) {
  std::vector<std::uint64_t> offsets;
  {
    RecordLog log = open();
    for (std::uint64_t i = 0; i < 3; ++i) offsets.push_back(*log.append(i, std::string(20, 'r')));
  }
  std::string bytes = bytes_of(files()[0]);
  bytes[offsets[1] + 20] = '!';
  write(files()[0], bytes);
  const RecordLog log = open();
  EXPECT_EQ(log.torn_bytes(), 0U);
  EXPECT_TRUE(log.read(offsets[0], 0));
  EXPECT_EQ(log.read(offsets[1], 1).error().code, ErrorCode::kBadInput);
  EXPECT_TRUE(log.read(offsets[2], 2));
  EXPECT_EQ(scan_segment(bytes)->damaged, 1U);
}

TEST_F(RecordLogTest, WhatIsBeforeTheWindowGoesAFileAtATime) {
  RecordLog log = open();
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t i = 0; i < 40; ++i) offsets.push_back(*log.append(i, std::string(100, 'r')));
  const auto before = log.bytes();
  log.forget_before(offsets[20]);
  EXPECT_LT(log.bytes(), before * 2 / 3);
  EXPECT_EQ(log.read(offsets[0], 0).error().code, ErrorCode::kNotFound);
  for (std::uint64_t i = 20; i < 40; ++i) EXPECT_TRUE(log.read(offsets[i], i)) << i;
  log.forget_before(log.end());
  EXPECT_EQ(files().size(), 1U);
  EXPECT_GT(*log.append(40, "goes on"), offsets.back());
  const auto end = log.end();
  EXPECT_EQ(open().end(), end);
}

TEST_F(RecordLogTest, AFullDiskCostsTheRecordAlone) {
  RecordLog log = open();
  const auto first = *log.append(1, "one");
  const auto end = log.end();
  {
    SmallDisk disk(200);
    const auto full = log.append(2, std::string(500, 'x'));
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().code, ErrorCode::kResource);
    EXPECT_TRUE(full.error().retryable);
  }
  EXPECT_EQ(*log.append(3, "three"), end);
  EXPECT_EQ(*log.read(end, 3), "three");
  EXPECT_EQ(*open().read(first, 1), "one");
}

TEST_F(RecordLogTest, FilesThatAreNoneOfItsAreRefusedOrLeftAlone) {
  write(path("notes"), "theirs");
  ASSERT_TRUE(RecordLog::open(folder));
  write(path("log-0000000000000000"), "something else that is long enough");
  EXPECT_EQ(RecordLog::open(folder).error().code, ErrorCode::kBadInput);
  EXPECT_EQ(RecordLog::open(path("none")).error().code, ErrorCode::kResource);
  write(path("log-0000000000000000"), "short");  // died as it was made
  EXPECT_EQ(open().end(), 0U);
  EXPECT_TRUE(std::filesystem::exists(path("notes")));
}

TEST_F(RecordLogTest, ALaterVersionIsToldFromDamage) {
  { static_cast<void>(open().append(1, "one")); }
  std::string later = bytes_of(files()[0]);
  later[8] = 2;
  EXPECT_EQ(scan_segment(later).error().code, ErrorCode::kUnsupported);
}

// Whatever is appended, forgotten, torn and opened again: all that was synced and is still wanted can be
// read.
TEST_F(RecordLogTest, AnyFileOfALaterVersionIsSeenAndNoneIsTouched) {
  EXPECT_TRUE(RecordLog::check_version(folder));
  {
    RecordLog log = open();
    for (std::uint64_t i = 0; i < 20; ++i) ASSERT_TRUE(log.append(i, std::string(100, 'x')));
  }
  ASSERT_GT(files().size(), 1U);
  EXPECT_TRUE(RecordLog::check_version(folder));
  for (const std::string& file : files()) {
    const std::string whole = bytes_of(file);
    std::string later = whole + "torn";
    later[8] = 2;
    write(file, later);
    EXPECT_EQ(RecordLog::check_version(folder).error().code, ErrorCode::kUnsupported) << file;
    EXPECT_EQ(bytes_of(file), later);
    write(file, whole.substr(0, 10));  // no header: of no version
    EXPECT_TRUE(RecordLog::check_version(folder)) << file;
    write(file, whole);
  }
}

TEST_F(RecordLogTest, AnyHistoryKeepsWhatWasWritten) {
  std::mt19937 random(11);
  const auto below = [&](unsigned n) { return random() % n; };
  std::optional<RecordLog> log = open();
  std::vector<std::pair<std::uint64_t, std::string>> wanted;  // by id, from first on
  std::vector<std::uint64_t> offsets;
  std::size_t first = 0;
  for (int turn = 0; turn < 600; ++turn) {
    if (below(10) < 7) {
      std::string bytes(below(300), static_cast<char>(below(256)));
      offsets.push_back(*log->append(wanted.size(), bytes));
      wanted.emplace_back(wanted.size(), std::move(bytes));
    } else if (below(2) == 0 && first < wanted.size()) {
      first += below(static_cast<unsigned>(wanted.size() - first));
      log->forget_before(offsets[first]);
    } else {
      log.reset();
      if (below(2) == 0)  // a record that was being written
        std::ofstream(files().back(), std::ios::app | std::ios::binary) << std::string(below(40), '\x7f');
      log = open();
    }
    if (first == wanted.size()) continue;
    const std::size_t looked = first + below(static_cast<unsigned>(wanted.size() - first));
    const auto read = log->read(offsets[looked], looked);
    ASSERT_TRUE(read) << turn << ": " << read.error().message;
    ASSERT_EQ(*read, wanted[looked].second);
  }
}

}  // namespace
}  // namespace braid::store
