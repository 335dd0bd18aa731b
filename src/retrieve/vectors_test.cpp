// Records found by what they are like.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <set>

#include "folder_for_tests.h"
#include "sqlite/rows.h"
#include "vectors/index.h"

namespace braid::retrieve {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t kDim = 48;
constexpr const char* kSpace = "text:test";

std::vector<float> unit(std::vector<float> vector) {
  const float length = std::sqrt(std::inner_product(vector.begin(), vector.end(), vector.begin(), 0.F));
  for (float& value : vector) value /= length;
  return vector;
}

class VectorsTest : public FolderTest {
 protected:
  VectorsTest() { std::filesystem::create_directory(folder); }

  std::unique_ptr<SqliteRows> open_rows(std::int64_t segment_records = 100) {
    MemoryOptions options;
    options.segment_records = segment_records;
    return SqliteRows::open(folder + "/rows.sqlite", options).value();
  }
  std::vector<float> random_vector() {
    std::vector<float> vector(kDim);
    std::normal_distribution<float> normal;
    for (float& value : vector) value = normal(chance);
    return unit(std::move(vector));
  }
  /// One a second, in clusters of ten that are alike, sources in turn.
  void fill(SqliteRows& rows, int count) {
    std::vector<Record> records;
    std::vector<float> centre;
    for (int i = 0; i < count; ++i) {
      if (i % 10 == 0) centre = random_vector();
      std::vector<float> vector = random_vector();
      for (std::size_t d = 0; d < kDim; ++d) vector[d] = centre[d] + 0.3F * vector[d];
      Record record = record_at(i, "seen");
      record.source = i % 2 == 0 ? "left" : "right";
      record.vectors = {{kSpace, unit(std::move(vector))}};
      all.push_back(record);
      records.push_back(std::move(record));
    }
    ASSERT_TRUE(rows.append(records));
  }
  /// By scoring all of them.
  std::vector<std::int64_t> expected(std::span<const float> query, const Filter& filter, int limit) const {
    std::vector<std::pair<float, std::int64_t>> scored;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Record& record = all[i];
      const bool in_time = record.start < filter.to && record.start >= filter.from;
      if (!in_time || (!filter.sources.empty() && filter.sources[0] != record.source)) continue;
      const auto& values = record.vectors[0].values;
      scored.emplace_back(-std::inner_product(values.begin(), values.end(), query.begin(), 0.F),
                          static_cast<std::int64_t>(i + 1));
    }
    std::sort(scored.begin(), scored.end());
    std::vector<std::int64_t> ids;
    for (std::size_t i = 0; i < scored.size() && i < static_cast<std::size_t>(limit); ++i)
      ids.push_back(scored[i].second);
    return ids;
  }
  double recall(VectorIndex& index, SqliteRows& rows, const Filter& filter, int queries) {
    std::size_t right = 0, wanted = 0;
    for (int i = 0; i < queries; ++i) {
      const std::vector<float> query = random_vector();
      const auto want = expected(query, filter, 10);
      const auto got = index.nearest(rows, kSpace, query, filter, 10, -1, {});
      EXPECT_TRUE(got) << got.error().message;
      const std::set<std::int64_t> ids(got->ids.begin(), got->ids.end());
      wanted += want.size();
      for (const std::int64_t id : want) right += ids.count(id);
      EXPECT_EQ(got->ids.size(), want.size());
    }
    return static_cast<double>(right) / static_cast<double>(wanted);
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().filename().string().starts_with("vectors-"))
        names.push_back(entry.path().extension().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  std::mt19937 chance{6};
  std::vector<Record> all;
};

TEST_F(VectorsTest, AreFoundAsByScoringAllOfThemWhateverTheRange) {
  auto rows = open_rows(500);
  fill(*rows, 2600);
  VectorIndex index(folder, true);
  for (const auto& [from, to] :
       std::vector<std::pair<int, int>>{{0, 2600}, {700, 703}, {495, 520}, {90, 2000}})
    EXPECT_GE(recall(index, *rows, {.from = at_s(from), .to = at_s(to)}, 40), 0.999) << from << " to " << to;
  EXPECT_GE(recall(index, *rows, {.sources = {"left"}}, 40), 0.999);
  EXPECT_THAT(files(), ElementsAre(".i8", ".i8", ".i8", ".i8", ".i8"));
  EXPECT_EQ(index.damaged(), 0U);
}

TEST_F(VectorsTest, ThatAreAddedAreFoundAtOnceAlsoByAnotherProcess) {
  auto writer = open_rows();
  fill(*writer, 150);
  auto reader = open_rows();
  VectorIndex index(folder, false);
  const Filter any;
  EXPECT_EQ(index.nearest(*reader, kSpace, all[149].vectors[0].values, any, 1, -1, {})->ids[0], 150);
  const std::size_t before = all.size();
  fill(*writer, 120);
  EXPECT_EQ(index.nearest(*reader, kSpace, all[before + 119].vectors[0].values, any, 1, -1, {})->ids[0], 270);
  EXPECT_THAT(files(), IsEmpty()) << "who only reads writes nothing";
}

TEST_F(VectorsTest, OfADamagedFileAreMadeAnew) {
  auto rows = open_rows();
  fill(*rows, 250);
  const std::vector<float> query = random_vector();
  const auto before = VectorIndex(folder, true).nearest(*rows, kSpace, query, {}, 10, -1, {});
  int which = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".i8") continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    if (which++ == 0) {
      file.seekp(1000);
      file.put('\x55');
    } else {
      file.close();
      std::filesystem::resize_file(entry.path(), 1000);
    }
  }
  VectorIndex index(folder, true);
  const auto after = index.nearest(*rows, kSpace, query, {}, 10, -1, {});
  EXPECT_EQ(after->ids, before->ids);
  EXPECT_EQ(index.damaged(), 2U);
  EXPECT_THAT(files(), ElementsAre(".damaged", ".damaged", ".i8", ".i8"));
  VectorIndex again(folder, true);
  EXPECT_EQ(again.nearest(*rows, kSpace, query, {}, 10, -1, {})->ids, before->ids);
  EXPECT_EQ(again.damaged(), 0U);
}

