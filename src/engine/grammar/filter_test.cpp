// Grammars over small vocabularies.

#include "grammar/filter.h"

#include <gtest/gtest.h>

#include <cmath>

namespace braid::engine::grammar {
namespace {

// Token 0 ends an answer, 1 is a control token; the rest are texts.
const std::vector<std::string>& texts() {
  static const std::vector<std::string> all = {"",     "",     "a", "b",    "ab", "abc", "c",
                                               "\xC3", "\xA9", "<", "call", ">",  "x"};
  return all;
}
Token token_of(const std::string& text) {
  return static_cast<Token>(std::find(texts().begin(), texts().end(), text) - texts().begin());
}

std::shared_ptr<const VocabularyIndex> vocabulary() {
  return std::make_shared<VocabularyIndex>(
      static_cast<int>(texts().size()), [](Token token) { return texts()[static_cast<std::size_t>(token)]; },
      [](Token token) { return token == 0; });
}

std::unique_ptr<TokenFilter> filter(GrammarSource source) {
  auto made = Grammar::make(std::move(source), vocabulary());
  if (!made) throw std::runtime_error(made.error().message);
  return (*made)->filter();
}
std::unique_ptr<TokenFilter> filter(const std::string& grammar) {
  GrammarSource source;
  source.text = grammar;
  return filter(std::move(source));
}

std::vector<Token> allowed(TokenFilter& filter) {
  std::vector<float> logits(texts().size(), 1.0F);
  filter.apply(logits);
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    EXPECT_EQ(std::isfinite(logits[i]), filter.allows(static_cast<Token>(i))) << i;
    if (std::isfinite(logits[i])) tokens.push_back(static_cast<Token>(i));
  }
  return tokens;
}

std::vector<Token> tokens_of(const std::vector<std::string>& wanted) {
  std::vector<Token> tokens;
  for (const std::string& text : wanted) tokens.push_back(token_of(text));
  std::sort(tokens.begin(), tokens.end());
  return tokens;
}

TEST(VocabularyIndex, HoldsEveryTextOnce) {
  const auto index = vocabulary();
  std::vector<Token> found = index->tokens();
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found.size(), texts().size() - 2);
  EXPECT_EQ(index->piece(5), "abc");
  EXPECT_EQ(index->piece(-1), "");
  EXPECT_EQ(index->piece(1000), "");
  EXPECT_EQ(index->max_depth(), 4);
}

TEST(TokenFilter, AllowsTokensThatGoOnAsTheGrammarDoes) {
  const auto bound = filter(R"(root ::= "ab" ("c" | "é"))");
  EXPECT_EQ(allowed(*bound), tokens_of({"a", "ab", "abc"}));
  bound->accept(token_of("ab"));
  EXPECT_EQ(allowed(*bound), tokens_of({"c", "\xC3"}));
  bound->accept(token_of("\xC3"));
  EXPECT_EQ(allowed(*bound), tokens_of({"\xA9"}));
  bound->accept(token_of("\xA9"));
  EXPECT_EQ(allowed(*bound), std::vector<Token>{0}) << "only the end is left";
  bound->accept(0);
  EXPECT_TRUE(bound->status());
}

TEST(TokenFilter, AgreesWithItselfInEveryStateThatItMeets) {
  const auto bound = filter(R"(root ::= ("a" | "b" "c"? | "x"{1,3} "b")*)");
  for (const char* text : {"a", "b", "c", "x", "x", "b", "ab", "abc", "b", "b"}) {
    allowed(*bound);  // masks are asked against allows()
    bound->accept(token_of(text));
    ASSERT_TRUE(bound->status()) << text;
  }
}

TEST(TokenFilter, StopsBindingAfterAnErrorAndTellsIt) {
  const auto bound = filter(R"(root ::= "ab")");
  bound->accept(token_of("x"));
  ASSERT_FALSE(bound->status());
  EXPECT_EQ(bound->status().error().code, ErrorCode::kInternal);
  EXPECT_EQ(allowed(*bound).size(), texts().size());

  const auto early = filter(R"(root ::= "ab")");
  early->accept(0);
  EXPECT_FALSE(early->status());

  const auto nowhere = filter(R"(root ::= "aq")");  // no token holds a q
  nowhere->accept(token_of("a"));
  allowed(*nowhere);
  EXPECT_EQ(nowhere->status().error().code, ErrorCode::kInternal);
}

