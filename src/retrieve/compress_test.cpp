#include "braid/retrieve/compress.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <random>

#include "braid/base/virtual_clock.h"
#include "braid/retrieve/memory.h"
#include "folder_for_tests.h"
#include "query_words.h"
#include "sentences.h"
#include "term_weights.h"

namespace braid::retrieve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::vector<std::string> texts(const std::vector<Record>& records) {
  std::vector<std::string> texts;
  for (const Record& record : records) texts.push_back(record.text);
  return texts;
}

TEST(Sentences, EndAtMarksAndLines) {
  EXPECT_THAT(sentences_of("Press\nIt stopped at 9.5 bar. Why?  Nobody knows!"),
              ElementsAre("Press", "It stopped at 9.5 bar.", "Why?", "Nobody knows!"));
  EXPECT_THAT(sentences_of(" \n\n . "), ElementsAre("."));
  EXPECT_THAT(sentences_of(""), IsEmpty());
}

TEST(Sentences, ThatNeverEndAreCutBetweenWordsAndCharacters) {
  std::string words, letters;
  for (int i = 0; i < 300; ++i) words += "word ", letters += "ä";
  for (const std::string& text : {words, letters}) {
    std::string joined;
    for (const std::string_view sentence : sentences_of(text)) {
      EXPECT_LE(sentence.size(), kMaxSentence);
      EXPECT_NE(static_cast<unsigned char>(sentence.front()) & 0xC0U, 0x80U);
      joined += std::string(sentence) + (text == words ? " " : "");
    }
    EXPECT_EQ(joined, text);
  }
}

TEST(Stems, AreTheSameForFormsOfAWord) {
  EXPECT_EQ(stems_of("It stopped, stops, is stopping"), stems_of("stop stop stop"));
  EXPECT_EQ(stems_of("presses pressed"), stems_of("press press"));
  EXPECT_EQ(stems_of("The 500 buses"), (std::vector<std::string>{"500", "bus"}));
}

TEST(TermWeights, FewTextsHaveWhatWeighs) {
  TermWeights weights;
  weights.count("the press runs");
  weights.count("the press stopped");
  weights.count("the press runs hot");
  const TermVector query = weights.vector_of("when did the press stop");
  EXPECT_GT(cosine(query, weights.vector_of("the press stopped")),
            cosine(query, weights.vector_of("the press runs")));
  EXPECT_THAT(weights.vector_of("unheard"), IsEmpty());
}

TEST(Compress, OfWhatWasSeenAgainAndAgainTheFirstAndTheLastStay) {
  std::vector<Record> found;
  for (const int at : {30, 10, 20, 50, 40}) found.push_back(record_at(at, "I see a cat and an umbrella."));
  found.push_back(record_at(60, "I see a cat and a rocket."));
  found.push_back(record_at(70, "temperature=81"));
  found.push_back(record_at(80, "temperature=97"));
  Record other = record_at(90, "I see a cat and an umbrella.");
  other.source = "yard";
  found.push_back(other);
  std::vector<std::int64_t> starts;
  for (const Record& record : compress(found, "cat"))
    starts.push_back(record.start.time_since_epoch() / std::chrono::seconds(1));
  EXPECT_THAT(starts, ElementsAre(10, 50, 60, 70, 80, 90));
}

TEST(Compress, TheSentencesThatFitTheQueryStayInTheirOrder) {
  const Record record = record_at(1,
                                  "Line 4 report. The belt ran all day. The weld gun overheated at noon. "
                                  "Lunch was late. Cooling water was low. The gun was swapped.");
  const auto kept = compress({record}, "why did the weld gun overheat");
  ASSERT_THAT(kept, SizeIs(1));
  EXPECT_THAT(kept[0].text, HasSubstr("The weld gun overheated at noon."));
  EXPECT_THAT(kept[0].text, Not(HasSubstr("Lunch")));
  EXPECT_LT(kept[0].text.find("overheated"), kept[0].text.find("swapped"));
  EXPECT_THAT(sentences_of(kept[0].text), SizeIs(3));
}