TEST_F(VectorsTest, OfPrunedRecordsAreNotFoundAndTheirSegmentsGoOn) {
  auto rows = open_rows();
  fill(*rows, 350);
  VectorIndex index(folder, true);
  ASSERT_TRUE(index.nearest(*rows, kSpace, random_vector(), {}, 10, -1, {}));
  ASSERT_EQ(rows->prune(at_s(150)).value(), 150);
  all.erase(all.begin(), all.begin() + 150);
  const auto got = index.nearest(*rows, kSpace, all[0].vectors[0].values, {}, 10, -1, {});
  EXPECT_EQ(got->ids[0], 151);
  EXPECT_TRUE(std::all_of(got->ids.begin(), got->ids.end(), [](std::int64_t id) { return id > 150; }));
  EXPECT_EQ(index.damaged(), 0U) << "a file of other vectors isn't damaged";
  EXPECT_THAT(files(), ElementsAre(".i8", ".i8", ".i8"));
  index.keep_only(*rows->spans({}));
  EXPECT_THAT(files(), ElementsAre(".i8", ".i8"));
}

TEST_F(VectorsTest, ThatAreTooUnlikeOrOfAnotherSpaceAreNone) {
  auto rows = open_rows();
  fill(*rows, 20);
  VectorIndex index(folder, true);
  EXPECT_THAT(index.nearest(*rows, kSpace, random_vector(), {}, 10, 0.99F, {})->ids, IsEmpty());
  EXPECT_THAT(index.nearest(*rows, "other", random_vector(), {}, 10, -1, {})->ids, IsEmpty());
  EXPECT_THAT(index.nearest(*rows, kSpace, std::vector<float>(3, 1.F), {}, 10, -1, {})->ids, IsEmpty());
}

TEST_F(VectorsTest, AreGivenUpAtTheDeadline) {
  auto rows = open_rows();
  fill(*rows, 20);
  VectorIndex index(folder, true);
  EXPECT_EQ(index.nearest(*rows, kSpace, random_vector(), {}, 10, -1, [] { return true; }).error().code,
            ErrorCode::kLate);
}

TEST(Sealed, BytesThatAreNoFileAreRefused) {
  VectorBlock block{2, {5, 9}, {1, 0, 0.6F, 0.8F}};
  const SealedKey key{7, 5, 9};
  const std::string bytes = sealed_bytes(key, block);
  const auto sealed = Sealed::parse(bytes, key);
  ASSERT_TRUE(sealed) << sealed.error().message;
  EXPECT_EQ(sealed->id(1), 9);
  EXPECT_NEAR(sealed->score(CoarseQuery(std::vector<float>{0.6F, 0.8F}), 1), 1, 0.01);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string altered = bytes;
    altered[i] = static_cast<char>(altered[i] ^ 0x10);
    EXPECT_FALSE(Sealed::parse(altered, key)) << i;
    EXPECT_FALSE(Sealed::parse(std::string_view(bytes).substr(0, i), key)) << i;
  }
  EXPECT_FALSE(Sealed::parse(bytes, {8, 5, 9}));
  EXPECT_FALSE(Sealed::parse(bytes + "x", key));
}

}  // namespace
}  // namespace braid::retrieve
