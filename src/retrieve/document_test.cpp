#include "braid/retrieve/document.h"

#include <gmock/gmock.h>

namespace braid::retrieve {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> texts(std::string_view bytes, DocumentFormat format) {
  std::vector<std::string> texts;
  const auto passages = cut_document(bytes, format);
  EXPECT_TRUE(passages);
  for (const Passage& passage : passages.value_or(std::vector<Passage>{})) texts.push_back(passage.text);
  return texts;
}

TEST(Documents, FormatsAreToldByTheNamesEnd) {
  EXPECT_EQ(document_format("a/B.MD"), DocumentFormat::kMarkdown);
  EXPECT_EQ(document_format("notes.txt"), DocumentFormat::kText);
  EXPECT_EQ(document_format("picture.png"), std::nullopt);
}

TEST(Documents, EachHeadingBeginsAPassageThatCarriesItsTitle) {
  EXPECT_THAT(
      texts("intro\n\n# Press\nIt is hot.\n\nVery.\n## Belt ##\nIt moves.\n", DocumentFormat::kMarkdown),
      ElementsAre("intro", "Press\nIt is hot.\n\nVery.", "Belt\nIt moves."));
  EXPECT_THAT(texts("# Press\nhot", DocumentFormat::kText), ElementsAre("# Press\nhot"));
  EXPECT_THAT(texts("```\n# comment\n```\n#tag", DocumentFormat::kMarkdown),
              ElementsAre("```\n# comment\n```\n#tag"));
}

TEST(Documents, LongParagraphsAreCutBehindSentencesAndNothingIsLost) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "Sentence number " + std::to_string(i) + " is here. ";
  const auto passages = cut_document(text, DocumentFormat::kText);
  ASSERT_TRUE(passages);
  std::string joined;
  for (const Passage& passage : *passages) {
    EXPECT_LE(passage.text.size(), kPassageBytes);
    EXPECT_TRUE(passage.text.ends_with("."));
    EXPECT_EQ(text.substr(static_cast<std::size_t>(passage.offset), passage.text.size()), passage.text);
    joined += passage.text + " ";
  }
  EXPECT_EQ(joined, text);
}

TEST(Documents, WithoutSpacesTheyAreCutBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "ä";
  std::string joined;
  for (const std::string& passage : texts(text, DocumentFormat::kText)) joined += passage;
  EXPECT_EQ(joined, text);
}

TEST(Documents, NothingGivesNothingAndTooMuchIsRefused) {
  EXPECT_THAT(texts(" \n\n", DocumentFormat::kText), IsEmpty());
  EXPECT_EQ(cut_document(std::string(kMaxDocumentBytes + 1, ' '), DocumentFormat::kText).error().code,
            ErrorCode::kLimit);
  std::string many;
  for (std::size_t i = 0; i < kMaxPassages + 1; ++i) many += "# a\nb\n";
  EXPECT_EQ(cut_document(many, DocumentFormat::kMarkdown).error().code, ErrorCode::kLimit);
}

}  // namespace
}  // namespace braid::retrieve
