// Sessions that lend their cells while they are idle, and such that go on from an image.

#include <algorithm>
#include <deque>

#include "session_fixture.h"

namespace braid::serve {
namespace {

class SessionSleepTest : public SessionTest {
 protected:
  struct Live {
    Heard heard;
    std::unique_ptr<Session> session;

    const std::string& answer(QuestionId id) const { return heard.answer(id).text; }
  };

  SessionSleepTest() {
    options.stay_open = true;
    options.realtime = true;
    model.max_sequences = 64;
  }

  Live& add(std::optional<FrameStream> stream, const SessionImage* image = nullptr) {
    if (!host) make_host();
    Live& live = sessions.emplace_back();
    auto created = Session::create(options, *host, nullptr, clock, live.heard);
    EXPECT_TRUE(created) << created.error().message;
    live.session = std::move(*created);
    if (image) EXPECT_TRUE(live.session->restore(*image));
    if (stream) {
      stream->paced = true;
      EXPECT_TRUE(live.session->add_source(make_frame_source(std::move(*stream), pool, clock)));
    }
    live.session->start();
    return live;
  }
  void pass(std::int64_t ms) { clock.sleep_for(Milliseconds(ms)); }
  std::string ask_now(Live& live, std::string text = "What?") {
    Question asked = question(std::move(text));
    asked.now = true;
    const auto id = live.session->ask(std::move(asked));
    EXPECT_TRUE(id) << id.error().message;
    pass(3000);
    return live.answer(*id);
  }
  SessionImage image_of(Live& live) {
    std::optional<SessionImage> image;
    live.session->take_image([&](SessionImage taken) { image = std::move(taken); });
    pass(500);
    EXPECT_TRUE(image);
    return image ? std::move(*image) : SessionImage();
  }
  void end_all() {
    for (Live& live : sessions) {
      live.session->stop(false);
      live.session->wait();
    }
  }
  int rebuilt_since(SteadyTime from) const {
    int rebuilt = 0;
    for (const auto& call : calls_within(from, clock.now())) rebuilt += rows(call, RowKind::kRebuild);
    return rebuilt;
  }

