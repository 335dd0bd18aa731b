#include "spool.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <vector>

#include "byte_reader.h"

namespace braid::ingest::ffmpeg {
namespace {

std::vector<std::uint8_t> boxes(std::initializer_list<std::pair<const char*, std::uint8_t>> list) {
  std::vector<std::uint8_t> bytes;
  for (const auto& [name, size] : list) {
    bytes.insert(bytes.end(), {0, 0, 0, size});
    bytes.insert(bytes.end(), name, name + 4);
    bytes.resize(bytes.size() + size - 8);
  }
  return bytes;
}

TEST(Spool, SamplesBeforeTheIndexAreKnownByTheirBoxes) {
  EXPECT_TRUE(has_index_at_end(boxes({{"ftyp", 24}, {"free", 8}, {"mdat", 40}, {"moov", 16}})));
  EXPECT_FALSE(has_index_at_end(boxes({{"ftyp", 24}, {"moov", 40}, {"mdat", 16}})));
  EXPECT_FALSE(has_index_at_end(boxes({{"ftyp", 24}, {"moof", 40}, {"mdat", 16}})))
      << "fragments are read as they come";
  EXPECT_FALSE(has_index_at_end(boxes({{"mdat", 24}}))) << "not an MP4's begin";
  EXPECT_FALSE(has_index_at_end({}));
}

TEST(Spool, ABoxThatSaysNothingOfItsSizeEndsTheLook) {
  auto bytes = boxes({{"ftyp", 24}, {"free", 8}, {"mdat", 8}});
  bytes[27] = 0;
  EXPECT_FALSE(has_index_at_end(bytes));
}

TEST(Spool, HoldsHeadAndRestAsOneFile) {
  const std::string source = "models/nano/samples/utterance1.wav";
  std::ifstream file(source, std::ios::binary);
  const std::vector<char> whole{std::istreambuf_iterator<char>(file), {}};
  SourceSpec spec;
  spec.target = source;
  RealClock clock;
  auto reader = ByteReader::open(spec, clock);
  ASSERT_TRUE(reader);
  std::vector<std::uint8_t> head(100);
  ASSERT_EQ((*reader)->read(head.data(), head.size()), 100);
  auto spool =
      Spool::fill(head, [&](std::uint8_t* to, std::size_t size) { return (*reader)->read(to, size); });
  ASSERT_TRUE(spool) << spool.error().message;
  std::ifstream spooled(spool->path(), std::ios::binary);
  EXPECT_EQ((std::vector<char>{std::istreambuf_iterator<char>(spooled), {}}), whole);
}

}  // namespace
}  // namespace braid::ingest::ffmpeg
