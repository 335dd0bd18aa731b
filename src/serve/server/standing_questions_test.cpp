#include "server/standing_questions.h"

#include <boost/json.hpp>
#include <mutex>
#include <optional>

#include "session_fixture.h"

namespace braid::serve {
namespace {

namespace json = boost::json;
using std::chrono::seconds;

/// A webhook whose answers are declared; 0: none comes and the connection fails.
class WebhooksTest : public SessionTest {
 protected:
  struct Post {
    SteadyTime at;
    net::ClientRequest request;
    bool trusted = false;
  };

  Webhooks::Send hook() {
    return [this](net::ClientRequest request, bool trusted, net::Client::Done done) {
      int status = 200;
      {
        std::lock_guard lock(mutex);
        if (posts.size() < statuses.size()) status = statuses[posts.size()];
        posts.push_back({clock.now(), std::move(request), trusted});
      }
      if (status == -2) return held.push_back(std::move(done));
      if (status == 0) return done(fail(ErrorCode::kResource, "refused", true));
      if (status == -1) return done(fail(ErrorCode::kUnsupported, "a private address"));
      net::ClientResponse response;
      response.status = status;
      done(response);
    };
  }
  static openai::WebhookEvent event(std::string answer = "a cat") {
    openai::WebhookEvent event;
    event.delivery_id = "dlv_1";
    event.session = "sess_1";
    event.answer = std::move(answer);
    return event;
  }

