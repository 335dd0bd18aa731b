#include "braid/openai/embeddings.h"

#include <gmock/gmock.h>

namespace braid::openai {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ApiError refused(std::string_view body) {
  const auto parsed = parse_embeddings(body);
  EXPECT_FALSE(parsed) << body;
  return parsed ? ApiError{} : parsed.error();
}

TEST(Embeddings, InputIsATextOrSeveral) {
  const auto one = parse_embeddings(R"({"input":"a press","model":"m","user":"somebody"})");
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_THAT(one->input, ElementsAre("a press"));
  EXPECT_EQ(one->model, "m");
  EXPECT_FALSE(one->base64);
  const auto two =
      parse_embeddings(R"({"input":["a","b"],"model":"m","encoding_format":"base64","dimensions":384})");
  ASSERT_TRUE(two) << two.error().message;
  EXPECT_THAT(two->input, ElementsAre("a", "b"));
  EXPECT_TRUE(two->base64);
  EXPECT_EQ(two->dimensions, 384);
}

TEST(Embeddings, WhatCannotBeEmbeddedIsNamed) {
  EXPECT_EQ(refused(R"({"model":"m"})").code, "missing_required_parameter");
  EXPECT_EQ(refused(R"({"input":"a"})").param, "model");
  EXPECT_EQ(refused(R"({"input":[],"model":"m"})").code, "empty_array");
  EXPECT_EQ(refused(R"({"input":"","model":"m"})").code, "empty_string");
  EXPECT_EQ(refused(R"({"input":["a",""],"model":"m"})").param, "input[1]");
  EXPECT_THAT(refused(R"({"input":[1,2],"model":"m"})").message, HasSubstr("token ids"));
  EXPECT_THAT(refused(R"({"input":[[1,2]],"model":"m"})").message, HasSubstr("token ids"));
  EXPECT_EQ(refused(R"({"input":["a",2],"model":"m"})").param, "input[1]");
  EXPECT_EQ(refused(R"({"input":"a","model":"m","encoding_format":"hex"})").param, "encoding_format");
  EXPECT_EQ(refused(R"({"input":"a","model":"m","dimensions":0})").param, "dimensions");
  std::string many = "\"a\"";
  for (int i = 0; i < 256; ++i) many += ",\"a\"";
  EXPECT_EQ(refused("{\"input\":[" + many + "],\"model\":\"m\"}").param, "input");
  EXPECT_EQ(refused("{\"input\":\"" + std::string(70'000, 'x') + "\",\"model\":\"m\"}").param, "input");
}

TEST(Embeddings, ArePrintedAsNumbersOrBytes) {
  Embeddings made{"m", false, 2, {0.5F, -0.1F, 1.F, 0.F}, 7};
  EXPECT_EQ(print_embeddings(made),
            R"({"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5,-0.1]},)"
            R"({"object":"embedding","index":1,"embedding":[1,0]}],"model":"m",)"
            R"("usage":{"prompt_tokens":7,"total_tokens":7}})");
  made.base64 = true;
  EXPECT_THAT(print_embeddings(made), HasSubstr(R"("embedding":"AAAAP83MzL0=")"));
}

}  // namespace
}  // namespace braid::openai