TEST(TokenFilter, TellsThatAGrammarTookTooMuch) {
  GrammarSource source;
  source.text = R"(root ::= (((("a"?){0,1000}){0,1000}){0,1000})? "c")";
  auto made = Grammar::make(source, vocabulary());
  if (made) {
    const auto bound = (*made)->filter();
    for (int i = 0; i < 20 && bound->status(); ++i) bound->accept(token_of("a"));
    ASSERT_FALSE(bound->status());
    EXPECT_EQ(bound->status().error().code, ErrorCode::kLimit);
  } else {
    EXPECT_EQ(made.error().code, ErrorCode::kLimit);
  }
  source.text = "root ::= root";
  EXPECT_EQ(Grammar::make(source, vocabulary()).error().code, ErrorCode::kBadInput);
}

TEST(TokenFilter, BeginsAfterWhatThePromptHoldsAlready) {
  GrammarSource source;
  source.text = R"(root ::= "abc" "x")";
  source.prefix = "ab";
  EXPECT_EQ(allowed(*filter(source)), tokens_of({"c"}));
  source.prefix = "b";
  EXPECT_EQ(Grammar::make(source, vocabulary()).error().code, ErrorCode::kBadInput);
}

TEST(TokenFilter, ALazyGrammarBindsFromItsTriggerOn) {
  GrammarSource source;
  source.text = R"(root ::= "<call>" "x"+)";
  source.lazy = true;
  source.words = {"<call>"};
  const auto bound = filter(source);
  for (const char* text : {"a", "<", "b", "x", "<", "call"}) {
    EXPECT_EQ(allowed(*bound).size(), texts().size());
    bound->accept(token_of(text));
  }
  bound->accept(token_of(">"));
  EXPECT_EQ(allowed(*bound), tokens_of({"x"}));
  bound->accept(token_of("x"));
  EXPECT_EQ(allowed(*bound), tokens_of({"", "x"}));
  EXPECT_TRUE(bound->status());
}

TEST(TokenFilter, ATriggersPatternSaysByItsGroupWhereTheGrammarBegins) {
  GrammarSource source;
  source.text = R"(root ::= "call" ">")";
  source.lazy = true;
  source.patterns = {"a+<(call)"};
  const auto bound = filter(source);
  for (const char* text : {"<", "call", "a", "a", "<", "call"}) bound->accept(token_of(text));
  EXPECT_EQ(allowed(*bound), tokens_of({">"}));

  source.patterns = {"^<(call)$"};  // the whole answer so far
  const auto whole = filter(source);
  for (const char* text : {"a", "<", "call"}) whole->accept(token_of(text));
  EXPECT_EQ(allowed(*whole).size(), texts().size());

  source.patterns = {"("};
  EXPECT_EQ(Grammar::make(source, vocabulary()).error().code, ErrorCode::kUnsupported);
}

TEST(TokenFilter, WaitsForATriggerInALongTextToo) {
  GrammarSource source;
  source.text = R"(root ::= "<call>")";
  source.lazy = true;
  source.words = {"<call>"};
  const auto bound = filter(source);
  for (int i = 0; i < 20'000; ++i) bound->accept(token_of("abc"));
  for (const char* text : {"<", "call", ">"}) bound->accept(token_of(text));
  EXPECT_EQ(allowed(*bound), std::vector<Token>{0});
}

TEST(TokenFilter, ControlTokensAreTextWhereTheyAreMarks) {
  GrammarSource source;
  source.text = R"(root ::= "<go>" "a")";
  EXPECT_EQ(allowed(*filter(source)), tokens_of({"<"}));
  source.marks = {{1, "<go>"}};
  const auto bound = filter(source);
  EXPECT_EQ(allowed(*bound), (std::vector<Token>{1, token_of("<")}));
  bound->accept(1);
  EXPECT_EQ(allowed(*bound), tokens_of({"a"}));
}

TEST(TokenFilter, UnknownTokensMayNotCome) {
  const auto bound = filter("root ::= .*");
  EXPECT_FALSE(bound->allows(-1));
  EXPECT_FALSE(bound->allows(1 << 30));
  std::vector<float> more(100, 1.0F);
  bound->apply(more);
  EXPECT_FALSE(std::isfinite(more[99]));
}

}  // namespace
}  // namespace braid::engine::grammar
