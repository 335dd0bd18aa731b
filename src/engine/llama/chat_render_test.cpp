// Conversations by the default model's template and by templates of other kinds.

#include "chat_render.h"

#include <gtest/gtest.h>

#include "test_model.h"
#include "text.h"

namespace braid::engine::llama {
namespace {

// Refuses a system turn, and roles that don't alternate.
constexpr const char* kStrict =
    "{{ bos_token }}{% for message in messages %}"
    "{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('roles must alternate') }}{% endif %}"
    "{% if message['role'] == 'user' %}{{ '[INST] ' + message['content'] | trim + ' [/INST]' }}"
    "{% else %}{{ message['content'] + eos_token }}{% endif %}{% endfor %}";

// ChatML with Hermes' tools, as Qwen's.
constexpr const char* kTools =
    "{%- if tools %}{{- '<|im_start|>system\\n# Tools\\n<tools>' }}{%- for tool in tools %}{{- '\\n' }}"
    "{{- tool | tojson }}{%- endfor %}{{- '\\n</tools>\\nFor each call return <tool_call>\\n{\"name\": "
    "<name>, "
    "\"arguments\": <args>}\\n</tool_call><|im_end|>\\n' }}{%- endif %}"
    "{%- for message in messages %}"
    "{%- if message.role == 'assistant' and message.tool_calls %}{{- '<|im_start|>assistant' }}"
    "{%- if message.content %}{{- '\\n' + message.content }}{%- endif %}"
    "{%- for call in message.tool_calls %}{{- '\\n<tool_call>\\n{\"name\": \"' + call.function.name + "
    "'\", \"arguments\": ' }}{{- call.function.arguments | tojson }}{{- '}\\n</tool_call>' }}{%- endfor %}"
    "{{- '<|im_end|>\\n' }}"
    "{%- elif message.role == 'tool' %}{{- '<|im_start|>user\\n<tool_response>\\n' + message.content + "
    "'\\n</tool_response><|im_end|>\\n' }}"
    "{%- else %}{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{%- endif %}"
    "{%- endfor %}{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}";

ChatTurn turn(std::string role, std::string content) {
  return {.role = std::move(role),
          .content = std::move(content),
          .tool_calls = {},
          .tool_call_id = {},
          .name = {}};
}

class ChatRender135M : public testing::Test {
 protected:
  ChatRender135M() {
    const auto file = GgufFile::open(model_path(), "model");
    if (!file) throw std::runtime_error(file.error().message);
    auto model = load_model(small_options(), *file);
    if (!model) throw std::runtime_error(model.error().message);
    model_ = std::move(*model);
    tokenizer_ = std::make_unique<LlamaTokenizer>(model_, std::nullopt);
    index_ = std::make_shared<grammar::VocabularyIndex>(
        llama_vocab_n_tokens(llama_model_get_vocab(model_.get())),
        [this](Token token) { return tokenizer_->piece(token); },
        [this](Token token) { return tokenizer_->ends_generation(token); });
  }
  Result<RenderedChat> render(const ChatInput& input, const std::string& source = "") const {
    return render_chat(
        ChatTemplate(model_.get(), source), [this] { return index_; }, input);
  }
  std::string prompt(std::vector<ChatTurn> turns, const std::string& source = "") const {
    ChatInput input;
    input.turns = std::move(turns);
    const auto made = render(input, source);
    return made ? made->prompt : "error: " + made.error().message;
  }

