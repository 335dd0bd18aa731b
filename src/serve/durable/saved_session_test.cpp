#include "durable/saved_session.h"

#include <gtest/gtest.h>

namespace braid::serve {
namespace {

SessionTime at(int ms) { return SessionTime(Milliseconds(ms)); }

TEST(SavedSession, AllOfItComesBack) {
  SavedSession session;
  session.id = "sess_1";
  session.owner = "line-7";
  session.token_hash = "ab";
  session.model = "m";
  session.kind = SessionKind::kClient;
  session.sources = {"rtsp://camera.example/1", "name=a,file=\"b\".csv"};
  session.window = Milliseconds(7500);
  session.created = 17;
  session.conversation = R"({"a":"ä\n"})";
  session.now = at(12'345);
  session.evicted = 4;
  session.perceived = 9;
  session.kept = 7;
  session.next_question = 9;
  session.next_run = 3;
  session.timeline.push_back({true,
                              5,
                              Modality::kVision,
                              1,
                              at(1),
                              at(2),
                              Milliseconds(3),
                              {TokenRun{1, 2}, SavedRun{7, 1ULL << 40}}});
  session.timeline.push_back({false, 0, Modality::kText, 0, at(3), at(4), {}, {TokenRun{}}});
  session.unanswered.push_back({"What now?", at(9)});
  openai::StandingQuestion standing;
  standing.ask = "Is the guard open?";
  standing.every = Milliseconds(1500);
  standing.webhook = "https://hook.example/x";
  standing.secret = "hush";
  standing.deadline = Milliseconds(800);
  standing.max_tokens = 12;
  session.standing.push_back(standing);
  session.standing.push_back({"What was said?", {}, "utterance", {}, {}, {}, {}});
  const std::string json = print_saved_session(session);
  const auto back = parse_saved_session(json);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(print_saved_session(*back), json);
  EXPECT_EQ(back->kind, SessionKind::kClient);
  EXPECT_EQ(back->window, session.window);
  EXPECT_EQ(back->now, at(12'345));
  EXPECT_EQ(back->perceived, 9U);
  EXPECT_EQ(back->kept, 7U);
  ASSERT_EQ(back->timeline.size(), 2U);
  EXPECT_EQ(back->timeline[0].modality, Modality::kVision);
  EXPECT_EQ(back->timeline[0].error_bound, Milliseconds(3));
  EXPECT_EQ(std::get<SavedRun>(back->timeline[0].pieces[1]).offset, 1ULL << 40);
  EXPECT_FALSE(back->timeline[1].is_chunk);
  EXPECT_EQ(back->unanswered[0].question, "What now?");
  EXPECT_EQ(back->standing[0].secret, "hush");
  EXPECT_EQ(back->standing[1].on_event, "utterance");
}

// What docs/durability.md promises of later versions.
TEST(SavedSession, WhatIsNotKnownIsPassedOverAndWhatIsNotThereHasItsDefault) {
  const auto back = parse_saved_session(R"({"id":"s","mood":{"x":[1]},"timeline":[{"colour":"red"}]})");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->id, "s");
  EXPECT_EQ(back->timeline.size(), 1U);
  EXPECT_FALSE(back->window);
}

TEST(SavedSession, WhatIsNotSoIsRefusedByItsName) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"id":5})", "'id'"},
      {R"({"now_ns":"x"})", "'now_ns'"},
      {R"({"now_ns":9223372036854775807})", "'now_ns'"},
      {R"({"evicted":-1})", "'evicted'"},
      {R"({"sources":[1]})", "'sources'"},
      {R"({"timeline":{}})", "'timeline'"},
      {R"({"timeline":[1]})", "'timeline'"},
      {R"({"timeline":[{"pieces":[[1.5]]}]})", "'pieces'"},
      {R"({"timeline":[{"pieces":[[99999999999]]}]})", "'pieces'"},
      {R"({"timeline":[{"pieces":[7]}]})", "'pieces'"},
      {R"({"unanswered":["x"]})", "'unanswered'"},
      {R"({"standing":[5]})", "'standing'"},
      {R"({"standing":[{"every_ns":0}]})", "'every_ns'"},
      {"[]", "no JSON object"},
      {"{", "no JSON object"},
      {std::string(1000, '['), "no JSON object"}};
  for (const auto& [json, why] : cases) {
    const auto back = parse_saved_session(json);
    ASSERT_FALSE(back) << json;
    EXPECT_EQ(back.error().code, ErrorCode::kBadInput);
    EXPECT_NE(back.error().message.find(why), std::string::npos) << json << back.error().message;
  }
}

}  // namespace
}  // namespace braid::serve
