#include "braid/openai/session_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid::openai {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(SessionCreate, ReadsSourcesAndStandingQuestions) {
  const auto create =
      parse_session_create(R"({"sources":["rtsp://camera/1","name=press,kind=sensor,file=p.csv"],
      "window_s":30,"model":"nano","questions":[
        {"ask":"What do you see?","every_s":2.5,"webhook":"https://example.com/hook","secret":"s"},
        {"ask":"Who speaks?","on_event":"utterance","deadline_ms":500,"max_tokens":12}]})");
  ASSERT_TRUE(create) << create.error().message;
  EXPECT_THAT(create->sources, ElementsAre("rtsp://camera/1", "name=press,kind=sensor,file=p.csv"));
  EXPECT_EQ(create->window, Milliseconds(30'000));
  ASSERT_THAT(create->questions, SizeIs(2));
  EXPECT_EQ(create->questions[0].every, Milliseconds(2'500));
  EXPECT_EQ(create->questions[0].webhook, "https://example.com/hook");
  EXPECT_EQ(create->questions[0].secret, "s");
  EXPECT_EQ(create->questions[1].on_event, "utterance");
  EXPECT_EQ(create->questions[1].deadline, Milliseconds(500));
  EXPECT_EQ(create->questions[1].max_tokens, 12);
}

TEST(SessionCreate, ResumesWithoutSources) {
  const auto create = parse_session_create(R"({"resume":{"id":"sess_1","token":"secret"}})");
  ASSERT_TRUE(create) << create.error().message;
  EXPECT_EQ(create->resume->id, "sess_1");
  EXPECT_EQ(create->resume->token, "secret");
  EXPECT_TRUE(create->sources.empty());
}

TEST(SessionCreate, IsRefusedByField) {
  const auto question = [](const std::string& fields) {
    return R"({"sources":["a"],"questions":[{)" + fields + "}]}";
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{}", "sources"},
      {R"({"source":["a"]})", "source"},
      {R"({"sources":["a"],"foo":null})", "foo"},
      {R"({"resume":{"id":"a","token":"b","key":"c"}})", "resume.key"},
      {R"({"resume":{"id":"a","token":"b"},"windows":5})", "windows"},
      {question(R"("ask":"x","every":1)"), "questions[0].every"},
      {question(R"("ask":"x","every_s":1,"web_hook":"http://a")"), "questions[0].web_hook"},
      {R"({"sources":"a"})", "sources"},
      {R"({"sources":[]})", "sources"},
      {R"({"sources":[5]})", "sources[0]"},
      {R"({"sources":["a",""]})", "sources[1]"},
      {R"({"sources":[")" + std::string(5'000, 'a') + R"("]})", "sources[0]"},
      {R"({"sources":["a"],"window_s":0})", "window_s"},
      {R"({"resume":5})", "resume"},
      {R"({"resume":{"id":"a"}})", "resume.token"},
      {R"({"resume":{"id":"a","token":"b"},"sources":["a"]})", "sources"},
      {R"({"sources":["a"],"questions":{}})", "questions"},
      {question(""), "questions[0].ask"},
      {question(R"("ask":"")"), "questions[0].ask"},
      {question(R"("ask":"x")"), "questions[0]"},
      {question(R"("ask":"x","every_s":1,"on_event":"e")"), "questions[0]"},
      {question(R"("ask":"x","every_s":0.01)"), "questions[0].every_s"},
      {question(R"("ask":"x","every_s":1,"webhook":"file:///etc/passwd")"), "questions[0].webhook"},
      {question(R"("ask":"x","every_s":1,"webhook":"http://a b")"), "questions[0].webhook"},
      {question(R"("ask":"x","every_s":1,"max_tokens":0)"), "questions[0].max_tokens"}};
  for (const auto& [body, param] : cases) {
    const auto create = parse_session_create(body);
    ASSERT_FALSE(create) << body;
    EXPECT_EQ(create.error().param, param) << body << create.error().message;
  }
}

TEST(SessionCreate, SaysWhatIsMeantOrMissing) {
  const auto told = [](const char* body) { return parse_session_create(body).error().message; };
  EXPECT_EQ(told(R"({"source":["a"]})"), "Unknown parameter: 'source'; did you mean 'sources'?");
  EXPECT_THAT(told("{}"), HasSubstr("List what the session watches"));
}

TEST(Sessions, AreShownAndListed) {
  SessionInfo session;
  session.id = "s-1";
  session.state = "running";
  session.sources = {{"cam", "media", "live", 20, 7}};
  session.perceived = 20;
  session.kept = 7;
  session.window_to = SessionTime(Milliseconds(4'000));
  session.window_chunks = 7;
  session.window_tokens = 460;
  session.created = 100;
  session.last_used = 160;
  session.bytes = 70'000;
  const std::string shown =
      R"({"id":"s-1","object":"session","state":"running","created":100,"last_used":160,"bytes":70000,)"
      R"("perceived":20,"kept":7,"window":{"from_us":0,"to_us":4000000,"chunks":7,"tokens":460},)"
      R"("sources":[{"name":"cam","kind":"media","state":"live","perceived":20,"kept":7}]})";
  EXPECT_EQ(print_session(session), shown);
  EXPECT_EQ(print_sessions({session, session}), R"({"object":"list","data":[)" + shown + "," + shown + "]}");
  session.unanswered = {{"What?", SessionTime(Milliseconds(2))}};
  EXPECT_NE(print_session(session).find(R"("unanswered":[{"question":"What?","asked_at_us":2000}])"),
            std::string::npos);
  EXPECT_EQ(print_session_deleted("s-1"), R"({"id":"s-1","object":"session.deleted","deleted":true})");
}

TEST(Webhooks, AreSignedByHmacSha256) {
  // RFC 4231, test case 2; the other from Python's hmac module.
  EXPECT_EQ(*webhook_signature("Jefe", "what do ya want for nothing?"),
            "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(*webhook_signature("s3cret", R"({"a":1})"),
            "sha256=5910e62016ef5034272c926c27071992a465c2335cecf41851bda071577f4f6d");
  EXPECT_TRUE(webhook_signature("", ""));
}

TEST(Webhooks, CarryTheAnswerAndWhichAttemptItIs) {
  WebhookEvent event;
  event.delivery_id = "d-1";
  event.attempt = 2;
  event.sent_at = 1'700'000'000;
  event.session = "s-1";
  event.question = "What?";
  event.answer = "A dog.";
  event.asked_at_us = 4'000'000;
  const auto post = print_webhook(event, "s3cret");
  ASSERT_TRUE(post);
  EXPECT_THAT(
      post->body,
      StartsWith(R"({"type":"answer","delivery":"d-1","attempt":2,"sent_at":1700000000,"session":"s-1",)"
                 R"("question":"What?","asked_at_us":4000000,"answer":"A dog.","finish":"stop",)"
                 R"("ttft_ms":null,"wall_ms":0,)"));
  EXPECT_THAT(post->headers,
              ElementsAre(Pair("Content-Type", "application/json"), Pair("X-Braid-Delivery", "d-1"),
                          Pair("X-Braid-Attempt", "2"),
                          Pair("X-Braid-Signature", *webhook_signature("s3cret", post->body))));
  EXPECT_THAT(print_webhook(event, "")->headers, SizeIs(3));
}

}  // namespace
}  // namespace braid::openai
