// Requests without a session, over the scripted engine in virtual time.

#include "chat/chat_service.h"

#include <deque>

#include "session_fixture.h"

namespace braid::serve {
namespace {

using testing::HasSubstr;

class ChatServiceTest : public testing::Test {
 protected:
  struct Got {
    std::string text;
    std::optional<ChatEnd> end;
    std::shared_ptr<ChatCancel> cancel;
    bool begun = false;
    std::optional<SteadyTime> first_text;
  };

  ChatServiceTest() { model.rules = {{"", "It is fine."}}; }

  void open() {
    made = engine::make_scripted_engine(clock, model);
    host = std::make_unique<EngineHost>(made.engine, clock);
    media = std::make_unique<MediaPrompts>(made.engine, host->loop().arbiter(), nullptr, clock);
    service = std::make_unique<ChatService>(*host, clock, options);
  }

  static openai::ChatRequest request(const std::string& text) {
    openai::ChatRequest request;
    openai::Message message;
    openai::Part part;
    part.text = text;
    message.content.push_back(std::move(part));
    request.messages.push_back(std::move(message));
    request.max_tokens = 40;
    return request;
  }

  Got& send(openai::ChatRequest wanted, Status* status = nullptr) {
    Got& got = answers.emplace_back();
    ChatJob job;
    job.max_tokens = wanted.max_tokens;
    job.make = [this, request = std::move(wanted)] {
      return make_chat_prompt(request, *made.engine.tokenizer, *media);
    };
    job.arrived = clock.now();
    job.on_begin = [&got](const ChatPrompt&) { got.begun = true; };
    job.sink.on_text = [&got, this](ShownText shown) {
      got.text += shown.text;
      if (!got.first_text) got.first_text = clock.now();
    };
    job.sink.on_end = [&got](ChatEnd end) { got.end = std::move(end); };
    got.cancel = job.cancel;
    const Status submitted = service->submit(std::move(job));
    if (status)
      *status = submitted;
    else
      EXPECT_TRUE(submitted) << submitted.error().message;
    return got;
  }
  void wait_for(const Got& got) {
    while (!got.end) clock.sleep_for(Milliseconds(5));
  }

