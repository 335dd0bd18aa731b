#include "chat/media_cache.h"

#include <gtest/gtest.h>

#include <string>

namespace braid::serve {
namespace {

Prompt text(std::size_t tokens, Token token) {
  Prompt prompt;
  prompt.append(TokenRun(tokens, token));
  return prompt;
}

TEST(MediaCacheTest, FindsWhatWasKeptForTheSameBytesAndWish) {
  MediaCache cache(1 << 20);
  cache.keep(media_key("bytes", "picture"), text(3, 7));
  ASSERT_TRUE(cache.find(media_key("bytes", "picture")));
  EXPECT_EQ(cache.find(media_key("bytes", "picture"))->rows(), 3);
  EXPECT_FALSE(cache.find(media_key("bytes", "sound")));
  EXPECT_FALSE(cache.find(media_key("other", "picture")));
  EXPECT_NE(media_key("b", "a"), media_key("", "ab"));
}

TEST(MediaCacheTest, TheLeastRecentlyUsedGoFirst) {
  MediaCache cache(3000);
  for (const char* name : {"a", "b"}) cache.keep(media_key(name, ""), text(250, 1));
  EXPECT_TRUE(cache.find(media_key("a", "")));
  cache.keep(media_key("c", ""), text(250, 1));
  EXPECT_TRUE(cache.find(media_key("a", "")));
  EXPECT_FALSE(cache.find(media_key("b", "")));
  EXPECT_TRUE(cache.find(media_key("c", "")));
  cache.keep(media_key("huge", ""), text(10000, 1));
  EXPECT_FALSE(cache.find(media_key("huge", "")));
}

}  // namespace
}  // namespace braid::serve
