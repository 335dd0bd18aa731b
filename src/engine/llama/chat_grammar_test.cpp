// Answers bound to JSON, over the default model's vocabulary.

#include "chat_grammar.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cmath>
#include <random>

#include "test_model.h"
#include "text.h"

namespace braid::engine::llama {
namespace {

namespace json = boost::json;

/// A token by the softmax of its logit at temperature 1.
Token draw(const std::vector<float>& logits, std::mt19937_64& random) {
  const float highest = *std::max_element(logits.begin(), logits.end());
  double total = 0;
  Token chosen = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (!(logits[i] > highest - 30.0F)) continue;
    const double weight = std::exp(static_cast<double>(logits[i] - highest));
    total += weight;  // each takes the place of those before it as often as its share says
    if (static_cast<double>(random() >> 11) * 0x1.0p-53 * total < weight) chosen = static_cast<Token>(i);
  }
  return chosen;
}

class ChatGrammar135M : public testing::Test {
 protected:
  static void SetUpTestSuite() { shared_ = std::make_unique<Engine>(load(small_options())); }
  static void TearDownTestSuite() { shared_.reset(); }
  ChatGrammar135M() : engine_(*shared_), tokens_(*engine_.tokenizer) {
    for (Token token = 0; token < engine_.info.vocabulary; ++token) bias_.push_back(bias_of(token));
  }

  Result<RenderedChat> bound(const std::string& schema) const {
    ChatInput input;
    input.turns.resize(1);
    input.turns[0].role = "user";
    input.turns[0].content = "Describe a person.";
    input.json_schema = schema;
    input.json_object = schema.empty();
    return tokens_.render(input);
  }

  /// An answer of random tokens that may come; those that close what is open are likely after a while.
  std::string random_answer(const ChatGrammar& grammar, std::uint64_t seed) const {
    const auto filter = grammar.filter();
    std::mt19937_64 random(seed);
    std::string text;
    std::vector<float> logits(bias_.size());
    for (int i = 0; i < 600; ++i) {
      std::uint64_t bits = random() | 1U;
      for (std::size_t token = 0; token < logits.size(); ++token) {
        bits = bits * 6364136223846793005ULL + 1442695040888963407ULL;
        logits[token] = static_cast<float>(bits >> 54) / 100.0F + (i > 20 ? bias_[token] : 0.0F);
      }
      filter->apply(logits);
      const Token token = draw(logits, random);
      EXPECT_TRUE(filter->allows(token));
      filter->accept(token);
      EXPECT_TRUE(filter->status()) << filter->status().error().message;
      if (tokens_.ends_generation(token)) return text;
      text += tokens_.piece(token);
    }
    ADD_FAILURE() << "no end: " << text;
    return text;
  }

  float bias_of(Token token) const {
    if (tokens_.ends_generation(token)) return 60.0F;
    const std::string piece = tokens_.piece(token);
    if (piece.empty()) return 0.0F;
    if (piece.find_first_not_of("\\\"") == std::string::npos) return 45.0F;
    return piece.find_first_not_of("]}") == std::string::npos ? 30.0F : 0.0F;
  }

  static inline std::unique_ptr<Engine> shared_;
  const Engine& engine_;
  const Tokenizer& tokens_;
  std::vector<float> bias_;  // of tokens that close what is open
};

constexpr const char* kPerson =
    R"({"type":"object","properties":{"name":{"type":"string","maxLength":30},"age":{"type":"integer","minimum":0,
    "maximum":150},"tags":{"type":"array","items":{"enum":["tall","kind","left-handed"]},"maxItems":3}},
    "required":["name","age","tags"],"additionalProperties":false})";

TEST_F(ChatGrammar135M, WhateverIsDrawnIsJsonOfTheSchema) {
  const auto rendered = bound(kPerson);
  ASSERT_TRUE(rendered) << rendered.error().message;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const std::string text = random_answer(*rendered->grammar, seed);
    json::error_code bad;
    const json::value read = json::parse(text, bad);
    ASSERT_FALSE(bad) << text;
    EXPECT_EQ(read.as_object().size(), 3U);
    EXPECT_LE(read.at("name").as_string().size(), 120U);
    EXPECT_GE(read.at("age").as_int64(), 0);
    EXPECT_LE(read.at("age").as_int64(), 150);
    EXPECT_LE(read.at("tags").as_array().size(), 3U);
  }
}

TEST_F(ChatGrammar135M, EveryKindOfSchemaGivesJson) {
  for (
      const char* schema :
      {"", "{}", R"({"type":"array","items":{"type":"number"}})",
       R"({"anyOf":[{"type":"string","format":"date"},{"type":"null"},{"type":"boolean"}]})",
       R"({"$defs":{"n":{"type":"object","properties":{"v":{"type":"integer"},"next":{"anyOf":[{"$ref":"#/$defs/n"},
        {"type":"null"}]}},"required":["v","next"],"additionalProperties":false}},"$ref":"#/$defs/n"})",
       R"({"type":"string","pattern":"^[a-z]{2,5}-\\d+$"})", R"({"type":"string","pattern":"^.{3,9}$"})",
       R"({"type":"string","pattern":"\"[^a-z]"})", R"({"type":"string","pattern":"^\\s\\W[\\\\\"/]$"})",
       R"({"type":"string","format":"uuid"})",
       R"({"type":"object","properties":{"ä\"\n":{"const":"é"}},"required":["ä\"\n"]})",
       R"({"type":"object","properties":{"a":{},"b":{},"c":{}},"additionalProperties":{"type":"integer"}})",
       R"({"type":["string","null"],"minLength":3,"maxLength":9})"}) {
    const auto rendered = bound(schema);
    ASSERT_TRUE(rendered) << schema << ": " << rendered.error().message;
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const std::string text = random_answer(*rendered->grammar, seed);
      json::error_code bad;
      const json::value read = json::parse(text, bad);
      EXPECT_FALSE(bad) << schema << ": " << text;
      EXPECT_TRUE(*schema != '\0' || read.is_object()) << text;
    }
  }
}

