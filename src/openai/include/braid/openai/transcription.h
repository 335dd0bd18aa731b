#pragma once
// POST /v1/audio/transcriptions: the form that comes, and the five formats that go out.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/openai/api_error.h"

namespace braid::openai {

struct TranscriptionLimits {
  std::size_t file_bytes = 25U << 20;
  std::size_t prompt_bytes = 4096;
};

enum class TranscriptFormat { kJson, kText, kSrt, kVerboseJson, kVtt };

struct TranscriptionRequest {
  std::string file;  ///< bytes of a sound or video file; not empty
  std::string filename;
  std::string model;
  std::string language;  ///< as sent; empty: not said
  std::string prompt;
  TranscriptFormat format = TranscriptFormat::kJson;
  std::optional<double> temperature;  ///< 0..1
  bool stream = false;                ///< events transcript.text.delta and transcript.text.done are wanted
};

/// Refused: word timestamps, speaker labels (neither is made here), formats unknown. Unknown fields are
/// ignored.
Parsed<TranscriptionRequest> parse_transcription(std::string_view content_type, std::string_view body,
                                                 const TranscriptionLimits& limits = {});

struct TranscriptSegment {
  double start_s = 0;  ///< from the file's start
  double end_s = 0;
  std::string text;
};

struct Transcript {
  std::vector<TranscriptSegment> segments;  ///< in order
  std::string language;                     ///< empty: unknown
  double duration_s = 0;                    ///< of the file
  double temperature = 0;
};

/// The segments' texts joined by spaces.
std::string transcript_text(const Transcript& transcript);

/// The response's body. SRT and WebVTT times are to the millisecond; blank lines and "-->" in a cue's text
/// are made harmless.
std::string print_transcript(const Transcript& transcript, TranscriptFormat format);
/// "application/json", "text/plain; charset=utf-8", ...
const char* content_type(TranscriptFormat format);

/// Data of the events of a streamed transcription.
std::string print_transcript_delta(std::string_view text);
std::string print_transcript_done(const Transcript& transcript);

}  // namespace braid::openai
