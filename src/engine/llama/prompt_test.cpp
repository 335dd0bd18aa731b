// models/nano/PROMPT.md: pieces that are tokenised apart give the tokens of the training text.

#include <gtest/gtest.h>

#include "test_model.h"
#include "text.h"

namespace braid::engine::llama {
namespace {

constexpr const char* kSystem = "You are a helpful AI assistant named SmolLM, trained by Hugging Face";

class Prompt135M : public testing::Test {
 protected:
  Prompt135M() : engine_(load(small_options())), tokens_(*engine_.tokenizer) {}

  TokenRun whole(const std::string& text) const { return tokens_.tokenize(text, true); }
  TokenRun apart(const std::vector<std::string>& texts) const {
    TokenRun all;
    for (const std::string& text : texts) {
      const bool control = text == tokens_.chat().begin || text == tokens_.chat().end_of_question ||
                           text == tokens_.chat().next_turn;
      const TokenRun run = tokens_.tokenize(text, control);
      all.insert(all.end(), run.begin(), run.end());
    }
    return all;
  }

  Engine engine_;
  const Tokenizer& tokens_;
};

TEST_F(Prompt135M, TheTemplateIsCutIntoTheTrainingText) {
  const ChatFormat& chat = tokens_.chat();
  EXPECT_EQ(chat.begin, std::string("<|im_start|>system\n") + kSystem + "<|im_end|>\n<|im_start|>user\n");
  EXPECT_EQ(chat.end_of_question, "<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_EQ(chat.next_turn, "<|im_end|>\n<|im_start|>user\n");
  EXPECT_TRUE(chat.stops.empty());
}

TEST_F(Prompt135M, StampsSeparatorsAndQuestionsTokeniseAloneAsTheyDoTogether) {
  const ChatFormat& chat = tokens_.chat();
  EXPECT_EQ(apart({chat.begin, "[0.0s]"}), whole(chat.begin + "[0.0s]"));
  for (const std::string stamp : {"[2.0s]", "[12.4s]", "[301.9s]", "[2.1-4.0s]", "[12.0-13.6s]"})
    EXPECT_EQ(apart({"\n", stamp}), whole("\n" + stamp)) << stamp;
  for (const std::string question : {"What do you see?", "When did the umbrella appear?",
                                     "What was there at 2.0s?", "where is it", "Is there a dog"})
    EXPECT_EQ(apart({"\n", question, chat.end_of_question}), whole("\n" + question + chat.end_of_question))
        << question;
}

TEST_F(Prompt135M, AnAnsweredTurnAndTheNextTokeniseAsInTraining) {
  const ChatFormat& chat = tokens_.chat();
  EXPECT_EQ(apart({"I see a dog and a pizza.", chat.next_turn, "Where is the dog?", chat.end_of_question}),
            whole("I see a dog and a pizza.<|im_end|>\n<|im_start|>user\nWhere is the dog?<|im_end|>\n"
                  "<|im_start|>assistant\n"));
}

TEST_F(Prompt135M, SoundStandsBetweenItsPlainTextMarksAndPicturesHaveNone) {
  const Frame frame = plain_picture(64, 48);
  Utterance utterance;
  utterance.samples.resize(16000);
  const Medium media[] = {&frame, &utterance};
  const auto encoded = engine_.encoder->encode(media);
  ASSERT_TRUE(encoded) << encoded.error().message;
  ASSERT_EQ((*encoded)[0].pieces.size(), 1U);
  EXPECT_EQ((*encoded)[0].rows(), 16);
  ASSERT_EQ((*encoded)[1].pieces.size(), 3U);
  EXPECT_EQ(std::get<TokenRun>((*encoded)[1].pieces[0]), tokens_.tokenize("<|audio_comp_start|>", false));
  EXPECT_EQ(std::get<TokenRun>((*encoded)[1].pieces[2]), tokens_.tokenize("<|audio_comp_end|>", false));
  EXPECT_EQ((*encoded)[1].rows(), 18 + 13);  // 100 mel frames, 8 to a row
}

TEST_F(Prompt135M, OutsideTextCantSpeakAsTheTemplate) {
  const TokenRun run = tokens_.tokenize("<|im_end|>", false);
  EXPECT_GT(run.size(), 1U);
  for (const Token token : run) EXPECT_FALSE(tokens_.ends_generation(token));
  ASSERT_EQ(tokens_.tokenize("<|im_end|>", true).size(), 1U);
  const Token end = tokens_.tokenize("<|im_end|>", true)[0];
  EXPECT_TRUE(tokens_.ends_generation(end));
  EXPECT_EQ(tokens_.piece(end), "");
}

TEST_F(Prompt135M, PiecesOfTokensJoinToTheTextAndStrangeIdsToNothing) {
  const std::string text = "Grüße, \xE2\x9C\x93 at 12.4 s\n  two  spaces";
  std::string joined;
  for (const Token token : tokens_.tokenize(text, false)) joined += tokens_.piece(token);
  EXPECT_EQ(joined, text);
  for (const Token token : {-1, 49152, 1 << 30}) {
    EXPECT_EQ(tokens_.piece(token), "");
    EXPECT_FALSE(tokens_.ends_generation(token));
  }
}

TEST_F(Prompt135M, ALongTextTokenisesAsItsWordsDoAndNeedsNoStack) {
  std::string text;
  TokenRun expected;
  for (int i = 0; i < 5000; ++i) {
    const std::string word = (i ? " word" : "word") + std::to_string(i % 7);
    text += word;
    const TokenRun run = tokens_.tokenize(word, false);
    expected.insert(expected.end(), run.begin(), run.end());
  }
  EXPECT_EQ(tokens_.tokenize(text, false), expected);
  EXPECT_FALSE(tokens_.tokenize(std::string(40000, 'a'), false).empty());
  EXPECT_FALSE(tokens_.tokenize(std::string(40000, '\xff'), false).empty());
}

TEST_F(Prompt135M, ASystemTextTakesTheTemplatesPlace) {
  const auto file = GgufFile::open(model_path(), "model");
  const auto model = load_model(small_options(), *file);
  ASSERT_TRUE(model);
  EXPECT_EQ(make_chat_format(ChatTemplate(model->get()), "Be brief.").begin,
            "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n");
}

}  // namespace
}  // namespace braid::engine::llama
