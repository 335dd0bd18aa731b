// Against vectors that tools/memory/embedding_reference.py made.
#include <gtest/gtest.h>

#include <ggml.h>

#include <cmath>
#include <fstream>
#include <numeric>

#include "braid/engine/llama_engine.h"
#include "test_model_path.h"

namespace braid::engine::llama {
namespace {

constexpr std::size_t kDim = 384;
constexpr double kLeastCosine = 0.999;

std::vector<std::uint8_t> from_base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> bytes;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char digit : text) {
    bits = bits << 6U | static_cast<std::uint32_t>(kDigits.find(digit));
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes.push_back(static_cast<std::uint8_t>(bits >> static_cast<unsigned>(held)));
  }
  return bytes;
}

struct Reference {
  std::vector<std::string> texts;
  std::vector<std::vector<float>> vectors;
};

Reference read_reference() {
  Reference reference;
  std::ifstream file("src/engine/llama/embedding_reference.txt");
  for (std::string packed, text; file >> packed && std::getline(file, text);) {
    const std::vector<std::uint8_t> bytes = from_base64(packed);
    std::vector<float> vector(kDim);
    for (std::size_t i = 0; i < kDim; ++i)
      vector[i] = ggml_fp16_to_fp32(static_cast<ggml_fp16_t>(bytes[2 * i] | bytes[2 * i + 1] << 8));
    reference.texts.push_back(text.substr(1));
    reference.vectors.push_back(std::move(vector));
  }
  return reference;
}

double cosine(std::span<const float> a, std::span<const float> b) {
  const double product = std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  const double squares = std::inner_product(a.begin(), a.end(), a.begin(), 0.0) *
                         std::inner_product(b.begin(), b.end(), b.begin(), 0.0);
  return product / std::sqrt(squares);
}

class EmbedderTest : public testing::Test {
 protected:
  EmbedderTest() {
    auto loaded = load_embedder(cached_model("all-MiniLM-L6-v2.gguf"), 2);
    if (!loaded) throw std::runtime_error(loaded.error().message + "; prepare it with `make model`");
    made = std::move(*loaded);
  }
  NamedEmbedder made;
};

TEST_F(EmbedderTest, GivesTheReferencesVectorsForAHundredSentences) {
  const Reference reference = read_reference();
  ASSERT_EQ(reference.texts.size(), 100U);
  EXPECT_EQ(made.name, "all-MiniLM-L6-v2");
  ASSERT_EQ(made.embedder->dim(), static_cast<int>(kDim));
  const auto vectors = made.embedder->embed(reference.texts);
  ASSERT_TRUE(vectors) << vectors.error().message;
  double least = 1;
  for (std::size_t i = 0; i < reference.texts.size(); ++i) {
    const double agrees = cosine(vectors->row(i), reference.vectors[i]);
    least = std::min(least, agrees);
    EXPECT_GE(agrees, kLeastCosine) << reference.texts[i];
  }
  RecordProperty("least_cosine", std::to_string(least));
}

TEST_F(EmbedderTest, AVectorDoesNotDependOnItsNeighbours) {
  const std::string text = "the press stopped";
  const auto alone = made.embedder->embed(std::vector{text});
  const auto among = made.embedder->embed(std::vector<std::string>{"a cat", text, std::string(900, 'x')});
  ASSERT_TRUE(alone && among);
  EXPECT_GT(cosine(alone->row(0), among->row(1)), 0.9999);
}

TEST_F(EmbedderTest, ATextThatIsTooLongIsCut) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "word ";
  const auto vectors = made.embedder->embed(std::vector<std::string>{text, text + "more", ""});
  ASSERT_TRUE(vectors) << vectors.error().message;
  EXPECT_GT(cosine(vectors->row(0), vectors->row(1)), 0.9999);
  EXPECT_EQ(made.embedder->most_tokens(), 512);
  EXPECT_EQ(made.embedder->tokens(text), 2002) << "and where it begins and ends";
  EXPECT_EQ(made.embedder->tokens(""), 2);
}

TEST(Embedder, AFileThatIsNoneIsRefused) {
  EXPECT_EQ(load_embedder("/nowhere.gguf", 1).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(load_embedder(model_path(), 1).error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace braid::engine::llama
