#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>

#include "ascii.h"
#include "braid/base/utf8.h"
#include "braid/openai/transcription.h"
#include "json_out.h"

namespace braid::openai {

namespace {

constexpr double kMaxSeconds = 1e7;  // some months; keeps arithmetic and columns sane

double seconds(double s) { return std::isfinite(s) ? std::clamp(s, 0.0, kMaxSeconds) : 0.0; }

// "00:01:02,345"
std::string cue_time(double s, char point) {
  const std::int64_t ms = std::llround(seconds(s) * 1000);
  return fmt::format("{:02}:{:02}:{:02}{}{:03}", ms / 3'600'000, ms / 60'000 % 60, ms / 1000 % 60, point,
                     ms % 1000);
}

// One line, so that nothing in it can end the cue or begin another.
std::string cue_text(std::string_view text, bool markup) {
  std::string out;
  for (const char c : to_valid_utf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20) {
      if (!out.empty() && out.back() != ' ') out += ' ';
    } else if (markup && (c == '&' || c == '<' || c == '>')) {
      out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : "&gt;";
    } else {
      out += c;
      // An arrow makes a line of times of any line.
      while (out.ends_with("-->")) out.replace(out.size() - 3, 3, "->");
    }
  }
  return out.empty() ? " " : out;
}

std::string srt(const Transcript& transcript) {
  std::string out;
  int number = 0;
  for (const TranscriptSegment& segment : transcript.segments)
    fmt::format_to(std::back_inserter(out), "{}\n{} --> {}\n{}\n\n", ++number, cue_time(segment.start_s, ','),
                   cue_time(segment.end_s, ','), cue_text(segment.text, false));
  return out;
}

std::string vtt(const Transcript& transcript) {
  std::string out = "WEBVTT\n\n";
  for (const TranscriptSegment& segment : transcript.segments)
    fmt::format_to(std::back_inserter(out), "{} --> {}\n{}\n\n", cue_time(segment.start_s, '.'),
                   cue_time(segment.end_s, '.'), cue_text(segment.text, true));
  return out;
}

void append_duration(JsonOut& out, const Transcript& transcript) {
  out.name("usage").begin_object().name("type").string("duration");
  out.name("seconds").real(std::ceil(seconds(transcript.duration_s))).end_object();
}

// What isn't measured here (probabilities, compression) is 0: the client's types want numbers.
void append_segment(JsonOut& out, int id, const TranscriptSegment& segment, double temperature) {
  out.begin_object().name("id").integer(id).name("seek").integer(0);
  out.name("start").real(seconds(segment.start_s)).name("end").real(seconds(segment.end_s));
  out.name("text").string(segment.text).name("tokens").begin_array().end_array();
  out.name("temperature").real(seconds(temperature)).name("avg_logprob").real(0);
  out.name("compression_ratio").real(0).name("no_speech_prob").real(0).end_object();
}

std::string verbose_json(const Transcript& transcript) {
  JsonOut out;
  out.begin_object().name("task").string("transcribe");
  out.name("language").string(transcript.language.empty() ? "unknown" : transcript.language);
  out.name("duration").real(seconds(transcript.duration_s)).name("text").string(transcript_text(transcript));
  out.name("segments").begin_array();
  int id = 0;
  for (const TranscriptSegment& segment : transcript.segments)
    append_segment(out, id++, segment, transcript.temperature);
  out.end_array();
  append_duration(out, transcript);
  out.end_object();
  return out.take();
}

std::string json_with(const Transcript& transcript, std::string_view type) {
  JsonOut out;
  out.begin_object();
  if (!type.empty()) out.name("type").string(type);
  out.name("text").string(transcript_text(transcript));
  if (type.empty()) append_duration(out, transcript);
  out.end_object();
  return out.take();
}

}  // namespace

std::string transcript_text(const Transcript& transcript) {
  std::string text;
  for (const TranscriptSegment& segment : transcript.segments) {
    if (segment.text.empty()) continue;
    if (!text.empty()) text += ' ';
    text += segment.text;
  }
  return text;
}

std::string print_transcript(const Transcript& transcript, TranscriptFormat format) {
  switch (format) {
    case TranscriptFormat::kJson:
      return json_with(transcript, {});
    case TranscriptFormat::kText:
      return to_valid_utf8(transcript_text(transcript)) + "\n";
    case TranscriptFormat::kSrt:
      return srt(transcript);
    case TranscriptFormat::kVerboseJson:
      return verbose_json(transcript);
    case TranscriptFormat::kVtt:
      return vtt(transcript);
  }
  return {};
}

const char* content_type(TranscriptFormat format) {
  switch (format) {
    case TranscriptFormat::kJson:
    case TranscriptFormat::kVerboseJson:
      return "application/json";
    case TranscriptFormat::kText:
    case TranscriptFormat::kSrt:
      return "text/plain; charset=utf-8";
    case TranscriptFormat::kVtt:
      return "text/vtt; charset=utf-8";
  }
  return "text/plain; charset=utf-8";
}

std::string print_transcript_delta(std::string_view text) {
  JsonOut out;
  out.begin_object().name("type").string("transcript.text.delta").name("delta").string(text).end_object();
  return out.take();
}

std::string print_transcript_done(const Transcript& transcript) {
  return json_with(transcript, "transcript.text.done");
}

}  // namespace braid::openai
