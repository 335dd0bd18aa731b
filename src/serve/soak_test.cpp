// Sessions that live for hours of virtual time, as the server holds them. BRAID_SOAK_HOURS (a quarter of an
// hour by default, 24 by `make soak`): nothing grows, nothing gets slower, and each answer is about what its
// window holds, turn-over after turn-over.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "host/step_loop.h"
#include "server/live_sessions.h"
#include "session_fixture.h"

namespace braid::serve {
namespace {

constexpr int kSessions = 4;
constexpr int kFifths = 5;
constexpr int kLabels = 1000;  // the engine keeps each that it saw
constexpr Nanoseconds kBetweenQuestions = std::chrono::seconds(10);

double hours() {
  const char* text = std::getenv("BRAID_SOAK_HOURS");
  return text ? std::strtod(text, nullptr) : 0.25;
}

/// What the answers of a fifth of the time were like. Room for all is made at the start: it must not look
/// like growth.
struct Fifth {
  std::vector<Nanoseconds> first_tokens;
  std::size_t heap_bytes = 0;  ///< most that the process had allocated
  int cells = 0;               ///< most that all sessions held

  double p99_ms() {
    const auto at = first_tokens.begin() + static_cast<std::ptrdiff_t>(first_tokens.size() * 99 / 100);
    std::nth_element(first_tokens.begin(), at, first_tokens.end());
    return to_seconds(*at) * 1e3;
  }
};

/// "f41 of f30, f31, ...": the newest frame is the one of the question's second, the others are the window's,
/// in order, as far as the answer's length lets them be told.
std::string expected_text(const Answer& answer) {
  const auto newest = static_cast<int>(to_seconds(answer.window.to));
  std::string text = fmt::format("f{} of ", newest % kLabels);
  for (int i = static_cast<int>(to_seconds(answer.window.from)); i <= newest; ++i)
    text += fmt::format("{}f{}", text.ends_with(' ') ? "" : ", ", i % kLabels);
  return text.substr(0, answer.text.size());
}

class Soak : public SessionTest {
 protected:
  Soak() {
    model.cells = 16'384;
    model.max_sequences = 64;
    model.rules = {{"", "{last} of {seen}"}};
    options.stay_open = true;
    options.window.max_rows = 512;
    frames = static_cast<int>(hours() * 3600);
  }

  void open_all() {
    make_host().loop().start();
    LiveSessionsOptions wanted;
    wanted.session = options;
    sessions = std::make_unique<LiveSessions>(*host, nullptr, clock, wanted);
    for (int i = 0; i < kSessions; ++i) {
      std::vector<std::unique_ptr<ingest::Source>> sources;
      sources.push_back(make_frame_source({.frames = frames,
                                           .labels = kLabels,
                                           .interval = std::chrono::seconds(1),
                                           .bound_every = Milliseconds(250),
                                           .paced = true,
                                           .live = true},
                                          pool, clock));
      auto session = sessions->create(std::move(sources), options, "");
      ASSERT_TRUE(session) << session.error().message;
      live.push_back(std::move(*session));
    }
  }

  /// Each session every ten seconds, one after another.
  void ask_all_the_time() {
    const Nanoseconds step = kBetweenQuestions / kSessions, whole = std::chrono::seconds(frames);
    for (Fifth& fifth : fifths) fifth.first_tokens.reserve(static_cast<std::size_t>(whole / step));
    const SteadyTime begin = clock.now();
    for (std::size_t number = 2; step * number < whole; ++number) {
      clock.sleep_until(begin + step * number);
      const std::size_t which = number % live.size();
      Question question;
      question.text = "what is there?";
      question.at = live[which]->session().now();
      question.max_tokens = 40;
      AskSink sink;
      sink.on_end = [this, which, fifth = kFifths * step * number / whole](const Answer& answer) {
        take(answer, which, fifths[static_cast<std::size_t>(fifth)]);
      };
      const auto id = live[which]->ask(std::move(question), std::move(sink));
      ASSERT_TRUE(id) << id.error().message;
      ++asked;
    }
    clock.sleep_for(std::chrono::seconds(5));
  }

  void take(const Answer& answer, std::size_t which, Fifth& fifth) {
    std::lock_guard lock(mutex);
    ++answered;
    ASSERT_TRUE(answer.first_token) << (answer.error ? answer.error->message : "no token");
    EXPECT_LE(std::abs(to_seconds(answer.asked_at - answer.window.to)), 1.1) << answer.text;
    EXPECT_EQ(answer.text, expected_text(answer));
    EXPECT_GT(answer.text.size(), 20U);
    fifth.first_tokens.push_back(*answer.first_token - answer.asked);
    const auto heap = mallinfo2();
    fifth.heap_bytes = std::max(fifth.heap_bytes, heap.uordblks + heap.hblkhd);
    fifth.cells = std::max(fifth.cells, made.probe->used_cells());
    if (answer.window.evicted_chunks > std::exchange(evicted[which], answer.window.evicted_chunks))
      ++turn_overs[which];
  }

  /// The engine's own list of calls grows for some hours, up to its bound.
  static double probe_bytes() {
    return hours() < 12 ? 2 * 65'536 * static_cast<double>(sizeof(engine::ScriptedCall)) : 0;
  }

  void print() {
    fmt::print("| fifth of {} h, {} sessions | answers | first token p99, ms | heap, MB | cells |\n", hours(),
               kSessions);
    for (std::size_t i = 0; i < fifths.size(); ++i)
      fmt::print("| {} | {} | {:.2f} | {:.2f} | {} |\n", i + 1, fifths[i].first_tokens.size(),
                 fifths[i].p99_ms(), static_cast<double>(fifths[i].heap_bytes) / 1e6, fifths[i].cells);
    fmt::print("turn-overs seen by each session: {}\n", fmt::join(turn_overs, ", "));
  }

  std::unique_ptr<LiveSessions> sessions;
  std::vector<std::shared_ptr<LiveSession>> live;
  int frames = 0;
  std::mutex mutex;  // guards what follows
  std::array<Fifth, kFifths> fifths;
  std::array<int, kSessions> evicted{}, turn_overs{};
  int asked = 0, answered = 0;
};

TEST_F(Soak, NothingGrowsAndNothingGetsSlower) {
  open_all();
  ask_all_the_time();
  print();
  EXPECT_EQ(answered, asked);
  EXPECT_THAT(turn_overs, testing::Each(testing::Ge(3)));
  Fifth &first = fifths.front(), &last = fifths.back();
  EXPECT_LE(last.p99_ms(), 1.05 * first.p99_ms());
  EXPECT_LE(static_cast<double>(last.heap_bytes),
            1.05 * static_cast<double>(first.heap_bytes) + probe_bytes());
  EXPECT_LE(last.cells, 1.05 * first.cells);
  live.clear();
  sessions.reset();
  EXPECT_EQ(made.probe->used_cells(), 0);
}

}  // namespace
}  // namespace braid::serve
