// Conversations with the scripted engine.

#include <gtest/gtest.h>

#include <algorithm>

#include "braid/base/virtual_clock.h"
#include "braid/engine/scripted_engine.h"

namespace braid::engine {
namespace {

ChatInput conversation(std::vector<std::pair<std::string, std::string>> turns) {
  ChatInput input;
  for (auto& [role, content] : turns) {
    ChatTurn& turn = input.turns.emplace_back();
    turn.role = std::move(role);
    turn.content = std::move(content);
  }
  return input;
}

ScriptedEngine engine_with(Clock& clock, std::vector<AnswerRule> rules) {
  ScriptedOptions options;
  options.rules = std::move(rules);
  return make_scripted_engine(clock, options);
}

std::string answer(const Engine& engine, const std::string& prompt) {
  TokenRun tokens = engine.tokenizer->tokenize(prompt, true);
  std::string text;
  Position at = 0;
  for (int i = 0; i < 200; ++i) {
    StepPlan plan;
    for (const Token token : tokens) {
      plan.rows.push_back({.sequence = SequenceId{0}, .position = at, .y = at, .x = at, .token = token});
      ++at;
    }
    plan.rows.back().wants_logits = true;
    const auto result = engine.decoder->step(plan);
    if (!result) return result.error().message;
    const auto& logits = result->logits.at(0);
    const auto token = static_cast<Token>(std::max_element(logits.begin(), logits.end()) - logits.begin());
    if (engine.tokenizer->ends_generation(token)) break;
    text += engine.tokenizer->piece(token);
    tokens = {token};
  }
  return text;
}

TEST(ScriptedChat, AnswersTheLastQuestionAndRemembersWhatItSaid) {
  VirtualClock clock;
  const auto made = engine_with(clock, {{"again", "I said: {said}"}, {"", "hello"}});
  const auto once = made.engine.tokenizer->render(conversation({{"system", "Be brief."}, {"user", "Hi"}}));
  ASSERT_TRUE(once);
  EXPECT_EQ(once->prompt, "<|begin|>Be brief.\n<|user|>Hi<|end|><|answer|>");
  EXPECT_FALSE(once->parser);
  EXPECT_EQ(answer(made.engine, once->prompt), "hello");
  made.engine.decoder->free(SequenceId{0});
  const auto twice = made.engine.tokenizer->render(
      conversation({{"user", "Hi"}, {"assistant", "hello"}, {"user", "once again"}}));
  EXPECT_EQ(answer(made.engine, twice->prompt), "I said: hello");
}

TEST(ScriptedChat, CallsAreReadFromTheDeclaredAnswer) {
  VirtualClock clock;
  const auto made = engine_with(clock, {{"", "So: <call look>{\"at\": 1}</call><call go></call>."}});
  ChatInput input = conversation({{"user", "Hi"}});
  input.tools.resize(1);
  input.tools[0].name = "look";
  const auto rendered = made.engine.tokenizer->render(input);
  ASSERT_TRUE(rendered && rendered->parser);
  const auto read = rendered->parser->parse(answer(made.engine, rendered->prompt));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->content, "So: .");
  ASSERT_EQ(read->tool_calls.size(), 2U);
  EXPECT_EQ(read->tool_calls[0].name, "look");
  EXPECT_EQ(read->tool_calls[0].arguments, "{\"at\": 1}");
  for (const char* cut : {"<call look", "<call look>{", "<call look></call", "</call><call "})
    EXPECT_EQ(rendered->parser->parse(cut).error().code, ErrorCode::kBadInput) << cut;
  input.tool_choice = "none";
  EXPECT_FALSE(made.engine.tokenizer->render(input)->parser);
}

TEST(ScriptedChat, RefusesNoConversation) {
  VirtualClock clock;
  const auto made = engine_with(clock, {});
  EXPECT_EQ(made.engine.tokenizer->render({}).error().code, ErrorCode::kBadInput);
}

}  // namespace
}  // namespace braid::engine
