// Uploads whose decoder crashes, hangs or lies: an error of theirs, and the next one is read.

#include "chat/media_prompts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "braid/engine/scripted_engine.h"

namespace braid::serve {
namespace {

using ::testing::HasSubstr;

struct Uploads : ::testing::Test {
  RealClock clock;
  engine::ScriptedEngine made = engine::make_scripted_engine(clock, {});
  engine::DeviceArbiter arbiter{clock, true};

  static MediaLimits limits() {
    MediaLimits limits;
    limits.isolation.on = true;
    limits.isolation.worker = BRAID_SCRIPTED_WORKER;
    limits.isolation.patience = Milliseconds(500);
    return limits;
  }
};

TEST_F(Uploads, CostNobodyElseAnythingWhereTheirDecoderEnds) {
  MediaPrompts media(made.engine, arbiter, nullptr, clock, limits());
  MediaTimes times;
  for (const auto& [script, code, says] :
       std::initializer_list<std::tuple<const char*, ErrorCode, const char*>>{
           {"segv\n", ErrorCode::kBadInput, "crashed"},
           {"run\nabort\n", ErrorCode::kBadInput, "crashed"},
           {"run\nspin\n", ErrorCode::kLimit, "computed for"},
           {"run\nsocket\n", ErrorCode::kBadInput, "tried what no decoder has to do"},
           {"run\nraw 63\n", ErrorCode::kBadInput, "what is no message"}}) {
    const auto read = media.read(MediaKind::kPicture, script, std::nullopt, times);
    ASSERT_FALSE(read) << script;
    EXPECT_EQ(read.error().code, code) << script;
    EXPECT_THAT(read.error().message, HasSubstr(says));
    EXPECT_THAT(read.error().message, HasSubstr("send a JPEG, PNG or WebP file, whole"));
    EXPECT_THAT(read.error().message, ::testing::Not(HasSubstr("/proc/"))) << "its client knows no such file";
  }
  EXPECT_TRUE(media.read(MediaKind::kPicture, "run\nframe 16\n", std::nullopt, times));
  EXPECT_TRUE(media.read(MediaKind::kPicture, "run\nframe 32\nsegv\n", std::nullopt, times))
      << "what came before is used";
}

}  // namespace
}  // namespace braid::serve
