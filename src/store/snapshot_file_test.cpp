#include "braid/store/snapshot_file.h"

#include "braid/store/checksum.h"
#include "folder_for_tests.h"
#include "small_disk_for_tests.h"

namespace braid::store {
namespace {

constexpr std::size_t kSlot = 64U << 10;

class SnapshotFileTest : public FolderTest {
 protected:
  Status put(SnapshotFile& file, const std::string& body, int ns = 0) {
    return file.write(body, SteadyTime(Nanoseconds(ns)), 1000 + ns);
  }
  std::string at = path("snapshot");
};

TEST_F(SnapshotFileTest, TheChecksumIsCastagnolis) {
  EXPECT_EQ(crc32c({"123456789"}), 0xE3069283U);  // RFC 3720's polynomial, the usual check value
  EXPECT_EQ(crc32c({"1234", "56789"}), 0xE3069283U);
}

TEST_F(SnapshotFileTest, TheNewestIsRead) {
  SnapshotFile file(at);
  EXPECT_EQ(read_snapshot(at).error().code, ErrorCode::kNotFound);
  for (int i = 1; i <= 5; ++i) {
    ASSERT_TRUE(put(file, "state " + std::to_string(i), i));
    const auto read = read_snapshot(at);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->body, "state " + std::to_string(i));
    EXPECT_EQ(read->stamp.sequence, static_cast<std::uint64_t>(i));
    EXPECT_EQ(read->stamp.written, SteadyTime(Nanoseconds(i)));
    EXPECT_EQ(read->stamp.wall_us, 1000 + i);
    EXPECT_TRUE(read->refused.empty());
  }
  EXPECT_EQ(mode_of(at), 0600U);
}

TEST_F(SnapshotFileTest, AnotherWriterGoesOn) {
  {
    SnapshotFile file(at);
    ASSERT_TRUE(put(file, "one"));
    ASSERT_TRUE(put(file, "two"));
  }
  SnapshotFile file(at);
  ASSERT_TRUE(put(file, "three"));
  const auto read = read_snapshot(at);
  EXPECT_EQ(read->body, "three");
  EXPECT_EQ(read->stamp.sequence, 3U);
  EXPECT_NE(bytes_of(at).find("two"), std::string::npos);  // in the other slot
}

TEST_F(SnapshotFileTest, AnAlteredByteAnywhereCostsThatSlotAlone) {
  SnapshotFile file(at);
  ASSERT_TRUE(put(file, "older state"));  // slot 0
  ASSERT_TRUE(put(file, "newer state"));  // slot 1
  const std::string whole = bytes_of(at);
  for (std::size_t i = 0; i < 48 + 11; ++i) {
    std::string altered = whole;
    altered[kSlot + i] = static_cast<char>(altered[kSlot + i] ^ 0x10);
    const auto read = parse_snapshot(altered);
    if (i >= 8 && i < 12) {  // a version to come, which has the newer state
      EXPECT_EQ(read.error().code, ErrorCode::kUnsupported) << i;
      continue;
    }
    ASSERT_TRUE(read) << i;
    EXPECT_EQ(read->body, "older state") << i;
    ASSERT_EQ(read->refused.size(), 1U) << i;
    EXPECT_TRUE(read->refused[0].starts_with("slot 1: ")) << i;
    altered[i] = static_cast<char>(altered[i] ^ 0x10);
    EXPECT_FALSE(parse_snapshot(altered)) << i;
  }
}

TEST_F(SnapshotFileTest, AWriteThatWasTornLeavesTheOneBefore) {
  SnapshotFile file(at);
  ASSERT_TRUE(put(file, std::string(1000, 'a')));
  ASSERT_TRUE(put(file, std::string(1000, 'b')));
  const std::string before = bytes_of(at);
  ASSERT_TRUE(put(file, std::string(1000, 'c')));  // over the first
  const std::string after = bytes_of(at);
  // Any part of the bytes may have come first.
  for (std::size_t done = 0; done < 1048; done += 7)
    for (const bool head : {true, false}) {
      const std::string torn =
          head ? after.substr(0, done) + before.substr(done)
               : before.substr(0, done) + after.substr(done, 1048 - done) + before.substr(1048);
      const auto read = parse_snapshot(torn);
      ASSERT_TRUE(read) << done;
      EXPECT_TRUE(read->body == std::string(1000, 'b') || read->body == std::string(1000, 'c')) << done;
      if (head && done > 0) {
        EXPECT_EQ(read->body[0], 'b') << done;
      }
    }
}

TEST_F(SnapshotFileTest, ItGrowsWithWhatIsWritten) {
  SnapshotFile file(at);
  ASSERT_TRUE(put(file, "small"));
  EXPECT_EQ(file.bytes(), 2 * kSlot);
  const std::string large(300'000, 'x');
  EXPECT_EQ(file.bytes_with(large.size()), 1024U << 10);
  ASSERT_TRUE(put(file, large));
  EXPECT_EQ(std::filesystem::file_size(at), 1024U << 10);
  EXPECT_EQ(read_snapshot(at)->body, large);
  ASSERT_TRUE(put(file, "small again"));
  EXPECT_EQ(read_snapshot(at)->body, "small again");
  EXPECT_EQ(read_snapshot(at)->stamp.sequence, 3U);
  EXPECT_FALSE(std::filesystem::exists(at + ".new"));
}

TEST_F(SnapshotFileTest, ALaterVersionIsToldFromDamage) {
  SnapshotFile file(at);
  ASSERT_TRUE(put(file, "state"));
  std::string later = bytes_of(at);
  later[8] = 9;
  EXPECT_EQ(parse_snapshot(later).error().code, ErrorCode::kUnsupported);
  later[8] = 1;
  later[0] = 'X';
  EXPECT_EQ(parse_snapshot(later).error().code, ErrorCode::kBadInput);
  for (const std::string& bytes : {std::string(), std::string(3, 'x'), std::string(2 * kSlot, '\0')})
    EXPECT_EQ(parse_snapshot(bytes).error().code, ErrorCode::kBadInput);
}

TEST_F(SnapshotFileTest, WhatALaterVersionWentOnWithIsNeitherReadNorWritten) {
  {
    SnapshotFile file(at);
    ASSERT_TRUE(put(file, "ours"));
    ASSERT_TRUE(put(file, "theirs"));
  }
  for (const std::size_t slot : {std::size_t{0}, std::size_t{kSlot}}) {
    std::string later = bytes_of(at);
    later[slot + 8] = 2;
    write(path("later"), later);
    EXPECT_EQ(read_snapshot(path("later")).error().code, ErrorCode::kUnsupported);
    SnapshotFile file(path("later"));
    EXPECT_EQ(put(file, "again").error().code, ErrorCode::kUnsupported);
    EXPECT_EQ(put(file, std::string(300'000, 'x')).error().code, ErrorCode::kUnsupported);
    EXPECT_EQ(bytes_of(path("later")), later);
  }
}

TEST_F(SnapshotFileTest, WhatCannotBeReadIsWrittenAnew) {
  write(at, std::string(2 * kSlot, 'x'));
  SnapshotFile file(at);
  ASSERT_TRUE(put(file, "state"));
  EXPECT_EQ(read_snapshot(at)->body, "state");
}

TEST_F(SnapshotFileTest, AFullDiskLeavesTheLastOne) {
  SnapshotFile file(at);
  ASSERT_TRUE(put(file, "kept"));
  {
    SmallDisk disk(2 * kSlot);
    const Status full = put(file, std::string(500'000, 'x'));
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().code, ErrorCode::kResource);
    EXPECT_TRUE(full.error().retryable);
    EXPECT_EQ(read_snapshot(at)->body, "kept");
    EXPECT_FALSE(std::filesystem::exists(at + ".new"));
    EXPECT_TRUE(put(file, "fits where the file is"));
    SmallDisk smaller(kSlot);
    SnapshotFile other(path("other"));
    EXPECT_FALSE(put(other, "no room for a first one"));
  }
  ASSERT_TRUE(put(file, std::string(500'000, 'x')));
  EXPECT_EQ(read_snapshot(at)->body.size(), 500'000U);
}

TEST_F(SnapshotFileTest, AFileThatIsCutOrRemovedMeanwhileIsMadeAnew) {
  SnapshotFile file(at);
  EXPECT_TRUE(file.intact());
  ASSERT_TRUE(put(file, "one"));
  ASSERT_TRUE(put(file, "two"));
  for (const std::uintmax_t left : {std::uintmax_t{0}, std::uintmax_t{100}, std::uintmax_t{kSlot}}) {
    std::filesystem::resize_file(at, left);
    EXPECT_FALSE(file.intact()) << left;
    ASSERT_TRUE(put(file, "three")) << left;
    EXPECT_TRUE(file.intact()) << left;
    EXPECT_EQ(read_snapshot(at)->body, "three") << left;
    ASSERT_TRUE(put(file, "four")) << left;
    EXPECT_EQ(read_snapshot(at)->body, "four") << left;
  }
  std::filesystem::remove(at);
  EXPECT_FALSE(file.intact());
  ASSERT_TRUE(put(file, "five"));
  EXPECT_EQ(read_snapshot(at)->body, "five");
  std::filesystem::remove_all(folder);
  EXPECT_EQ(put(file, "six").error().code, ErrorCode::kNotFound);
}

TEST_F(SnapshotFileTest, ADiskThatIsFullInTheMiddleOfASlotLeavesTheLastOne) {
  SnapshotFile file(at);
  ASSERT_TRUE(put(file, "kept"));  // slot 0
  {
    SmallDisk disk(kSlot + 20);
    EXPECT_EQ(put(file, std::string(5000, 'x')).error().code, ErrorCode::kResource);
    EXPECT_EQ(read_snapshot(at)->body, "kept");
  }
  ASSERT_TRUE(put(file, "written"));
  EXPECT_EQ(read_snapshot(at)->body, "written");
}

TEST_F(SnapshotFileTest, ALinkIsNotFollowed) {
  write(path("elsewhere"), "theirs");
  std::filesystem::create_symlink(path("elsewhere"), at);
  EXPECT_FALSE(read_snapshot(at));
  SnapshotFile file(at);
  ASSERT_TRUE(put(file, "ours"));  // takes the link's place
  EXPECT_EQ(bytes_of(path("elsewhere")), "theirs");
}

}  // namespace
}  // namespace braid::store