TEST(Compress, WhatOneRecordSaidAnotherNeedNotSay) {
  const std::string common = "The weld gun overheated at noon. ";
  Record second =
      record_at(2, common + "The weld gun cable was torn. Rain fell. Nobody came. The shop closed.");
  second.kind = RecordKind::kDocument;
  const auto kept =
      compress({record_at(1, common), second}, "what happened to the weld gun", {.sentences = 1});
  EXPECT_THAT(texts(kept), ElementsAre(common, "The weld gun cable was torn."));
}

TEST(Compress, WithoutAQueryAndWithoutWordsItGoesOnToo) {
  EXPECT_THAT(compress({}, "x"), IsEmpty());
  EXPECT_THAT(texts(compress({record_at(1, "a. b. c. d. e.")}, "")), ElementsAre("b. c. d."));
  EXPECT_THAT(compress(std::vector<Record>(20, record_at(1, "...")), "what"), SizeIs(1));
}

/// Reports of a plant, each with a fault that happened once and much that is always so.
class Reports : public FolderTest {
 protected:
  std::string report(int number) {
    static const std::vector<std::string> always = {
        "The shift began on time.",          "All guards were in place and checked twice.",
        "The foreman signed the plan.",      "Scrap was taken to the yard.",
        "Two pallets of blanks arrived.",    "The cranes were greased as planned.",
        "Air pressure was within its band.", "The break was taken in two groups.",
        "Visitors passed through the hall.", "The floor was swept before the end."};
    std::vector<std::string> sentences;
    for (int i = 0; i < 8; ++i) sentences.push_back(always[random_() % always.size()]);
    sentences.insert(sentences.begin() + static_cast<std::ptrdiff_t>(random_() % sentences.size()),
                     fault(number));
    std::string text;
    for (const std::string& sentence : sentences) text += sentence + ' ';
    return text;
  }
  static std::string part(int number) {
    static const std::vector<std::string> parts = {"clutch", "spindle", "conveyor",
                                                   "feeder", "gripper", "chiller"};
    return fmt::format("{} {}", parts[static_cast<std::size_t>(number) % parts.size()], 100 + number);
  }
  static std::string fault(int number) {
    static const std::vector<std::string> faults = {"leaked oil", "lost its alignment", "tripped its breaker",
                                                    "jammed at the guide"};
    return fmt::format("The {} {} and was repaired.", part(number),
                       faults[static_cast<std::size_t>(number / 3) % faults.size()]);
  }

  std::mt19937 random_{6};  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same reports each time
};

TEST_F(Reports, HalveAndKeepTheirAnswers) {
  constexpr int kReports = 400, kQuestions = 200;
  VirtualClock clock;
  auto memory = Memory::open(folder, {}, clock);
  ASSERT_TRUE(memory);
  for (int i = 0; i < kReports; ++i) {
    Record record = record_at(3600 * i, report(i));
    record.kind = RecordKind::kDocument;
    ASSERT_TRUE((*memory)->add(std::move(record)));
  }
  ASSERT_TRUE((*memory)->flush());
  std::size_t before = 0, after = 0;
  int found_before = 0, found_after = 0;
  for (int i = 0; i < kQuestions; ++i) {
    const int number = static_cast<int>(random_() % kReports);
    const std::string question = fmt::format("What happened to the {}?", part(number));
    auto found = (*memory)->search({.text = question, .limit = 8});
    ASSERT_TRUE(found);
    std::vector<Record> records;
    for (const Hit& hit : found->hits) records.push_back(hit.record);
    const auto says = [&](const std::vector<Record>& all) {
      return std::any_of(all.begin(), all.end(), [&](const Record& record) {
        return record.text.find(fault(number)) != std::string::npos;
      });
    };
    const auto kept = compress(records, question);
    for (const Record& record : records) before += all_words(record.text).size();
    for (const Record& record : kept) after += all_words(record.text).size();
    found_before += says(records) ? 1 : 0;
    found_after += says(kept) ? 1 : 0;
  }
  RecordProperty("words_before", static_cast<int>(before / kQuestions));
  RecordProperty("words_after", static_cast<int>(after / kQuestions));
  RecordProperty("answers_before", found_before);
  RecordProperty("answers_after", found_after);
  EXPECT_EQ(found_before, kQuestions);
  EXPECT_GE(before, 2 * after);
  EXPECT_GE(found_after, found_before - kQuestions / 100);
}

}  // namespace
}  // namespace braid::retrieve
