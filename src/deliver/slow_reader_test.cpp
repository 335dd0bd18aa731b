// A reader who takes its time: what it takes shows as `deliver`, with both writers.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstdio>
#include <string>

#include "braid/base/virtual_clock.h"
#include "braid/deliver/json_writer.h"
#include "braid/deliver/text_writer.h"

namespace braid::deliver {
namespace {

constexpr Nanoseconds kSlow = Milliseconds(50);

struct SlowFile {
  Clock& clock;
  std::string text;

  static ssize_t write(void* self, const char* bytes, std::size_t n) {
    auto& file = *static_cast<SlowFile*>(self);
    file.clock.sleep_for(kSlow);
    file.text.append(bytes, n);
    return static_cast<ssize_t>(n);
  }
  std::FILE* open() { return fopencookie(this, "w", {nullptr, &SlowFile::write, nullptr, nullptr}); }
};

TEST(SlowReaderTest, JsonAnswerSaysHowLongItsTextTook) {
  VirtualClock clock;
  SlowFile slow{clock, {}};
  std::FILE* file = slow.open();
  Answer answer;
  answer.text = "A dog.";
  make_json_writer(file, clock)->on_event(answer);
  std::fclose(file);
  EXPECT_EQ(boost::json::parse(slow.text).at("stages_ms").at("deliver"), 50);
}

TEST(SlowReaderTest, TextAnswerSaysHowLongItsTextTook) {
  VirtualClock clock;
  SlowFile slow{clock, {}};
  std::FILE* file = slow.open();
  Answer answer;
  answer.question = "What?";
  make_text_writer(file, stderr, clock)->on_event(answer);
  std::fclose(file);
  EXPECT_NE(slow.text.find("deliver 50 "), std::string::npos) << slow.text;
}

}  // namespace
}  // namespace braid::deliver
