// Nothing in a session grows with the length of its stream.
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "session_fixture.h"

namespace braid::serve {
namespace {

constexpr int kFrames = 10'000;

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// Sanitizers keep freed memory for a while.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kMayGrow = std::size_t{1} << 30;
#else
constexpr std::size_t kMayGrow = std::size_t{4} << 20;
#endif

class LongStream : public SessionTest {
 protected:
  LongStream() {
    options.realtime = false;
    options.window.max_rows = 512;
    heard.keep_perceived = false;
  }
};

TEST_F(LongStream, TenThousandFramesTakeNoMoreThanAWindow) {
  int frames = 0, most_cells = 0, most_sequences = 0;
  std::size_t most_slots = 0, early = 0, late = 0;
  heard.meanwhile = [&](const deliver::Event& event) {
    if (!std::holds_alternative<deliver::Perceived>(event)) return;
    ++frames;
    most_cells = std::max(most_cells, made.probe->used_cells());
    most_sequences = std::max(most_sequences, made.probe->sequences());
    most_slots = std::max(most_slots, pool.held());
    if (frames == kFrames / 5) early = resident_bytes();
    if (frames == kFrames) late = resident_bytes();
  };
  create({.frames = kFrames, .interval = Milliseconds(500)});
  const QuestionId id = ask(question("What is there?"));
  session->start();
  const deliver::Summary summary = run_to_end();

  EXPECT_EQ(summary.frames_kept, static_cast<std::uint64_t>(kFrames));
  EXPECT_GT(summary.turn_overs, 100U);
  EXPECT_LE(most_cells, 2 * options.window.max_rows);
  EXPECT_LE(most_sequences, 2);
  EXPECT_LE(most_slots, 3 * options.queue + 8);
  const WindowInfo& window = heard.answer(id).window;
  EXPECT_LE(window.tokens, options.window.max_rows);
  EXPECT_EQ(window.chunks + window.evicted_chunks, kFrames);
  EXPECT_LE(late, early + kMayGrow);
}

}  // namespace
}  // namespace braid::serve