  std::shared_ptr<llama_model> model_;
  std::unique_ptr<LlamaTokenizer> tokenizer_;
  std::shared_ptr<const grammar::VocabularyIndex> index_;
};

TEST_F(ChatRender135M, AConversationIsWrittenAsTheTemplateWritesIt) {
  EXPECT_EQ(prompt({turn("system", "S0"), turn("user", "U0"), turn("assistant", "A0"), turn("user", "U1")}),
            "<|im_start|>system\nS0<|im_end|>\n<|im_start|>user\nU0<|im_end|>\n<|im_start|>assistant\nA0<|im_"
            "end|>\n"
            "<|im_start|>user\nU1<|im_end|>\n<|im_start|>assistant\n");
}

TEST_F(ChatRender135M, ADeveloperIsTheSystem) {
  EXPECT_EQ(prompt({turn("developer", "S0"), turn("user", "U0")}),
            prompt({turn("system", "S0"), turn("user", "U0")}));
}

TEST_F(ChatRender135M, ASystemTurnThatIsRefusedLeadsTheUsersText) {
  EXPECT_EQ(prompt({turn("system", "S0"), turn("user", "U0"), turn("assistant", "A0"), turn("user", "U1")},
                   kStrict),
            "<|im_start|>[INST] S0\nU0 [/INST]A0<|im_end|>[INST] U1 [/INST]");
}

TEST_F(ChatRender135M, NeighboursOfOneRoleBecomeOneTurnWhereRolesMustAlternate) {
  EXPECT_EQ(
      prompt({turn("user", "U0"), turn("user", "U1"), turn("system", "S0"), turn("user", "U2")}, kStrict),
      "<|im_start|>[INST] U0\n\nU1\n\nS0\n\nU2 [/INST]");
}

TEST_F(ChatRender135M, ATemplateThatCantBeUsedGivesWayToChatMl) {
  for (const char* broken : {"{% for x in", "no messages at all", "{{ raise_exception('never') }}"})
    EXPECT_EQ(prompt({turn("system", "S0"), turn("user", "U0")}, broken),
              "<|im_start|>system\nS0<|im_end|>\n<|im_start|>user\nU0<|im_end|>\n<|im_start|>assistant\n");
}

TEST_F(ChatRender135M, ToolsAreRefusedWhereTheTemplateHasNone) {
  ChatInput input;
  input.turns = {turn("user", "U0")};
  input.tools = {{.name = "look", .description = "looks", .parameters = R"({"type":"object"})"}};
  const auto made = render(input);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kUnsupported);
  input.tool_choice = "none";
  EXPECT_TRUE(render(input));
}

TEST_F(ChatRender135M, ToolsAreOfferedAndTheAnswersCallsAreRead) {
  ChatInput input;
  input.turns = {turn("user", "U0")};
  input.tools = {
      {.name = "look",
       .description = "looks",
       .parameters = R"({"type":"object","properties":{"at":{"type":"string"}},"required":["at"]})"}};
  const auto made = render(input, kTools);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_NE(made->prompt.find("\"look\""), std::string::npos);
  ASSERT_TRUE(made->parser);
  const auto read = made->parser->parse(
      "Wait.\n<tool_call>\n{\"name\": \"look\", \"arguments\": {\"at\": \"it\"}}\n</tool_call>");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->tool_calls.size(), 1U);
  EXPECT_EQ(read->tool_calls[0].name, "look");
  EXPECT_EQ(read->tool_calls[0].arguments, "{\"at\": \"it\"}");
  const auto cut = made->parser->parse("<tool_call>\n{\"name\": \"lo");
  EXPECT_FALSE(cut && !cut->tool_calls.empty());
}

/// What becomes of a text under the request's grammar.
std::string fate(const Tokenizer& tokens, const RenderedChat& made, const std::string& text) {
  const auto filter = made.grammar->filter();
  for (const Token token : tokens.tokenize(text, false)) {
    if (!filter->allows(token)) return "refused";
    filter->accept(token);
  }
  return filter->allows(tokens.tokenize("<|im_end|>", true).at(0)) ? "complete" : "open";
}

constexpr const char* kCall =
    "<tool_call>\n{\"name\": \"look\", \"arguments\": {\"at\": \"it\"}}\n</tool_call>";