  std::mutex mutex;
  std::vector<int> statuses;  // of the first posts; then 200
  std::vector<net::Client::Done> held;
  std::vector<Post> posts;
  WebhookOptions webhook_options;
};

TEST_F(WebhooksTest, AFailedPostIsTriedAgainAfterGrowingPauses) {
  statuses = {503, 0, 429};
  Webhooks webhooks(webhook_options, clock, hook());
  webhooks.post({"https://hook.example/x", "hush", true}, event());
  clock.sleep_for(seconds(60));
  ASSERT_EQ(posts.size(), 4U);
  for (int i = 0; i < 3; ++i) {
    const Nanoseconds longest = webhook_options.backoff * (1 << i);
    EXPECT_GE(posts[i + 1].at - posts[i].at, longest / 2) << i;
    EXPECT_LE(posts[i + 1].at - posts[i].at, longest + Milliseconds(1)) << i;
  }
  EXPECT_EQ(webhooks.counts().delivered, 1U);
  EXPECT_EQ(webhooks.counts().retried, 3U);
  EXPECT_EQ(webhooks.counts().waiting, 0U);
  EXPECT_EQ(posts[3].request.headers.find("X-Braid-Attempt"), "4");
  EXPECT_EQ(posts[3].request.headers.find("X-Braid-Delivery"), "dlv_1");
  EXPECT_EQ(posts[3].request.headers.find("X-Braid-Signature"),
            openai::webhook_signature("hush", posts[3].request.body).value());
}

TEST_F(WebhooksTest, TheOnlyPostIsTriedAgainThoughItsAnswerTookAWhile) {
  statuses = {-2};
  Webhooks webhooks(webhook_options, clock, hook());
  webhooks.post({"https://hook.example/x", "", true}, event());
  clock.sleep_for(seconds(2));
  ASSERT_EQ(held.size(), 1U);
  held[0](net::ClientResponse{.status = 503});
  clock.sleep_for(seconds(60));
  EXPECT_EQ(posts.size(), 2U);
  EXPECT_EQ(webhooks.counts().delivered, 1U);
}

TEST_F(WebhooksTest, AfterItsAttemptsAnAnswerIsDead) {
  statuses.assign(100, 500);
  webhook_options.max_attempts = 3;
  Webhooks webhooks(webhook_options, clock, hook());
  webhooks.post({"https://hook.example/x"}, event());
  clock.sleep_for(seconds(600));
  EXPECT_EQ(posts.size(), 3U);
  EXPECT_EQ(webhooks.counts().dead, 1U);
  EXPECT_EQ(webhooks.counts().waiting, 0U);
}

TEST_F(WebhooksTest, WhatCanNotGetBetterIsNotTriedAgain) {
  statuses = {404, 302, -1};
  Webhooks webhooks(webhook_options, clock, hook());
  for (int i = 0; i < 3; ++i) webhooks.post({"https://hook.example/x"}, event());
  clock.sleep_for(seconds(600));
  EXPECT_EQ(posts.size(), 3U);
  EXPECT_EQ(webhooks.counts().dead, 3U);
}

TEST_F(WebhooksTest, OneThatIsAwayHoldsNoMoreThanTheBoundAndNobodyElseUp) {
  statuses.assign(10, 503);
  webhook_options.max_waiting = 10;
  webhook_options.backoff = std::chrono::minutes(1);
  webhook_options.max_backoff = std::chrono::minutes(1);
  Webhooks webhooks(webhook_options, clock, hook());
  for (int i = 0; i < 9; ++i) webhooks.post({"https://away.example/x", "", true}, event());
  clock.sleep_for(seconds(1));
  statuses.clear();
  webhooks.post({"https://hook.example/x", "", true}, event());
  clock.sleep_for(seconds(1));
  EXPECT_EQ(webhooks.counts().delivered, 1U);
  for (int i = 0; i < 5; ++i) webhooks.post({"https://away.example/x"}, event());
  EXPECT_GT(webhooks.counts().dead, 3U);
}

TEST_F(WebhooksTest, AClientWhoseReceiverHangsHoldsUpNobodyElse) {
  statuses.assign(8, -2);
  webhook_options.max_waiting = 64;
  Webhooks webhooks(webhook_options, clock, hook());
  const WebhookTarget hangs{"https://hangs.example/x", "", false, "mallory"};
  for (int i = 0; i < 40; ++i) webhooks.post(hangs, event());
  clock.sleep_for(seconds(1));
  EXPECT_EQ(held.size(), 8U) << "at once";
  EXPECT_EQ(webhooks.counts().waiting, 16U);
  EXPECT_EQ(webhooks.counts().dead, 24U);
  for (int i = 0; i < 16; ++i) webhooks.post({"https://hook.example/x", "", false, "anna"}, event());
  webhooks.post({"https://hook.example/x", "", true}, event());
  clock.sleep_for(seconds(1));
  EXPECT_EQ(webhooks.counts().delivered, 17U);
  for (auto& done : held) done(net::ClientResponse{.status = 200});
  clock.sleep_for(seconds(1));
  EXPECT_EQ(webhooks.counts().delivered, 33U) << "its own go on when it answers";
}

class StandingQuestionsTest : public WebhooksTest {
 protected:
  void open(FrameStream stream, std::vector<openai::StandingQuestion> questions, bool trusted = true) {
    webhooks.emplace(webhook_options, clock, hook());
    make_host();
    standing.emplace(*webhooks, clock, "server secret");
    live = std::make_shared<LiveSession>("sess_1", "", 0, clock);
    options.stay_open = true;
    stream.paced = true;
    std::vector<std::unique_ptr<ingest::Source>> sources;
    sources.push_back(make_frame_source(std::move(stream), pool, clock));
    live->recall(left, 0, 0);
    const Status started = live->start(options, *host, nullptr, std::move(sources), image);
    ASSERT_TRUE(started) << started.error().message;
    standing->add(live, std::move(questions), trusted);
  }
  void TearDown() override {
    live.reset();
    standing.reset();
    webhooks.reset();
  }
  static openai::StandingQuestion every(Nanoseconds period) {
    openai::StandingQuestion question;
    question.ask = "What do you see?";
    question.every = period;
    question.webhook = "http://hook.local/x";
    return question;
  }

