#include "braid/openai/transcription.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

#include "test_support.h"

namespace braid::openai {
namespace {

using ::testing::HasSubstr;

using Fields = std::vector<std::pair<std::string, std::string>>;

Parsed<TranscriptionRequest> parse(const Fields& fields, const TranscriptionLimits& limits = {}) {
  std::string body;
  for (const auto& [name, value] : fields)
    body += "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n";
  return parse_transcription("multipart/form-data; boundary=b", body + "--b--\r\n", limits);
}

TEST(TranscriptionRequest, IsReadAsTheOfficialClientSendsIt) {
  const std::string form = test_file("openai/transcription.form");
  const std::size_t end = form.find('\n');
  const auto request = parse_transcription(form.substr(0, end), std::string_view(form).substr(end + 1));
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->file, std::string("RIFF\0\r\n--\xFF\0WAVE\r\n", 17));
  EXPECT_EQ(request->filename, "gr\u00fc\u00dfe.wav");
  EXPECT_EQ(request->model, "nano");
  EXPECT_EQ(request->language, "en");
  EXPECT_EQ(request->prompt, "keys, rockets");
  EXPECT_EQ(request->format, TranscriptFormat::kVerboseJson);
  EXPECT_EQ(request->temperature, 0.2);
  EXPECT_FALSE(request->stream);
}

TEST(TranscriptionRequest, NeedsAFileAndAModelAlone) {
  const auto request = parse({{"model", "m"}, {"file", "x"}, {"include[]", "logprobs"}, {"stream", "True"}});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->format, TranscriptFormat::kJson);
  EXPECT_TRUE(request->stream);
}

TEST(TranscriptionRequest, IsRefusedByField) {
  struct Case {
    Fields fields;
    const char* param;
    int status = 400;
  };
  const std::pair<std::string, std::string> file{"file", "x"}, model{"model", "m"};
  for (const Case& c :
       std::vector<Case>{{{model}, "file"},
                         {{file}, "model"},
                         {{model, {"file", ""}}, "file"},
                         {{model, file, file}, "file"},
                         {{model, {"file", std::string(11, 'x')}}, "file", 413},
                         {{model, file, {"response_format", "diarized_json"}}, "response_format"},
                         {{model, file, {"temperature", "1.5"}}, "temperature"},
                         {{model, file, {"temperature", "nan"}}, "temperature"},
                         {{model, file, {"temperature", "0.5 "}}, "temperature"},
                         {{model, file, {"stream", "maybe"}}, "stream"},
                         {{model, file, {"language", std::string(300, 'e')}}, "language"},
                         {{model, file, {"prompt", std::string(5'000, 'e')}}, "prompt"},
                         {{model, file, {"timestamp_granularities[]", "word"}}, "timestamp_granularities"}}) {
    const auto request = parse(c.fields, {.file_bytes = 10});
    ASSERT_FALSE(request) << c.param;
    EXPECT_EQ(request.error().param, c.param) << request.error().message;
    EXPECT_EQ(request.error().http_status, c.status) << c.param;
  }
}

Transcript transcript() {
  return {{{0, 1.25, "Hello there."}, {3661.0014, 3662, "A <b> --> c\n\nd"}}, "en", 3662.5, 0};
}

TEST(Transcripts, ArePrintedInEveryFormat) {
  EXPECT_EQ(print_transcript(transcript(), TranscriptFormat::kText), "Hello there. A <b> --> c\n\nd\n");
  EXPECT_EQ(print_transcript(transcript(), TranscriptFormat::kJson),
            R"({"text":"Hello there. A <b> --> c\n\nd","usage":{"type":"duration","seconds":3663}})");
  EXPECT_EQ(print_transcript(transcript(), TranscriptFormat::kSrt),
            "1\n00:00:00,000 --> 00:00:01,250\nHello there.\n\n"
            "2\n01:01:01,001 --> 01:01:02,000\nA <b> -> c d\n\n");
  EXPECT_EQ(print_transcript(transcript(), TranscriptFormat::kVtt),
            "WEBVTT\n\n00:00:00.000 --> 00:00:01.250\nHello there.\n\n"
            "01:01:01.001 --> 01:01:02.000\nA &lt;b&gt; --&gt; c d\n\n");
  EXPECT_EQ(
      print_transcript({{{0.5, 1.25, "Hi"}}, "", 2, 0.5}, TranscriptFormat::kVerboseJson),
      R"({"task":"transcribe","language":"unknown","duration":2,"text":"Hi","segments":[{"id":0,"seek":0,)"
      R"("start":0.5,"end":1.25,"text":"Hi","tokens":[],"temperature":0.5,"avg_logprob":0,)"
      R"("compression_ratio":0,"no_speech_prob":0}],"usage":{"type":"duration","seconds":2}})");
}

TEST(Transcripts, StayWellFormedWhateverTheTimesAndTextsAre) {
  const Transcript strange{{{-1, std::numeric_limits<double>::infinity(), "\n--->\r\n"}}, "", 0, 0};
  EXPECT_EQ(print_transcript(strange, TranscriptFormat::kSrt), "1\n00:00:00,000 --> 00:00:00,000\n-> \n\n");
  EXPECT_EQ(print_transcript({}, TranscriptFormat::kVtt), "WEBVTT\n\n");
  EXPECT_THAT(print_transcript({}, TranscriptFormat::kJson), HasSubstr(R"("text":"")"));
}

TEST(Transcripts, AreStreamedAsEvents) {
  EXPECT_EQ(print_transcript_delta("a"), R"({"type":"transcript.text.delta","delta":"a"})");
  EXPECT_EQ(print_transcript_done({{{0, 1, "a"}, {1, 2, "b"}}, "", 2, 0}),
            R"({"type":"transcript.text.done","text":"a b"})");
}

}  // namespace
}  // namespace braid::openai
