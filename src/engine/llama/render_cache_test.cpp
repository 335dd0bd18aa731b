#include "render_cache.h"

#include <gtest/gtest.h>

namespace braid::engine::llama {
namespace {

class RenderCacheTest : public testing::Test {
 protected:
  static ChatInput asked(std::string content, std::string role = "user") {
    ChatInput input;
    input.turns.emplace_back();
    input.turns[0].role = std::move(role);
    input.turns[0].content = std::move(content);
    return input;
  }
  std::string get(const ChatInput& input, std::int64_t minute = 0) {
    return cache.get(input, minute, render)->prompt;
  }

  RenderCache cache;
  int renderings = 0;
  RenderCache::Render render = [this](const ChatInput& input) -> Result<RenderedChat> {
    ++renderings;
    if (input.turns[0].content == "refused") return fail(ErrorCode::kUnsupported, "no");
    RenderedChat made;
    made.prompt = input.turns[0].role + "|" + input.turns[0].content + "|" + std::to_string(renderings);
    return made;
  };
};

TEST_F(RenderCacheTest, TheSameIsRenderedOnceAMinute) {
  EXPECT_EQ(get(asked("a")), "user|a|1");
  EXPECT_EQ(get(asked("a")), "user|a|1");
  EXPECT_EQ(get(asked("a", "system")), "system|a|2");
  EXPECT_EQ(get(asked("a"), 1), "user|a|3") << "a template may write the time";
  EXPECT_EQ(get(asked("a"), 1), "user|a|3");
}

TEST_F(RenderCacheTest, TextsThatOnlyJoinedAreTheSameAreNot) {
  ChatInput one = asked("ab"), other = asked("a");
  one.turns[0].name = "c";
  other.turns[0].name = "bc";
  get(one);
  get(other);
  EXPECT_EQ(renderings, 2);
}

TEST_F(RenderCacheTest, WhatWasNotUsedForLongestGoes) {
  for (std::size_t i = 0; i < RenderCache::kMaxKept; ++i) get(asked(std::to_string(i)));
  get(asked("0"));
  get(asked("one more"));
  const int before = renderings;
  get(asked("0"));
  EXPECT_EQ(renderings, before);
  get(asked("1"));
  EXPECT_EQ(renderings, before + 1);
}

TEST_F(RenderCacheTest, BindingsToolsLongOnesAndRefusalsAreNotKept) {
  ChatInput bound = asked("a"), tools = asked("a"), calls = asked("a");
  bound.json_object = true;
  tools.tools.emplace_back();
  calls.turns[0].tool_calls.emplace_back();
  for (const ChatInput& input : {bound, tools, calls, asked(std::string(RenderCache::kMaxBytes, 'x'))}) {
    const int before = renderings;
    get(input);
    get(input);
    EXPECT_EQ(renderings, before + 2);
  }
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(cache.get(asked("refused"), 0, render));
  EXPECT_EQ(renderings, 10);
}

}  // namespace
}  // namespace braid::engine::llama
