// Each family of llama.cpp's models does what engine.h promises: the same as llama.cpp's own helper on a
// fresh context, on forks and after turn-overs too. What a family can't do it says in its EngineInfo.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>

#include "braid/kv/timeline.h"
#include "test_families.h"

namespace braid::engine::llama {
namespace {

// Of the logits' span. The caches are F16, and pictures pass the encoder in other batches than the oracle's.
constexpr float kTolerance = 0.01F;
constexpr SequenceId kTimeline{0}, kFork{1}, kSuccessor{2};
const std::string kQuestion = "\nWhat is there?";

class Families : public testing::TestWithParam<Family> {
 protected:
  Families() : engine_(load(family_options(GetParam()))) {}

  const ChatFormat& chat() const { return engine_.tokenizer->chat(); }
  Prompt text(const std::string& text) const { return text_prompt(*engine_.tokenizer, text); }
  Prompt question() const { return text(kQuestion + chat().end_of_question); }
  Prefilled run(SequenceId sequence, const Prompt& prompt, Position at) const {
    return run_prompt(engine_, sequence, prompt, at);
  }
  Prompt next_medium(int number, std::vector<Perceived>& media, std::string& told);
  /// Greedy tokens beside the oracle's, from equal prompts on.
  void expect_same(SequenceId sequence, Prefilled ours, Oracle& oracle) const;