  std::deque<Live> sessions;
};

constexpr int kRoomForOne = 4000;

TEST_F(SessionSleepTest, AnIdleSessionLendsItsCellsAndWakesWithWhatItSaw) {
  model.cells = kRoomForOne;
  Live& first = add(FrameStream{.frames = 4});
  pass(10'000);
  const int held_by_first = made.probe->used_cells();
  const std::size_t bytes_of_first = first.session->held_bytes();
  EXPECT_GT(bytes_of_first, 4 * sizeof(float) * static_cast<std::size_t>(model.rows_per_frame));
  Live& second = add(FrameStream{.frames = 2});
  pass(10'000);
  EXPECT_LT(made.probe->used_cells(), held_by_first);
  EXPECT_EQ(first.session->held_bytes(), bytes_of_first);
  EXPECT_EQ(ask_now(second), "I see f0, f1.");
  pass(10'000);
  const SteadyTime before = clock.now();
  EXPECT_EQ(ask_now(first), "I see f0, f1, f2, f3.");
  EXPECT_GT(rebuilt_since(before), 0);
  pass(10'000);
  EXPECT_EQ(ask_now(second), "I see f0, f1.");
  end_all();
  EXPECT_EQ(made.probe->used_cells(), 0);
  EXPECT_EQ(host->promised_cells(), 0);
}

TEST_F(SessionSleepTest, WithoutAnybodyWaitingNobodySleeps) {
  model.cells = kRoomForOne;
  Live& only = add(FrameStream{.frames = 4});
  pass(100'000);
  const SteadyTime before = clock.now();
  EXPECT_EQ(ask_now(only), "I see f0, f1, f2, f3.");
  EXPECT_EQ(rebuilt_since(before), 0);
  end_all();
}

TEST_F(SessionSleepTest, OnesThatWereGivenNothingMakeRoomAtOnce) {
  model.cells = kRoomForOne;
  for (int i = 0; i < 40; ++i) add(std::nullopt);
  pass(1);
  EXPECT_LE(made.probe->used_cells(), options.window.max_rows);
  for (Live& live : sessions) {
    Question asked = question("What?");
    asked.now = true;
    ASSERT_TRUE(live.session->ask(std::move(asked)));
    pass(6000);
    EXPECT_EQ(live.heard.answers.size(), 1U);
    EXPECT_EQ(live.heard.answers[0].finish, FinishReason::kStop);
  }
  end_all();
  EXPECT_EQ(made.probe->used_cells(), 0);
}

TEST_F(SessionSleepTest, ABusySessionKeepsItsCells) {
  model.cells = kRoomForOne;
  Live& busy = add(FrameStream{.frames = 100});
  pass(20'000);
  const auto refused = Session::create(options, *host, nullptr, clock, heard);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kFull);
  end_all();
  EXPECT_GT(busy.heard.perceived.size(), 30U);
}

TEST_F(SessionSleepTest, WhatASleeperSeesItKnowsWhenItWakes) {
  model.cells = kRoomForOne;
  Live& late = add(FrameStream{.frames = 40, .interval = Milliseconds(8000)});
  pass(7000);
  Live& busy = add(FrameStream{.frames = 100});  // takes the cells that are idle between two frames
  pass(28'000);
  const auto id = late.session->ask([&] {
    Question asked = question("What?");
    asked.now = true;
    return asked;
  }());
  ASSERT_TRUE(id);
  pass(1000);
  const Answer& refused = late.heard.answer(*id);
  EXPECT_EQ(refused.finish, FinishReason::kShed);
  EXPECT_EQ(refused.verdict, Verdict::kShed);
  EXPECT_EQ(refused.error->code, ErrorCode::kFull);
  busy.session->stop(false);
  busy.session->wait();
  EXPECT_EQ(ask_now(late), "I see f0, f1, f2, f3, f4.");
  end_all();
}

TEST_F(SessionSleepTest, ASleepersWindowStaysWithinItsBound) {
  model.cells = kRoomForOne;
  options.window.max_rows = 256;
  Live& late = add(FrameStream{.frames = 60, .interval = Milliseconds(5500)});
  pass(5400);
  Live& busy = add(FrameStream{.frames = 400, .interval = Milliseconds(1000)});
  pass(300'000);
  busy.session->stop(false);
  busy.session->wait();
  (void)ask_now(late);
  const WindowInfo& window = late.heard.answers.back().window;
  EXPECT_LE(window.tokens, options.window.max_rows);
  EXPECT_GT(window.chunks, 2);
  EXPECT_GT(window.evicted_chunks, 30);
  const auto& perceived = late.heard.perceived;
  EXPECT_EQ(window.chunks + window.evicted_chunks,
            std::count_if(perceived.begin(), perceived.end(),
                          [&](const deliver::Perceived& frame) { return frame.end <= window.to; }));
  end_all();
}

TEST_F(SessionSleepTest, ASecondAnswerNeedsCellsThatNobodyHolds) {
  for (const int cells : {2500, kRoomForOne}) {
    model.cells = cells;
    make_host();
    Live& live = add(FrameStream{.frames = 3});
    pass(3000);
    std::vector<QuestionId> ids;
    for (int i = 0; i < 2; ++i) {
      Question asked = question("What?");
      asked.now = true;
      ids.push_back(*live.session->ask(std::move(asked)));
    }
    pass(5000);
    const bool one_by_one = *live.heard.answer(ids[1]).first_token >= live.heard.answer(ids[0]).last_token;
    EXPECT_EQ(one_by_one, cells == 2500);
    for (const QuestionId id : ids) EXPECT_EQ(live.answer(id), "I see f0, f1, f2.");
    end_all();
    EXPECT_EQ(host->promised_cells(), 0);
    sessions.clear();
  }
}

TEST_F(SessionSleepTest, AnImageGoesOnElsewhere) {
  model.cells = 3 * kRoomForOne;
  Live& first = add(FrameStream{.frames = 3});
  pass(2000);
  EXPECT_EQ(ask_now(first, "What is there?"), "I see f0, f1, f2.");
  const SessionImage image = image_of(first);
  EXPECT_EQ(image.timeline.size(), 4U);  // and the question with its answer
  Live& second = add(std::nullopt, &image);
  EXPECT_EQ(second.session->now(), image.now);
  pass(3000);
  EXPECT_EQ(ask_now(second), "I see f0, f1, f2.");
  EXPECT_EQ(ask_now(second), ask_now(first));
  end_all();
  EXPECT_EQ(made.probe->used_cells(), 0);
}

TEST_F(SessionSleepTest, AnImageOfAnImageIsTheSame) {
  model.cells = 3 * kRoomForOne;
  Live& first = add(FrameStream{.frames = 60, .interval = Milliseconds(100)});
  pass(10'000);
  (void)ask_now(first);
  const SessionImage image = image_of(first);
  Live& second = add(std::nullopt, &image);
  pass(1);
  const SessionImage again = image_of(second);
  EXPECT_EQ(image.timeline, again.timeline);
  EXPECT_EQ(image.evicted, again.evicted);
  EXPECT_EQ(image.next_question, again.next_question);
  end_all();
}

TEST_F(SessionSleepTest, WhatChangesAnImageIsCountedAndTimeIsNot) {
  model.cells = 3 * kRoomForOne;
  Live& live = add(FrameStream{.frames = 3});
  const std::uint64_t fresh = live.session->changes();
  pass(10'000);
  const std::uint64_t seen = live.session->changes();
  EXPECT_GT(seen, fresh);
  const SessionImage image = image_of(live);
  pass(100'000);
  EXPECT_EQ(live.session->changes(), seen);
  EXPECT_EQ(image_of(live).timeline, image.timeline);
  (void)ask_now(live);
  EXPECT_GT(live.session->changes(), seen);
  EXPECT_NE(image_of(live).timeline, image.timeline);
  end_all();
}

}  // namespace
}  // namespace braid::serve