  std::optional<SessionImage> image;             // where the session goes on
  std::vector<openai::UnansweredQuestion> left;  // that were open
  std::optional<Webhooks> webhooks;
  std::optional<StandingQuestions> standing;
  std::shared_ptr<LiveSession> live;
};

TEST_F(StandingQuestionsTest, IsAskedEveryPeriodAndItsAnswersArePosted) {
  open({.frames = 20}, {every(seconds(2))});
  clock.sleep_for(Milliseconds(7500));
  EXPECT_EQ(standing->counts().asked, 3U);
  ASSERT_EQ(posts.size(), 3U);
  EXPECT_TRUE(posts[0].trusted);
  const json::value body = json::parse(posts[0].request.body);
  EXPECT_EQ(body.at("session"), "sess_1");
  EXPECT_EQ(body.at("question"), "What do you see?");
  EXPECT_THAT(std::string(body.at("answer").as_string()), testing::HasSubstr("I see f0"));
  EXPECT_EQ(posts[0].request.headers.find("X-Braid-Signature"),
            openai::webhook_signature("server secret", posts[0].request.body).value());
  EXPECT_GT(posts[1].at - posts[0].at, seconds(1));
}

TEST_F(StandingQuestionsTest, AClientsIsSignedWithItsOwnSecretAlone) {
  auto own = every(seconds(2));
  own.secret = "own";
  open({.frames = 20}, {every(seconds(2)), own}, false);
  clock.sleep_for(Milliseconds(2500));
  ASSERT_EQ(posts.size(), 2U);
  EXPECT_EQ(posts[0].request.headers.find("X-Braid-Signature"), std::nullopt);
  EXPECT_EQ(posts[1].request.headers.find("X-Braid-Signature"),
            openai::webhook_signature("own", posts[1].request.body).value());
}

TEST_F(StandingQuestionsTest, GoesOnInStepWhereItsSessionCameBack) {
  options.realtime = true;
  image.emplace();
  image->now = at_ms(61'700);
  open({.frames = 20}, {every(seconds(2))});
  clock.sleep_for(Milliseconds(5000));
  ASSERT_EQ(posts.size(), 3U);
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(json::parse(posts[i].request.body).at("asked_at_us").as_int64(), 62'000'000 + i * 2'000'000,
                1000);
}

TEST_F(StandingQuestionsTest, OneThatWasOpenIsAskedAtOnceWhenItsSessionComesBack) {
  options.realtime = true;
  image.emplace();
  image->now = at_ms(61'700);
  left = {{"What do you see?", at_ms(60'000)}, {"Another's?", at_ms(60'100)}};
  open({.frames = 20}, {every(seconds(60))});
  clock.sleep_for(Milliseconds(3000));
  ASSERT_EQ(posts.size(), 1U);
  EXPECT_EQ(standing->counts().asked, 1U);
  ASSERT_EQ(live->info().unanswered.size(), 1U);
  EXPECT_EQ(live->info().unanswered[0].question, "Another's?");
}

TEST_F(StandingQuestionsTest, EndsWithItsSession) {
  open({.frames = 20}, {every(seconds(1))});
  clock.sleep_for(Milliseconds(2500));
  live.reset();
  const auto asked = standing->counts().asked;
  clock.sleep_for(seconds(10));
  EXPECT_EQ(standing->counts().asked, asked);
}

TEST_F(StandingQuestionsTest, IsSkippedWhileItsLastAnswerIsBeingMade) {
  model.step_cost = Milliseconds(200);  // an answer takes seconds
  open({.frames = 4}, {every(Milliseconds(500))});
  clock.sleep_for(seconds(20));
  EXPECT_GT(standing->counts().skipped, standing->counts().asked);
  EXPECT_GT(standing->counts().asked, 1U);
}

TEST_F(StandingQuestionsTest, AWebhookThatWouldNeverBeReachedIsRefusedAtOnce) {
  open({.frames = 1}, {});
  const auto told = [](const StandingQuestions& questions, const char* url) {
    const Status checked = questions.check({{.ask = "x", .webhook = url}});
    return checked ? "taken" : checked.error().message;
  };
  for (const char* url : {"http://127.0.0.1:1/", "http://10.0.0.1/x", "https://[::1]/", "http://localhost:8/",
                          "http://hook.localhost/", "http://127.1/", "http://2130706433/", "http://0x7f.1/"})
    EXPECT_THAT(told(*standing, url), testing::HasSubstr("allow_private of [webhooks]")) << url;
  EXPECT_EQ(told(*standing, "https://hook.example/x"), "taken");
  EXPECT_EQ(told(*standing, "http://8.8.8.8/"), "taken");
  Webhooks open_to_all({.allow_private = true}, clock, hook());
  const StandingQuestions trusting(open_to_all, clock, "");
  EXPECT_EQ(told(trusting, "http://127.0.0.1:1/"), "taken");
}

TEST_F(StandingQuestionsTest, AnEventThatThereIsNotIsNamed) {
  open({.frames = 1}, {});
  openai::StandingQuestion question;
  question.on_event = "noise";
  const Status checked = standing->check({question});
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message, testing::HasSubstr("scene_change"));
  question.on_event = "utterance";
  EXPECT_TRUE(standing->check({question}));
}

TEST_F(StandingQuestionsTest, AnEventAsksIt) {
  openai::StandingQuestion question;
  question.ask = "What was read?";
  question.on_event = "line";
  open({.frames = 20}, {question});
  clock.sleep_for(seconds(3));
  EXPECT_EQ(standing->counts().asked, 0U);
  deliver::Perceived line;
  line.modality = Modality::kText;
  live->on_event(line);
  clock.sleep_for(seconds(3));
  EXPECT_EQ(standing->counts().asked, 1U);
  EXPECT_TRUE(posts.empty());
}

}  // namespace
}  // namespace braid::serve