  Engine engine_;
  std::map<int, Prompt> encoded_;  // by number % kDistinct
};

// Stamp and medium as the engine reads them.
Prompt Families::next_medium(int number, std::vector<Perceived>& media, std::string& told) {
  media.push_back(perceived(GetParam(), number));
  const Perceived& what = media.back();
  told += what.text();
  Prompt prompt = text(what.stamp);
  if (what.is_text()) return prompt;
  const Medium medium = what.frame.pixels ? Medium(&what.frame) : Medium(&what.sound);
  auto [made, is_new] = encoded_.try_emplace(number % kDistinct);
  if (is_new) made->second = encoded(engine_, medium);
  prompt.append(made->second);
  return prompt;
}

void Families::expect_same(SequenceId sequence, Prefilled ours, Oracle& oracle) const {
  for (int i = 0; i < 4; ++i) {
    const std::vector<float> expected = oracle.logits();
    const auto [low, high] = std::minmax_element(expected.begin(), expected.end());
    const float tolerance = kTolerance * (*high - *low);
    ASSERT_EQ(ours.end, oracle.end());
    ASSERT_TRUE(std::isfinite(*low) && *high > *low);
    ASSERT_LT(largest_difference(ours.logits, expected), tolerance) << "token " << i;
    const Token token = argmax(expected);
    if (top_gap(expected) > tolerance) {
      ASSERT_EQ(argmax(ours.logits), token) << i;
    }
    oracle.feed_token(token);
    Prompt one;
    one.append({token});
    ours = run(sequence, one, ours.end);
  }
}

// The table of docs/models.md is this test's: what it finds is what must stand there.
TEST_P(Families, IsInTheTableAsTested) {
  const EngineInfo& info = engine_.info;
  EXPECT_EQ(info.sees, GetParam().sees);
  EXPECT_EQ(info.hears, GetParam().hears);
  EXPECT_EQ(engine_.encoder != nullptr, info.sees || info.hears);
  const auto yes = [](bool value) { return value ? "yes" : "no"; };
  const Utterance second = noise_sound(1.0, 1);
  std::string picture = "-", sound = "-";
  if (info.sees) {
    const Frame frame = noise_picture(112, 84, 1);
    const Prompt prompt = encoded(engine_, &frame);
    picture = fmt::format("{} in {}", prompt.rows(), prompt.positions());
  }
  if (info.hears) sound = fmt::to_string(encoded(engine_, &second).rows());
  const std::string row =
      fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |", GetParam().name, info.family, picture, sound,
                  yes(info.one_pass), yes(info.can_hide_ranges), yes(info.can_forget),
                  info.sees ? yes(info.indivisible_media) : "-");
  std::ifstream file("docs/models.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(page.find(row + "\n"), std::string::npos) << "docs/models.md lacks this line:\n" << row;
}

TEST_P(Families, AnswersAsLlamaCppsOwnHelper) {
  std::vector<Perceived> media;
  std::string told = chat().begin;
  Prompt prompt = text(chat().begin);
  for (int number = 0; number < 2; ++number) prompt.append(next_medium(number, media, told));
  prompt.append(question());
  Oracle oracle(GetParam());
  oracle.feed(told + kQuestion + chat().end_of_question, media);
  expect_same(kTimeline, run(kTimeline, prompt, 0), oracle);
}

TEST_P(Families, AForkAnswersAsIfThereHadNeverBeenAnotherBranch) {
  std::vector<Perceived> media;
  std::string told = chat().begin;
  Prompt prompt = text(chat().begin);
  prompt.append(next_medium(0, media, told));
  const Prefilled before = run(kTimeline, prompt, 0);
  const PositionRange all[] = {{0, before.end}};
  ASSERT_TRUE(engine_.decoder->fork(kTimeline, kFork, all));

  Oracle of_fork(GetParam()), of_timeline(GetParam());
  of_fork.feed(told + kQuestion + chat().end_of_question, media);
  const Prompt later = next_medium(1, media, told);
  of_timeline.feed(told + kQuestion + chat().end_of_question, media);
  const Prefilled after = run(kTimeline, later, before.end);
  expect_same(kFork, run(kFork, question(), before.end), of_fork);
  expect_same(kTimeline, run(kTimeline, question(), after.end), of_timeline);
}

TEST_P(Families, HidesAndForgetsOrSaysThatItCant) {
  std::vector<Perceived> media;
  std::string told = chat().begin;
  const Prefilled begin = run(kTimeline, text(chat().begin), 0);
  const Prefilled first = run(kTimeline, next_medium(0, media, told), begin.end);
  const Prefilled second = run(kTimeline, next_medium(1, media, told), first.end);
  const PositionRange without_first[] = {{0, begin.end}, {first.end, second.end}};
  Oracle oracle(GetParam());
  oracle.feed(told, media);

  const Status forked = engine_.decoder->fork(kTimeline, kFork, without_first);
  ASSERT_EQ(forked.has_value(), engine_.info.can_hide_ranges);
  ASSERT_EQ(engine_.info.can_forget, engine_.info.can_hide_ranges);
  if (!forked) {
    EXPECT_EQ(forked.error().code, ErrorCode::kUnsupported);
    EXPECT_EQ(engine_.decoder->forget(kTimeline, {begin.end, first.end}).error().code,
              ErrorCode::kUnsupported);
    oracle.feed(kQuestion + chat().end_of_question, {});
    expect_same(kTimeline, run(kTimeline, question(), second.end), oracle);
    return;
  }
  oracle.forget(begin.end, first.end);
  oracle.feed(kQuestion + chat().end_of_question, {});
  expect_same(kFork, run(kFork, question(), second.end), oracle);
  Oracle again(GetParam());
  again.feed(told, media);
  again.forget(begin.end, first.end);
  again.feed(kQuestion + chat().end_of_question, {});
  ASSERT_TRUE(engine_.decoder->forget(kTimeline, {begin.end, first.end}));
  expect_same(kTimeline, run(kTimeline, question(), second.end), again);
}

/// A timeline that is carried out on the engine as serve's Perception does.
class Window {
 public:
  Window(const Engine& engine, int rows, const ChatFormat& chat)
      : engine_(engine),
        timeline_({.max_rows = rows}, engine.tokenizer->tokenize(chat.begin, true),
                  engine.tokenizer->tokenize("\n", true), engine.tokenizer->tokenize(chat.next_turn, true)) {
    run_prompt(engine_, current_, timeline_.opening(), 0);
  }

