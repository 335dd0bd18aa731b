#include "config/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace braid::serve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(std::string_view text) {
  const auto config = parse_config(text, "braid.toml");
  return config ? "accepted" : config.error().message;
}

TEST(Config, WhatIsNotNamedKeepsItsDefault) {
  const auto config = parse_config("[server]\nport = 9000\n", "braid.toml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->port, 9000);
  EXPECT_EQ(config->address, ServerConfig().address);
  EXPECT_EQ(config->session.window.max_rows, ServerConfig().session.window.max_rows);
}

TEST(Config, AllThatIsSetIsPrintedAndReadBack) {
  ServerConfig config;
  config.port = 8443;
  config.cors_origins = {"https://a.example", "https://b.example"};
  config.model.system = "Say \"yes\"\nor \\no\\.";
  config.session.window.max_age = Milliseconds(90'500);
  config.session.sync.speech_threshold = 0.1F;
  config.limits.body_bytes = 12345;
  config.sources = {"name=press,kind=sensor,file=a, b.csv", "clip.mp4"};
  config.questions.push_back({"What now?",
                              Milliseconds(2500),
                              "",
                              "https://hook.example/x",
                              {"", "HOOK_SECRET"},
                              Milliseconds(300),
                              12});
  config.questions.push_back({"Who spoke?", std::nullopt, "utterance", "", {}, std::nullopt, std::nullopt});
  const std::string printed = print_config(config);
  const auto read = parse_config(printed, "printed");
  ASSERT_TRUE(read) << read.error().message << "\n" << printed;
  EXPECT_EQ(print_config(*read), printed);
  EXPECT_EQ(read->model.system, config.model.system);
  EXPECT_EQ(read->session.window.max_age, config.session.window.max_age);
  EXPECT_EQ(read->session.sync.speech_threshold, config.session.sync.speech_threshold);
  EXPECT_EQ(read->sources, config.sources);
  EXPECT_EQ(read->questions[0].every, config.questions[0].every);
  EXPECT_EQ(read->questions[1].on_event, "utterance");
}

TEST(Config, TheDefaultsAreValid) {
  const auto read = parse_config(print_config({}), "printed");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(print_config(*read), print_config({}));
}

TEST(Config, KeysOfTablesThatThereAreNoneOfArePrintedAsComments) {
  const std::string printed = print_config({});
  for (const char* line : {"\n# [[source]]", "\n# file =  # a path, or\n", "\n# [[question]]",
                           "\n# ask = \"\"  # what is asked\n", "\n# every_s =  # "})
    EXPECT_THAT(printed, HasSubstr(line));
}

TEST(Config, AnUnknownKeyIsRefusedWithItsLineAndTheNearest) {
  EXPECT_EQ(refusal("[server]\nport = 1\nkeys_fil = \"x\"\n"),
            "braid.toml:3: there is no key 'keys_fil' in [server]; did you mean 'keys_file'?");
  EXPECT_EQ(refusal("\n[sever]\n"), "braid.toml:2: there is no table 'sever'; did you mean 'server'?");
  EXPECT_THAT(refusal("[metrics]\nxyzzy = 1\n"), HasSubstr("there are open, vllm_names"));
}

TEST(Config, WhatCanNotBeIsRefusedWithWhatWouldBe) {
  EXPECT_EQ(refusal("[server]\nport = 70000\n"),
            "braid.toml:2: port of [server] is 70000; expected 0 to 65535");
  EXPECT_THAT(refusal("[server]\nport = 1.5\n"), HasSubstr("a whole number"));
  EXPECT_THAT(refusal("[server]\nport = \"80\"\n"), HasSubstr("a whole number"));
  EXPECT_THAT(refusal("[server]\naddress = 1\n"), HasSubstr("a text in quotes"));
  EXPECT_THAT(refusal("[session]\nkeep = nan\n"), HasSubstr("a number"));
  EXPECT_THAT(refusal("[session]\njoin_turns = 1\n"), HasSubstr("true or false"));
  EXPECT_THAT(refusal("server = 1\n"), HasSubstr("write [server]"));
  EXPECT_THAT(refusal("[source]\nsource = \"a\"\n"), HasSubstr("write [[source]]"));
  EXPECT_THAT(refusal("source = [1]\n"), HasSubstr("write [[source]]"));
  EXPECT_THAT(refusal("[server]\nport = \n"), HasSubstr("braid.toml:2: "));
  EXPECT_THAT(refusal("[speech]\nvad = \"magic\"\n"), HasSubstr("silero, energy, off"));
}

TEST(Config, ASourceIsOneTextOrItsKeys) {
  const auto config = parse_config(
      "[[source]]\nsource = \"rtsp://camera/1\"\n[[source]]\nfile = \"press.csv\"\nname = \"press\"\n"
      "kind = \"sensor\"\nlive = true\n",
      "braid.toml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_THAT(config->sources,
              ElementsAre("rtsp://camera/1", "name=press,kind=sensor,live=1,file=press.csv"));
  EXPECT_THAT(refusal("[[source]]\nname = \"press\"\n"), HasSubstr("nothing to read"));
  EXPECT_THAT(refusal("[[source]]\n"), HasSubstr("either"));
  EXPECT_THAT(refusal("[[source]]\nsource = \"a\"\nfile = \"b\"\n"), HasSubstr("either"));
}

TEST(Config, AStandingQuestionKnowsWhenItIsAsked) {
  const std::string source = "[[source]]\nsource = \"a.mp4\"\n[[question]]\nask = \"What?\"\n";
  EXPECT_THAT(refusal(source), HasSubstr("every_s"));
  EXPECT_THAT(refusal(source + "every_s = 1\non_event = \"line\"\n"), HasSubstr("either"));
  EXPECT_THAT(refusal(source + "on_event = \"noise\"\n"), HasSubstr("utterance"));
  EXPECT_THAT(refusal(source + "every_s = 1\nwebhook = \"ftp://x\"\n"), HasSubstr("braid.toml:3: webhook"));
  EXPECT_EQ(refusal(source + "every_s = 1\n"), "accepted");
  EXPECT_THAT(refusal("[[question]]\nask = \"What?\"\nevery_s = 1\n"), HasSubstr("there is none"));
  EXPECT_THAT(refusal("\n\n[[question]]\nask = \"What?\"\nevery_s = 1\n"),
              testing::StartsWith("braid.toml:3: "));
}

TEST(Config, AFileThatIsNotThereIsNamed) {
  const auto config = load_config("/nowhere/braid.toml");
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(config.error().message, HasSubstr("/nowhere/braid.toml"));
}

TEST(Config, SecretsComeFromAFileOrAVariableAlone) {
  const std::string path = testing::TempDir() + "braid_secret";
  std::ofstream(path) << "hush\n";
  EXPECT_EQ(read_secret({path, ""}).value(), "hush");
  ::setenv("BRAID_TEST_SECRET", "quiet", 1);
  EXPECT_EQ(read_secret({"", "BRAID_TEST_SECRET"}).value(), "quiet");
  EXPECT_EQ(read_secret({}).value(), "");
  EXPECT_FALSE(read_secret({path, "BRAID_TEST_SECRET"}));
  EXPECT_FALSE(read_secret({"", "BRAID_NO_SUCH_VARIABLE"}));
  EXPECT_FALSE(read_secret({"/nowhere/secret", ""}));
  std::ofstream(path, std::ios::trunc) << "\n";
  EXPECT_FALSE(read_secret({path, ""}));
}

}  // namespace
}  // namespace braid::serve