TEST_F(ChatGrammar135M, TheModelItselfWritesJsonOfTheSchema) {
  const auto rendered = bound(kPerson);
  ASSERT_TRUE(rendered);
  Prompt prompt;
  prompt.append(tokens_.tokenize(rendered->prompt, true));
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    const SequenceId sequence{static_cast<decltype(SequenceId::value)>(seed)};
    Prefilled at = prefill(*engine_.decoder, sequence, prompt, 0);
    const auto filter = rendered->grammar->filter();
    std::mt19937_64 random(seed);
    std::string text;
    for (int i = 0; i < 120; ++i) {
      filter->apply(at.logits);
      const Token token = draw(at.logits, random);
      filter->accept(token);
      ASSERT_TRUE(filter->status()) << text;
      if (tokens_.ends_generation(token)) break;
      text += tokens_.piece(token);
      Prompt next;
      next.append(TokenRun{token});
      at = prefill(*engine_.decoder, sequence, next, at.end);
    }
    json::error_code bad;
    json::parse(text, bad);
    EXPECT_FALSE(bad) << text;
    engine_.decoder->free(sequence);
  }
}

TEST_F(ChatGrammar135M, HostileSchemasAreRefusedOrFollowed) {
  std::string chain = R"({"$defs":{"a60":{"type":"null"})";
  for (int i = 0; i < 60; ++i) {
    const std::string next = "{\"$ref\":\"#/$defs/a" + std::to_string(i + 1) + "\"}";
    chain.append(",\"a").append(std::to_string(i)).append("\":{\"anyOf\":[").append(next);
    chain.append(",{\"type\":\"array\",\"items\":").append(next).append("}]}");
  }
  std::string values = "{\"enum\":[0";
  for (int i = 1; i < 9000; ++i) values.append(",").append(std::to_string(i));
  std::string deep;
  for (int i = 0; i < 30'000; ++i) deep += "[";
  struct Case {
    std::string schema;
    std::optional<ErrorCode> code;  // none: it is taken
  };
  const std::vector<Case> cases = {
      {deep, ErrorCode::kLimit},
      {values + "]}", ErrorCode::kLimit},
      {R"({"type":"array","minItems":1000000000})", ErrorCode::kLimit},
      {R"({"type":"array","minItems":-1})", ErrorCode::kBadInput},
      {R"({"type":"array","minItems":"many"})", ErrorCode::kBadInput},
      {R"({"type":"string","pattern":"^((((a+)+)+)+)+$"})", std::nullopt},
      {R"({"type":"string","pattern":"^(a|a|aa)*$"})", std::nullopt},
      {R"({"type":"string","pattern":"^()$"})", std::nullopt},
      {R"({"type":"string","pattern":"^[z-a]$"})", ErrorCode::kBadInput},
      {R"({"type":"string","pattern":"^a{99999}$"})", ErrorCode::kLimit},
      {R"({"type":"string","pattern":"^)" + std::string(900, '(') + "$\"}", ErrorCode::kLimit},
      {R"({"type":"string","pattern":"^((a"})", ErrorCode::kBadInput},
      {R"({"type":"string","pattern":"(?=x)y"})", ErrorCode::kUnsupported},
      {R"({"$ref":"https://example.com/schema.json"})", ErrorCode::kBadInput},
      {R"({"$defs":{"a":{"$ref":"#/$defs/a"}},"allOf":[{"$ref":"#/$defs/a"}]})", ErrorCode::kBadInput},
      {R"({"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"})", ErrorCode::kBadInput},
      {R"({"allOf":[{"$ref":"#/allOf/0/x"}],"x":{}})", ErrorCode::kBadInput},
      {R"({"type":"integer","minimum":10,"maximum":3})", std::nullopt},
      {R"({"type":"integer","exclusiveMinimum":9223372036854775807})", ErrorCode::kLimit},
      {R"({"type":"nothing"})", ErrorCode::kBadInput},
      {R"({"type":[]})", ErrorCode::kBadInput},
      {R"({"enum":[]})", ErrorCode::kBadInput},
      {R"({"anyOf":[]})", ErrorCode::kBadInput},
      {R"({"properties":[]})", ErrorCode::kBadInput},
      {R"({"type":"object","properties":{"":{},"-":{},"_":{},"root":{},"string":{},"\u0000":{}}})",
       std::nullopt},
      {R"({"const":"<|im_end|>"})", std::nullopt},
      {chain + R"(},"$ref":"#/$defs/a0"})", std::nullopt},
  };
  for (const Case& c : cases) {
    const auto rendered = bound(c.schema);
    EXPECT_EQ(rendered ? std::nullopt : std::optional(rendered.error().code), c.code)
        << c.schema.substr(0, 100) << (rendered ? "" : rendered.error().message);
  }
}

TEST_F(ChatGrammar135M, ControlTokensAreNeverPartOfAString) {
  const auto rendered = bound(R"({"type":"string"})");
  ASSERT_TRUE(rendered);
  const auto filter = rendered->grammar->filter();
  filter->accept(tokens_.tokenize("\"", false).at(0));
  EXPECT_FALSE(filter->allows(tokens_.tokenize("<|im_end|>", true).at(0)));
  EXPECT_FALSE(filter->allows(tokens_.tokenize("<|im_start|>", true).at(0)));
  EXPECT_TRUE(filter->allows(tokens_.tokenize("a", false).at(0)));
}

}  // namespace
}  // namespace braid::engine::llama