  void append(const Prompt& prompt, int number) {
    auto chunk = std::make_shared<Chunk>();
    chunk->id = ChunkId{number};
    chunk->start = chunk->end = SessionTime(std::chrono::seconds(number));
    chunk->prompt = prompt;
    const auto entry = timeline_.append(chunk);
    ASSERT_TRUE(entry) << entry.error().message;
    run_prompt(engine_, current_, entry->prompt, entry->range.begin);
    if (timeline_.wants_turn_over(entry->prompt.rows())) turn_over(entry->prompt.rows());
  }

  /// A fork that sees all.
  Prefilled ask(const Prompt& question, SequenceId fork) {
    const PositionRange all[] = {{0, timeline_.end()}};
    EXPECT_TRUE(engine_.decoder->fork(current_, fork, all));
    return run_prompt(engine_, fork, question, timeline_.end());
  }

  int turn_overs() const { return turn_overs_; }
  std::size_t kept() const { return timeline_.entries().size(); }

 private:
  void turn_over(int waiting_rows) {
    Position at = 0;
    for (const Prompt& prompt : timeline_.begin_turn_over(waiting_rows))
      at = run_prompt(engine_, successor_, prompt, at).end;
    for (const Prompt& prompt : timeline_.successor_tail())
      at = run_prompt(engine_, successor_, prompt, at).end;
    timeline_.finish_turn_over();
    engine_.decoder->free(current_);
    std::swap(current_, successor_);
    ++turn_overs_;
  }

  const Engine& engine_;
  kv::Timeline timeline_;
  SequenceId current_ = kTimeline, successor_ = kSuccessor;
  int turn_overs_ = 0;
};

TEST_P(Families, AWindowThatTurnedOverTwiceAnswersAsAFreshContextOfWhatItHolds) {
  constexpr int kMedia = 8;
  std::vector<Perceived> media;
  std::vector<Prompt> prompts;
  std::string ignored;
  prompts.reserve(kMedia);
  for (int number = 0; number < kMedia; ++number) prompts.push_back(next_medium(number, media, ignored));
  const int rows = std::max(prompts[0].rows(), prompts[1].rows());
  Window window(engine_, 4 * rows + 60, chat());
  for (int number = 0; number < kMedia; ++number)
    window.append(prompts[static_cast<std::size_t>(number)], number);
  ASSERT_GE(window.turn_overs(), 2);
  ASSERT_LT(window.kept(), 5U);

  std::string told = chat().begin;
  const std::vector<Perceived> kept(media.end() - static_cast<std::ptrdiff_t>(window.kept()), media.end());
  for (const Perceived& what : kept) told += (&what == kept.data() ? "" : "\n") + what.text();
  Oracle oracle(GetParam());
  oracle.feed(told + kQuestion + chat().end_of_question, kept);
  expect_same(kFork, window.ask(question(), kFork), oracle);
}

TEST_P(Families, PicturesAndSoundOfAnySizeAreEncodedOrRefused) {
  const auto rows_of = [&](const Medium& medium) {
    const auto encoded = engine_.encoder->encode({&medium, 1});
    EXPECT_TRUE(encoded) << encoded.error().message;
    return encoded ? encoded->front().rows() : 0;
  };
  const std::pair<int, int> sizes[] = {{1, 1}, {3, 200}, {640, 7}, {1, 2000}, {65, 64}, {320, 240}};
  for (const auto& [width, height] : sizes) {
    if (!GetParam().sees) break;
    const Frame frame = noise_picture(width, height, 1);
    EXPECT_EQ(rows_of(&frame), engine_.encoder->frame_rows(width, height)) << width << "x" << height;
  }
  for (const double seconds : {0.0001, 0.21, 31.0}) {
    if (!GetParam().hears) break;
    const Utterance sound = noise_sound(seconds, 1);
    EXPECT_GT(rows_of(&sound), 0) << seconds;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, Families, testing::ValuesIn(families()), [](const auto& family) {
  std::string name = family.param.name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

}  // namespace
}  // namespace braid::engine::llama