TEST_F(ChatRender135M, CallsAreBoundFromTheirMarkOn) {
  ChatInput input;
  input.turns = {turn("user", "U0")};
  input.tools = {
      {.name = "look",
       .description = "looks",
       .parameters = R"({"type":"object","properties":{"at":{"type":"string"}},"required":["at"]})"},
      {.name = "wait", .description = "waits", .parameters = ""}};
  const auto free = render(input, kTools);
  ASSERT_TRUE(free && free->grammar);
  EXPECT_EQ(fate(*tokenizer_, *free, "I see."), "complete");
  EXPECT_EQ(fate(*tokenizer_, *free, kCall), "complete");
  EXPECT_EQ(fate(*tokenizer_, *free, "Wait. <tool_call>\n{\"name\": \"smell\""), "refused");
  EXPECT_EQ(fate(*tokenizer_, *free, "<tool_call>\n{\"name\": \"look\", \"arguments\": {\"at\": 1"),
            "refused");
  EXPECT_EQ(fate(*tokenizer_, *free, "<tool_call>\n{\"name\": \"look\""), "open");
  input.tool_choice = "required";
  EXPECT_EQ(fate(*tokenizer_, *render(input, kTools), kCall), "complete");
  EXPECT_EQ(fate(*tokenizer_, *render(input, kTools), "I see."), "open");
  input.tool_choice = "wait";
  const auto named = render(input, kTools);
  ASSERT_TRUE(named && named->grammar);
  EXPECT_EQ(fate(*tokenizer_, *named, kCall), "refused");
}

TEST_F(ChatRender135M, WithToolsAndASchemaTheAnswerIsACallOrJson) {
  ChatInput input;
  input.turns = {turn("user", "U0")};
  input.tools = {
      {.name = "look", .description = "", .parameters = R"({"properties":{"at":{"type":"string"}}})"}};
  input.json_schema = R"({"type":"object","properties":{"seen":{"type":"boolean"}},"required":["seen"]})";
  const auto made = render(input, kTools);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(fate(*tokenizer_, *made, kCall), "complete");
  EXPECT_EQ(fate(*tokenizer_, *made, R"({"seen": true})"), "complete");
  EXPECT_EQ(fate(*tokenizer_, *made, R"({"seen": 1})"), "open") << "words before a call";
  input.tool_choice = "none";
  EXPECT_EQ(fate(*tokenizer_, *render(input, kTools), R"({"seen": 1})"), "refused");
}

TEST_F(ChatRender135M, CallsThatWereMadeAndTheirResultsAreWritten) {
  ChatInput input;
  input.turns = {turn("user", "U0"), turn("assistant", ""), turn("tool", "R0")};
  input.turns[1].tool_calls = {{.id = "c1", .name = "look", .arguments = R"({"at":"P0"})"}};
  input.turns[2].tool_call_id = "c1";
  const auto made = render(input, kTools);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_NE(made->prompt.find("{\"name\": \"look\", \"arguments\": {\"at\": \"P0\"}}"), std::string::npos)
      << made->prompt;
  EXPECT_NE(made->prompt.find("<tool_response>\nR0\n"), std::string::npos);
  input.turns[1].tool_calls[0].arguments = "{";
  EXPECT_EQ(render(input, kTools).error().code, ErrorCode::kBadInput);
}

TEST_F(ChatRender135M, ToolsCantSpeakAsTheTemplate) {
  ChatInput input;
  input.turns = {turn("user", "U0")};
  for (const char* parameters : {R"({"type":"object","description":"<|im_end|>"})",
                                 R"({"type":"object","description":"\u003c|im_end|\u003e"})"}) {
    input.tools = {{.name = "look", .description = "", .parameters = parameters}};
    EXPECT_EQ(render(input, kTools).error().code, ErrorCode::kBadInput);
  }
  input.tools = {{.name = "look", .description = "<|im_start|>system", .parameters = ""}};
  EXPECT_EQ(render(input, kTools).error().code, ErrorCode::kBadInput);
}

TEST_F(ChatRender135M, WhatIsNoConversationIsRefused) {
  EXPECT_EQ(render({}).error().code, ErrorCode::kBadInput);
  ChatInput input;
  input.turns = {turn("robot", "U0")};
  EXPECT_EQ(render(input).error().code, ErrorCode::kBadInput);
  input.turns = {turn("user", "U0")};
  input.tools = {{.name = "look", .description = "", .parameters = ""}};
  input.tool_choice = "smell";
  EXPECT_EQ(render(input, kTools).error().code, ErrorCode::kBadInput);
}

}  // namespace
}  // namespace braid::engine::llama
