#include <gmock/gmock.h>

#include <chrono>

#include "braid/retrieve/document.h"
#include "poppler/pdf_text.h"

namespace braid::retrieve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr UtcTime kNoon(std::chrono::hours(12));

std::vector<Passage> cut(std::string_view bytes, DocumentFormat format, DocumentOptions options = {}) {
  options.at = kNoon;
  const auto passages = cut_document(bytes, format, options);
  EXPECT_TRUE(passages) << passages.error().message;
  return passages.value_or(std::vector<Passage>{});
}

std::vector<std::string> texts(const std::vector<Passage>& passages) {
  std::vector<std::string> texts;
  texts.reserve(passages.size());
  for (const Passage& passage : passages) texts.push_back(passage.text);
  return texts;
}

Error refused(std::string_view bytes, DocumentFormat format) {
  const auto passages = cut_document(bytes, format);
  EXPECT_FALSE(passages);
  return passages ? Error{} : passages.error();
}

double seconds(UtcTime time) { return to_seconds(time - kNoon); }

TEST(HtmlDocuments, WhatAReaderSeesIsKeptBelowItsHeading) {
  const std::string page =
      "<!DOCTYPE html><html><head><title>Plant &amp; line</title><style>p{}</style></head><body>"
      "<p>Before   <b>all</b>\n else.</p><h2>Press</h2><p>It is hot.<br>Very.</p>"
      "<script>var x = '<p>no</p>';</script>"
      "<table><tr><th>part</th><th>state</th></tr><tr><td>belt</td><td>worn</td></tr></table>"
      "<ul><li>one<li>two</ul><pre>a\n  b</pre></body></html>";
  const auto passages = cut(page, DocumentFormat::kHtml);
  EXPECT_THAT(texts(passages),
              ElementsAre("Plant & line\nBefore all else.",
                          "Press\nIt is hot.\nVery.\npart | state\nbelt | worn\none\ntwo\na\nb"));
  EXPECT_EQ(page.substr(static_cast<std::size_t>(passages[0].offset)).substr(0, 10), ">Before   ");
  EXPECT_THAT(page.substr(static_cast<std::size_t>(passages[1].offset)).substr(0, 12),
              HasSubstr(">It is hot"));
}

