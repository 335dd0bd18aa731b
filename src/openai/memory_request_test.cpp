#include <gmock/gmock.h>

#include "braid/openai/memory_api.h"

namespace braid::openai {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ApiError refused(std::string_view body) {
  const auto parsed = parse_memory_search(body);
  EXPECT_FALSE(parsed) << body;
  return parsed ? ApiError{} : parsed.error();
}

TEST(MemorySearch, AllOfItIsOptional) {
  const auto search = parse_memory_search("{}");
  ASSERT_TRUE(search);
  EXPECT_EQ(search->query, "");
  EXPECT_EQ(search->limit, 10);
  EXPECT_FALSE(search->deadline);
}

TEST(MemorySearch, ASourceIsATextOrSeveral) {
  const auto search = parse_memory_search(
      R"({"query":"alarm","during":"PT72H","zone":"+01:00","source":"press","kind":["text","reading"],)"
      R"("limit":3,"deadline_ms":250})");
  ASSERT_TRUE(search) << search.error().message;
  EXPECT_EQ(search->query, "alarm");
  EXPECT_EQ(search->during, "PT72H");
  EXPECT_EQ(search->zone, "+01:00");
  EXPECT_THAT(search->sources, ElementsAre("press"));
  EXPECT_THAT(search->kinds, ElementsAre("text", "reading"));
  EXPECT_EQ(search->limit, 3);
  EXPECT_EQ(search->deadline, Milliseconds(250));
}

TEST(MemorySearch, WhatIsNotMeantIsNamed) {
  EXPECT_EQ(refused("[]").http_status, 400);
  EXPECT_THAT(refused(R"({"sources":["press"]})").message, HasSubstr("'source'"));
  EXPECT_EQ(refused(R"({"source":[""]})").param, "source[0]");
  EXPECT_EQ(refused(R"({"source":7})").code, "invalid_type");
  EXPECT_EQ(refused(R"({"kind":["text",7]})").param, "kind[1]");
  EXPECT_EQ(refused(R"({"limit":0})").param, "limit");
  EXPECT_EQ(refused(R"({"limit":101})").param, "limit");
  EXPECT_EQ(refused(R"({"deadline_ms":100000})").param, "deadline_ms");
  EXPECT_EQ(refused(R"({"query":")" + std::string(5000, 'x') + "\"}").param, "query");
  EXPECT_EQ(refused(std::string(70'000, ' ')).http_status, 413);
}

TEST(MemorySearch, AsksForNoMoreHitsThanThereMayBeWhereItSaysNothing) {
  const auto search = parse_memory_search(R"({"query":"a","during":"PT1H"})", {.hits = 5});
  ASSERT_TRUE(search);
  EXPECT_EQ(search->limit, 5);
}

}  // namespace
}  // namespace braid::openai