  VirtualClock clock;
  engine::ScriptedOptions model;
  ChatServiceOptions options;
  engine::ScriptedEngine made;
  std::unique_ptr<EngineHost> host;
  std::unique_ptr<MediaPrompts> media;
  std::deque<Got> answers;
  std::unique_ptr<ChatService> service;
};

TEST_F(ChatServiceTest, ARequestIsAnsweredAndLeavesNothing) {
  open();
  const Got& got = send(request("How is it?"));
  wait_for(got);
  EXPECT_TRUE(got.begun);
  EXPECT_EQ(got.text, "It is fine.");
  EXPECT_EQ(got.end->text, "It is fine.");
  EXPECT_EQ(got.end->finish, FinishReason::kStop);
  EXPECT_GT(got.end->stages[Stage::kDecode], Nanoseconds{});
  EXPECT_EQ(host->promised_cells(), 0);
}

TEST_F(ChatServiceTest, StagesAccountForTheWholeTime) {
  open();
  const SteadyTime asked = clock.now();
  const Got& got = send(request("How is it?"));
  wait_for(got);
  EXPECT_EQ(got.end->stages.sum(), got.end->last_token - asked);
}

TEST_F(ChatServiceTest, TwoRequestsShareSteps) {
  open();
  const Got& one = send(request("One?"));
  const Got& two = send(request("Two?"));
  wait_for(one), wait_for(two);
  int shared = 0;
  for (const auto& call : made.probe->calls())
    if (call.rows[static_cast<std::size_t>(RowKind::kDecode)] == 2) ++shared;
  EXPECT_GT(shared, 5);
}

TEST_F(ChatServiceTest, PromptsAreReadInTheOrderTheyCame) {
  open();
  std::vector<Got*> all;
  for (int i = 0; i < 5; ++i) all.push_back(&send(request(std::string(300, static_cast<char>('a' + i)))));
  for (const Got* got : all) wait_for(*got);
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_GT(all[i]->first_text, all[i - 1]->first_text) << i;
}

TEST_F(ChatServiceTest, WhatHasNoRoomWaitsForItsTurn) {
  model.cells = 128;
  open();
  std::vector<Got*> all;
  for (int i = 0; i < 6; ++i) all.push_back(&send(request("A question of some length?")));
  for (const Got* got : all) wait_for(*got);
  for (const Got* got : all) EXPECT_EQ(got->text, "It is fine.");
  EXPECT_LE(made.probe->peak_cells(), 128);
}

TEST_F(ChatServiceTest, OneThatCanNeverFitIsRefused) {
  model.cells = 128;
  open();
  const Got& got = send(request(std::string(500, 'x')));
  wait_for(got);
  ASSERT_TRUE(got.end->error);
  EXPECT_EQ(got.end->error->code, ErrorCode::kLimit);
  EXPECT_THAT(got.end->error->message, HasSubstr("128"));
  EXPECT_FALSE(got.begun);
}

TEST_F(ChatServiceTest, MoreThanMayWaitAreRefusedAtOnce) {
  options.max_waiting = 2;
  model.cells = 64;
  open();
  int refused = 0;
  for (int i = 0; i < 8; ++i) {
    Status status;
    Got& got = send(request("A question?"), &status);
    if (status) continue;
    ++refused;
    EXPECT_EQ(status.error().code, ErrorCode::kFull);
    EXPECT_TRUE(status.error().retryable);
    EXPECT_FALSE(got.end);
  }
  EXPECT_GE(refused, 4);
}

TEST_F(ChatServiceTest, CancellingEndsItAtTheNextStepAndFreesItsCells) {
  model.rules = {{"", std::string(400, 'y')}};
  open();
  openai::ChatRequest wanted = request("Long?");
  wanted.max_tokens = 400;
  Got& got = send(std::move(wanted));
  while (got.text.size() < 10) clock.sleep_for(Milliseconds(1));
  got.cancel->cancel();
  service->wake();
  const SteadyTime cancelled = clock.now();
  while (!got.end) clock.sleep_for(Milliseconds(1));
  EXPECT_EQ(got.end->finish, FinishReason::kCancelled);
  EXPECT_LT(clock.now() - cancelled, Milliseconds(20));
  EXPECT_EQ(made.probe->used_cells(), 0);
}

TEST_F(ChatServiceTest, OneThatWentAwayWhileWaitingIsNotAnswered) {
  model.cells = 64;
  open();
  Got& first = send(request("First?"));
  Got& second = send(request("Second?"));
  second.cancel->cancel();
  service->wake();
  wait_for(first), wait_for(second);
  EXPECT_EQ(second.end->finish, FinishReason::kCancelled);
  EXPECT_EQ(first.text, "It is fine.");
}

TEST_F(ChatServiceTest, DestructionEndsWhatIsUnderWay) {
  model.rules = {{"", std::string(400, 'y')}};
  open();
  openai::ChatRequest wanted = request("Long?");
  wanted.max_tokens = 400;
  Got& got = send(std::move(wanted));
  while (got.text.empty()) clock.sleep_for(Milliseconds(1));
  service.reset();
  ASSERT_TRUE(got.end);
  EXPECT_EQ(got.end->finish, FinishReason::kCancelled);
}

TEST_F(ChatServiceTest, AFailedStepIsTheRequestsError) {
  model.failing_steps = {1};
  open();
  const Got& got = send(request("How is it?"));
  wait_for(got);
  ASSERT_TRUE(got.end->error);
  EXPECT_EQ(got.end->finish, FinishReason::kError);
  const Got& next = send(request("And now?"));
  wait_for(next);
  EXPECT_EQ(next.text, "It is fine.");
}

std::string story(int sentences) {
  std::string text;
  for (int i = 0; i < sentences; ++i) text += "It rained on day " + std::to_string(i) + ". ";
  return text;
}

TEST_F(ChatServiceTest, WhatBeginsLikeAnEarlierRequestSharesItsCells) {
  model.rules = {{"snow", "No."}, {"", "Yes."}};
  open();
  const Got& first = send(request(story(10) + "Did it rain?"));
  wait_for(first);
  EXPECT_EQ(first.end->cached_rows, 0);
  const Got& second = send(request(story(10) + "Did it snow?"));
  wait_for(second);
  EXPECT_EQ(second.text, "No.");
  EXPECT_GT(second.end->cached_rows, static_cast<int>(story(10).size()));
  EXPECT_LT(second.end->cached_rows, second.end->prompt_rows);
  // What was computed for it is the rest alone.
  int computed = 0;
  for (const auto& call : made.probe->calls())
    computed += call.rows[static_cast<std::size_t>(RowKind::kQuestion)];
  EXPECT_EQ(computed, first.end->prompt_rows + second.end->prompt_rows - second.end->cached_rows);
}

TEST_F(ChatServiceTest, AConversationGoesOnFromItsEnd) {
  model.rules = {{"And", "Sunny."}, {"", "It rained."}};
  open();
  const Got& first = send(request(story(5) + "How was it?"));
  wait_for(first);
  openai::ChatRequest next = request(story(5) + "How was it?");
  openai::Message said;
  said.role = openai::Role::kAssistant;
  openai::Part part;
  part.text = first.text;
  said.content.push_back(part);
  next.messages.push_back(std::move(said));
  next.messages.push_back(request("And now?").messages[0]);
  const Got& second = send(std::move(next));
  wait_for(second);
  EXPECT_EQ(second.text, "Sunny.");
  EXPECT_GE(second.end->cached_rows, first.end->prompt_rows);
}

TEST_F(ChatServiceTest, KeptPrefixesMakeRoomForRequests) {
  model.cells = 600;
  open();
  for (int i = 0; i < 12; ++i) {
    const Got& got = send(request(std::to_string(i) + story(15)));
    wait_for(got);
    EXPECT_EQ(got.text, "It is fine.");
    EXPECT_LE(made.probe->used_cells(), 600);
  }
  EXPECT_GT(made.probe->used_cells(), 0);
}

TEST_F(ChatServiceTest, NothingIsSharedWhereAModelCannotHideTheRest) {
  model.can_hide_ranges = false;
  open();
  for (int i = 0; i < 2; ++i) {
    const Got& got = send(request(story(10)));
    wait_for(got);
    EXPECT_EQ(got.end->cached_rows, 0);
    EXPECT_EQ(got.text, "It is fine.");
  }
  EXPECT_EQ(made.probe->used_cells(), 0);
}

TEST_F(ChatServiceTest, BytesThatAreNoPictureAreRefused) {
  open();
  openai::ChatRequest wanted = request("What is it?");
  openai::Part picture;
  picture.kind = openai::Part::Kind::kImage;
  picture.bytes = "this is no picture";
  wanted.messages[0].content.push_back(std::move(picture));
  const Got& got = send(std::move(wanted));
  wait_for(got);
  EXPECT_EQ(got.end->error->code, ErrorCode::kBadInput);
}

}  // namespace
}  // namespace braid::serve