TEST(HtmlDocuments, ElementsThatAreNestedTooDeepAreRefusedAndBrokenOnesAreRead) {
  std::string deep;
  for (int i = 0; i < 200'000; ++i) deep += "<div>";
  EXPECT_EQ(refused(deep, DocumentFormat::kHtml).code, ErrorCode::kLimit);
  EXPECT_THAT(texts(cut("<p>cut <b>in the mid", DocumentFormat::kHtml)), ElementsAre("cut in the mid"));
  EXPECT_THAT(texts(cut("no tags at all", DocumentFormat::kHtml)), ElementsAre("no tags at all"));
  EXPECT_THAT(texts(cut(std::string("<p>a\0b</p>", 10), DocumentFormat::kHtml)), ElementsAre("a b"));
}

TEST(TextDocuments, EncodingsAreToldApartAndOffsetsAreTheFiles) {
  const auto of = [](std::string_view bytes) {
    const auto passages = cut(bytes, DocumentFormat::kMarkdown);
    EXPECT_THAT(passages, SizeIs(2));
    EXPECT_EQ(passages[0].text, "Öl");
    EXPECT_EQ(passages[1].text, "A\nheiß");
    return passages[1].offset;
  };
  EXPECT_EQ(of("Öl\n# A\nheiß"), 8);
  EXPECT_EQ(of("\xEF\xBB\xBFÖl\n# A\nheiß"), 11);
  EXPECT_EQ(of("\xD6l\n# A\nhei\xDF"), 7);
  std::string wide = "\xFF\xFE";
  for (const char32_t c : U"Öl\n# A\nheiß")
    if (c != 0) wide += {static_cast<char>(c), '\0'};
  EXPECT_EQ(of(wide), 16);
  EXPECT_THAT(texts(cut(std::string(4, '\0'), DocumentFormat::kText)), SizeIs(0));
  EXPECT_THAT(texts(cut("caf\x80", DocumentFormat::kText)), ElementsAre("caf€"));
  // One byte that is wrong doesn't make it another encoding.
  EXPECT_THAT(texts(cut("Öl ist hei\xDF: ßß", DocumentFormat::kText)), ElementsAre("Öl ist hei\uFFFD: ßß"));
}

TEST(TextDocuments, WhatIsNoTextOrOfAnotherEncodingIsRefused) {
  EXPECT_THAT(refused("\x89PNG\r\n\x1A\n" + std::string(16, '\0'), DocumentFormat::kText).message,
              HasSubstr("control characters"));
  EXPECT_THAT(refused("%PDF-1.7 ...", DocumentFormat::kText).message, HasSubstr("must end with .pdf"));
  EXPECT_THAT(refused("<meta charset='Shift_JIS'>\x83\x65\x83\x58", DocumentFormat::kHtml).message,
              HasSubstr("shift_jis"));
  EXPECT_THAT(texts(cut("<meta charset='iso-8859-1'><p>hei\xDF", DocumentFormat::kHtml)),
              ElementsAre("heiß"));
}

TEST(CueDocuments, CuesThatFollowOneAnotherAreOnePassageWithItsTime) {
  const std::string srt =
      "1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>The press</i> stops.\r\n\r\n"
      "2\r\n00:00:03,000 --> 00:00:04,000\r\nWhy?\r\n\r\n"
      "3\r\n01:00:00,000 --> 01:00:01,000\r\n{\\an8}It is on\r\nagain.\r\n";
  const auto passages = cut(srt, DocumentFormat::kCues);
  EXPECT_THAT(texts(passages), ElementsAre("The press stops.\nWhy?", "It is on\nagain."));
  EXPECT_EQ(seconds(*passages[0].start), 1);
  EXPECT_EQ(seconds(passages[0].end), 4);
  EXPECT_EQ(seconds(*passages[1].start), 3600);
  EXPECT_EQ(srt.substr(static_cast<std::size_t>(passages[1].offset), 12), "01:00:00,000");
}

TEST(CueDocuments, WebVttsVoicesSpeakAndItsNotesDoNot) {
  const auto passages =
      cut("WEBVTT\n\nNOTE not this\n\nSTYLE\n::cue{}\n\nintro\n00:01.000 --> 00:02.000 align:start\n"
          "<v.loud Anna>Hello &amp; <b>welcome</b>\n",
          DocumentFormat::kCues);
  EXPECT_THAT(texts(passages), ElementsAre("Anna: Hello & welcome"));
  EXPECT_EQ(refused("just text", DocumentFormat::kCues).code, ErrorCode::kBadInput);
}

TEST(CueDocuments, LongTalkIsCutIntoHalfMinutes) {
  std::string vtt = "WEBVTT\n";
  for (int i = 0; i < 60; ++i)
    vtt += "\n00:" + std::to_string(10 + i / 6) + ":" + std::to_string(i % 6) +
           "0.000 --> 00:" + std::to_string(10 + i / 6) + ":" + std::to_string(i % 6) + "9.000\nword\n";
  for (const Passage& passage : cut(vtt, DocumentFormat::kCues))
    EXPECT_LE(passage.end - *passage.start, std::chrono::seconds(30));
  EXPECT_THAT(cut(vtt, DocumentFormat::kCues), SizeIs(20));
}

DocumentOptions with_times() {
  DocumentOptions options;
  options.time_column = [](std::string_view name) -> CellTime {
    if (name != "time_s") return {};
    return [](std::string_view cell) -> std::optional<UtcTime> {
      if (cell.empty() || cell.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
      return kNoon + std::chrono::seconds(std::stoi(std::string(cell)));
    };
  };
  return options;
}

TEST(TableDocuments, RowsHaveTheirColumnsNamesAndTheirTimes) {
  const std::string csv = "part,time_s,remark\n# nothing\nbelt,5,\"worn,\nsays \"\"Al\"\"\"\n\npress,,hot\n";
  const auto passages = cut(csv, DocumentFormat::kTable, with_times());
  EXPECT_THAT(texts(passages), ElementsAre("part=belt, remark=worn,\nsays \"Al\"", "part=press, remark=hot"));
  EXPECT_EQ(seconds(*passages[0].start), 5);
  EXPECT_EQ(passages[1].start, std::nullopt);
  EXPECT_EQ(csv.substr(static_cast<std::size_t>(passages[1].offset), 5), "press");
}

TEST(TableDocuments, RowsWithoutTimesAreGatheredAndSeparatorsAreGuessed) {
  EXPECT_THAT(texts(cut("a;b\n1,5;2\n3;4\n", DocumentFormat::kTable)), ElementsAre("a=1,5, b=2\na=3, b=4"));
  EXPECT_THAT(texts(cut("1\t2\n", DocumentFormat::kTable)), ElementsAre("column 1=1, column 2=2"));
  std::string many = "n,word\n";
  for (int i = 0; i < 500; ++i) many += std::to_string(i) + ",abc\n";
  const auto passages = cut(many, DocumentFormat::kTable);
  EXPECT_GT(passages.size(), 5U);
  for (const Passage& passage : passages) EXPECT_LE(passage.text.size(), kPassageBytes);
}

TEST(TableDocuments, TooManyColumnsAndQuotesThatDoNotCloseAreRefused) {
  EXPECT_EQ(refused(std::string(5000, ','), DocumentFormat::kTable).code, ErrorCode::kLimit);
  EXPECT_THAT(refused("a,b\n1,\"" + std::string(100'000, 'x'), DocumentFormat::kTable).message,
              HasSubstr("row 2"));
}

/// A PDF of pages that each show one line.
std::string pdf_of(const std::vector<std::string>& pages) {
  std::string pdf = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count " +
                    std::to_string(pages.size()) + "/Kids[";
  for (std::size_t i = 0; i < pages.size(); ++i) pdf += std::to_string(4 + 2 * i) + " 0 R ";
  pdf += "]>>endobj\n3 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n";
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const std::string show = pages[i].empty() ? "" : "BT /F1 12 Tf 72 700 Td (" + pages[i] + ") Tj ET";
    pdf += std::to_string(4 + 2 * i) + " 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents " +
           std::to_string(5 + 2 * i) + " 0 R/Resources<</Font<</F1 3 0 R>>>>>>endobj\n" +
           std::to_string(5 + 2 * i) + " 0 obj<</Length " + std::to_string(show.size()) + ">>stream\n" +
           show + "\nendstream endobj\n";
  }
  return pdf + "trailer<</Root 1 0 R>>\n%%EOF\n";
}

TEST(PdfDocuments, PassagesSayTheirPage) {
  const auto passages = cut(pdf_of({"The weld failed.", "", "The belt is worn."}), DocumentFormat::kPdf);
  ASSERT_THAT(texts(passages), ElementsAre("The weld failed.", "The belt is worn."));
  EXPECT_EQ(passages[0].page, 1);
  EXPECT_EQ(passages[1].page, 3);
  EXPECT_EQ(passages[1].offset, 0);
}

TEST(PdfDocuments, WhatHasNoTextOrIsNoneOrIsDamagedIsToldSo) {
  EXPECT_THAT(refused(pdf_of({"", ""}), DocumentFormat::kPdf).message, HasSubstr("no text on its 2 pages"));
  EXPECT_THAT(refused("just text", DocumentFormat::kPdf).message, HasSubstr("it is no PDF"));
  EXPECT_THAT(refused("%PDF-1.4\n garbage", DocumentFormat::kPdf).message, HasSubstr("pdftotext"));
  const std::string whole = pdf_of({"The weld failed."});
  const auto half = cut_document(whole.substr(0, whole.size() / 2), DocumentFormat::kPdf);
  if (!half) {
    EXPECT_EQ(half.error().code, ErrorCode::kBadInput);
  }
}

TEST(PdfDocuments, TooManyPagesAreRefused) {
  const std::vector<std::string> pages(kMaxPages + 2, "x");
  EXPECT_THAT(refused(pdf_of(pages), DocumentFormat::kPdf).message, HasSubstr("pages"));
}

}  // namespace
}  // namespace braid::retrieve
