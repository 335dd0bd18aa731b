#include "braid/deliver/text_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "braid/base/virtual_clock.h"
#include "stage_line.h"

namespace braid::deliver {
namespace {

using testing::HasSubstr;
using testing::Not;

/// What was written to a FILE, read back.
class Capture {
 public:
  Capture() : file_(open_memstream(&text_, &size_)) {}
  ~Capture() {
    std::fclose(file_);
    std::free(text_);
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  std::FILE* file() { return file_; }
  std::string text() const { return {text_, size_}; }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_;
};

/// A pseudo-terminal, so that isatty() holds.
class Terminal {
 public:
  Terminal() {
    int slave = -1;
    if (openpty(&master_, &slave, nullptr, nullptr, nullptr) == 0) file_ = fdopen(slave, "w");
  }
  ~Terminal() {
    if (file_) std::fclose(file_);
    if (master_ >= 0) close(master_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  /// Null: this machine gives out no pseudo-terminals.
  std::FILE* file() { return file_; }
  /// All that was written so far. A terminal hands bytes over in its own time and pieces, so a last one is
  /// written that nothing else writes, and waited for.
  std::string text() {
    constexpr char kLast = '\5';
    std::fputc(kLast, file_);
    std::fflush(file_);
    std::string bytes;
    char one = 0;
    while (read(master_, &one, 1) == 1 && one != kLast) bytes += one;
    return bytes;
  }

 private:
  int master_ = -1;
  std::FILE* file_ = nullptr;
};

Answer answer(int id, std::string text) {
  Answer answer;
  answer.id = QuestionId{id};
  answer.question = "What?";
  answer.text = std::move(text);
  answer.first_token = SteadyTime(Milliseconds(83));
  answer.last_token = SteadyTime(Milliseconds(210));
  answer.freshness = Milliseconds(40);
  answer.stages[Stage::kDecodeFirst] = Milliseconds(80);
  answer.stages[Stage::kDecode] = Microseconds(129'600);
  answer.window = {kSessionStart, SessionTime(Milliseconds(12'000)), 3, 62, 0, 2, 0, 1, 0, {}};
  return answer;
}

class TextWriterTest : public testing::Test {
 protected:
  void begin(int id) {
    writer_->on_event(AnswerBegin{QuestionId{id}, "What?", SessionTime(Milliseconds(12'000))});
  }
  void say(int id, std::string text) { writer_->on_event(AnswerDelta{QuestionId{id}, std::move(text)}); }

  VirtualClock clock_{SteadyTime(Milliseconds(214))};
  Capture out_, err_;
  std::unique_ptr<Writer> writer_ = make_text_writer(out_.file(), err_.file(), clock_);
};

TEST_F(TextWriterTest, StreamsAnAnswerThenItsStages) {
  begin(0);
  say(0, "I see");
  EXPECT_EQ(out_.text(), "#0 [12.0s] What?\nI see");
  say(0, " a dog.");
  writer_->on_event(answer(0, "I see a dog."));
  EXPECT_EQ(out_.text(),
            "#0 [12.0s] What?\nI see a dog.\n"
            "  #0 ttft 83 ms · wall 214 ms · fresh 40 ms | decode_first 80 · decode 130 · deliver 4 · "
            "unattributed 0.4"
            " | 2 frames, 1 line in 62 tokens, 0.0-12.0s\n");
  EXPECT_EQ(err_.text(), "");
}

TEST_F(TextWriterTest, AnswersThatOverlapComeInWholeNumberedLines) {
  begin(0);
  say(0, "one ");
  begin(1);
  say(1, "uno");
  say(0, "more\nand");
  say(1, " dos\n");
  writer_->on_event(answer(0, ""));
  writer_->on_event(answer(1, ""));
  EXPECT_THAT(out_.text(),
              testing::StartsWith("#0 [12.0s] What?\none \n#1 [12.0s] What?\n#0 … more\n#1 uno dos\n#0 and\n"
                                  "  #0 ttft"));
  EXPECT_THAT(out_.text(), HasSubstr("\n  #1 ttft"));
}

TEST_F(TextWriterTest, LinesAreNumberedOnlyWhileSeveralAnswersAreOpen) {
  begin(0), begin(1);
  writer_->on_event(answer(0, ""));
  writer_->on_event(answer(1, ""));
  begin(2);
  say(2, "x");
  EXPECT_TRUE(out_.text().ends_with("\n#2 [12.0s] What?\nx"));
}

TEST_F(TextWriterTest, AnswerThatWasRefusedShowsItsQuestionAndWhy) {
  Answer refused = answer(0, "");
  refused.finish = FinishReason::kError;
  refused.error = Error{ErrorCode::kLimit, "too long", false};
  refused.first_token.reset();
  writer_->on_event(refused);
  EXPECT_THAT(out_.text(), HasSubstr("#0 [0.0s] What?\n  #0 wall 214 ms"));
  EXPECT_THAT(out_.text(), HasSubstr("| error: too long\n"));
}

TEST_F(TextWriterTest, ErrorsGoToTheirOwnFileAndEndAStreamedLine) {
  begin(0);
  say(0, "I");
  writer_->on_event(
      Fault{"cam", SessionTime(Milliseconds(3200)), {ErrorCode::kBadInput, "broken frame", false}});
  EXPECT_EQ(err_.text(), "braid: cam: at 3.2s: broken frame (bad_input)\n");
  EXPECT_TRUE(out_.text().ends_with("I\n"));
}

TEST_F(TextWriterTest, OutsideTextCannotSteerTheTerminal) {
  begin(0);
  say(0, "\033[2J\x07\xC2\x9Bok\tz\r");
  EXPECT_THAT(out_.text(), Not(HasSubstr("\033")));
  EXPECT_THAT(out_.text(), HasSubstr("ok\tz"));
  EXPECT_EQ(printable("\x1b\xC2\x9B\r"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(printable("\xC3\xA9 \xE4\xB8\xAD\n"), "\xC3\xA9 \xE4\xB8\xAD\n");
}

TEST_F(TextWriterTest, QuietlyAnswersAloneAreWrittenAndErrors) {
  writer_ = make_text_writer(out_.file(), err_.file(), clock_, {.quiet = true});
  begin(0), begin(1);
  say(0, "one"), say(1, "two");
  writer_->on_event(Notice{"", {}, "by the way"});
  writer_->on_event(answer(1, "two"));
  Answer failed = answer(0, "");
  failed.error = Error{ErrorCode::kLimit, "too long", false};
  writer_->on_event(failed);
  writer_->on_event(Summary{});
  EXPECT_EQ(out_.text(), "two\n");
  EXPECT_EQ(err_.text(), "braid: What?: too long (limit)\n");
}

TEST_F(TextWriterTest, ATypedQuestionIsNotSaidAgain) {
  writer_ = make_text_writer(out_.file(), err_.file(), clock_, {.typed = true});
  begin(0);
  say(0, "I see a dog.");
  EXPECT_EQ(out_.text(), "#0 [12.0s] I see a dog.");
  writer_->on_event(answer(0, "I see a dog."));
  EXPECT_THAT(out_.text(), HasSubstr("I see a dog.\n  #0 ttft"));
  begin(1), begin(2);
  EXPECT_THAT(out_.text(), HasSubstr("#1 [12.0s] \n#2 [12.0s] What?\n"));
}

TEST_F(TextWriterTest, WhereQuestionsAreTypedTheSourcesEndIsTold) {
  writer_ = make_text_writer(out_.file(), err_.file(), clock_, {.typed = true});
  writer_->on_event(Progress{SessionTime(Milliseconds(6000)), Milliseconds(12'000), 12, 0});
  EXPECT_EQ(err_.text(), "");
  writer_->on_event(Progress{SessionTime(Milliseconds(12'000)), Milliseconds(12'000), 24, 0, true});
  EXPECT_EQ(err_.text(), "all 12.0 s seen; type a question, Ctrl-D ends\n");
}

TEST_F(TextWriterTest, NoticesGoWithTheErrors) {
  writer_->on_event(Notice{"press", SessionTime(Milliseconds(100)), "times are taken for seconds"});
  EXPECT_EQ(err_.text(), "braid: note: press: at 0.1s: times are taken for seconds\n");
}

TEST_F(TextWriterTest, SummaryIsOneLine) {
  Summary summary;
  summary.end = SessionTime(Milliseconds(12'000));
  summary.wall = Milliseconds(5'100);
  summary.frames_sampled = 24;
  summary.frames_kept = 9;
  summary.utterances = 2;
  summary.answers = 1;
  summary.tokens_perceived = 520;
  summary.tokens_kept = 430;
  summary.drops = {{"blank", 3}, {"nothing_new", 12}};
  writer_->on_event(summary);
  EXPECT_EQ(out_.text(),
            "watched 12.0 s in 5.1 s: 9 of 24 frames kept, 2 utterances, 1 answer; 430 of 520 tokens kept; "
            "dropped: "
            "blank 3, nothing_new 12\n");
}

TEST_F(TextWriterTest, NoProgressWhereNobodyLooks) {
  writer_->on_event(Progress{SessionTime(Milliseconds(1)), Milliseconds(10), 1, 0});
  EXPECT_EQ(err_.text(), "");
}

TEST(TextWriterTerminalTest, BarIsDrawnOnATerminalAndTakenAwayForText) {
  VirtualClock clock;
  Capture out;
  Terminal err;
  if (!err.file()) GTEST_SKIP() << "no pseudo-terminal can be had here";
  const auto writer = make_text_writer(out.file(), err.file(), clock);
  writer->on_event(Progress{SessionTime(Milliseconds(5000)), Milliseconds(10'000), 7, 0});
  EXPECT_THAT(err.text(), HasSubstr("[===============               ] 50 % of 10.0 s, 7 frames"));
  writer->on_event(AnswerBegin{QuestionId{0}, "What?", {}});
  EXPECT_EQ(err.text(), "\r\033[K");
}

TEST(TextWriterTerminalTest, TheBarNeverFillsItsLine) {
  VirtualClock clock;
  Capture out;
  Terminal err;
  if (!err.file()) GTEST_SKIP() << "no pseudo-terminal can be had here";
  const winsize narrow{24, 20, 0, 0};
  ASSERT_EQ(ioctl(fileno(err.file()), TIOCSWINSZ, &narrow), 0);
  const auto writer = make_text_writer(out.file(), err.file(), clock);
  writer->on_event(Progress{SessionTime(Milliseconds(5000)), Milliseconds(10'000), 7, 0});
  EXPECT_EQ(err.text(), "\r\033[K50 % of 10.0 s, 7 f");
}

TEST(TextWriterTerminalTest, TheSourcesEndIsAllOfTheBar) {
  VirtualClock clock;
  Capture out;
  Terminal err;
  if (!err.file()) GTEST_SKIP() << "no pseudo-terminal can be had here";
  const auto writer = make_text_writer(out.file(), err.file(), clock);
  writer->on_event(Progress{SessionTime(Milliseconds(9500)), Milliseconds(10'000), 7, 0});
  writer->on_event(Progress{SessionTime(Milliseconds(10'000)), Milliseconds(10'000), 7, 0, true});
  EXPECT_THAT(err.text(), HasSubstr("] 100 % of 10.0 s"));
}

TEST(TextWriterTerminalTest, NoBarWhereTheLengthIsUnknownOrItWasTurnedOff) {
  VirtualClock clock;
  Capture out;
  Terminal err;
  if (!err.file()) GTEST_SKIP() << "no pseudo-terminal can be had here";
  make_text_writer(out.file(), err.file(), clock, {.progress = false})
      ->on_event(Progress{SessionTime(Milliseconds(5000)), Milliseconds(10'000), 7, 0});
  const auto writer = make_text_writer(out.file(), err.file(), clock);
  writer->on_event(Progress{SessionTime(Milliseconds(5000)), {}, 7, 0});
  writer->on_event(Fault{"", {}, {ErrorCode::kLimit, "end", false}});
  EXPECT_THAT(err.text(), Not(HasSubstr("%")));
}

TEST(TextWriterTerminalTest, ColourOnlyOnATerminalAndNotAgainstNoColor) {
  VirtualClock clock;
  Capture err;
  Terminal out;
  if (!out.file()) GTEST_SKIP() << "no pseudo-terminal can be had here";
  const AnswerBegin begin{QuestionId{0}, "What?", {}};
  unsetenv("NO_COLOR");
  make_text_writer(out.file(), err.file(), clock)->on_event(begin);
  EXPECT_THAT(out.text(), HasSubstr("\033[1m#0 [0.0s] What?\033[0m"));
  setenv("NO_COLOR", "1", 1);
  make_text_writer(out.file(), err.file(), clock)->on_event(begin);
  EXPECT_THAT(out.text(), Not(HasSubstr("\033")));
  unsetenv("NO_COLOR");
}

TEST(StageLineTest, ShortTimesKeepOneDecimal) {
  EXPECT_EQ(short_ms(Microseconds(400)), "0.4");
  EXPECT_EQ(short_ms(Microseconds(3000)), "3");
  EXPECT_EQ(short_ms(Microseconds(9960)), "10");
  EXPECT_EQ(short_ms(Microseconds(83'400)), "83");
  EXPECT_EQ(short_ms(Microseconds(-20)), "0");
}

TEST(StageLineTest, DeadlineAndRungsAreNamed) {
  Answer late = answer(0, "");
  late.verdict = Verdict::kLate;
  late.deadline = Milliseconds(200);
  late.degraded = {"shorter_answer"};
  EXPECT_THAT(stage_line(late), testing::EndsWith("| deadline 200 ms late | shorter_answer"));
}

}  // namespace
}  // namespace braid::deliver
