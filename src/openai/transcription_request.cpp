#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "ascii.h"
#include "braid/base/utf8.h"
#include "braid/openai/multipart.h"
#include "braid/openai/transcription.h"

namespace braid::openai {

namespace {

constexpr std::size_t kMaxField = 256;  // bytes, of what has no bound of its own

constexpr std::array<std::pair<std::string_view, TranscriptFormat>, 5> kFormats = {{
    {"json", TranscriptFormat::kJson},
    {"text", TranscriptFormat::kText},
    {"srt", TranscriptFormat::kSrt},
    {"verbose_json", TranscriptFormat::kVerboseJson},
    {"vtt", TranscriptFormat::kVtt},
}};

class FormReader {
 public:
  explicit FormReader(const TranscriptionLimits& limits) : limits_(limits) {}

  Parsed<TranscriptionRequest> read(const std::vector<FormPart>& parts) {
    for (const FormPart& part : parts) {
      if (part.name == "file")
        file(part);
      else
        field(part);
      if (error_) return tl::unexpected(std::move(*error_));
    }
    if (request_.file.empty())
      refuse("file", "missing_required_parameter", "Missing required parameter: 'file'.");
    if (request_.model.empty())
      refuse("model", "missing_required_parameter", "Missing required parameter: 'model'.");
    if (error_) return tl::unexpected(std::move(*error_));
    return std::move(request_);
  }

 private:
  void refuse(std::string param, std::string code, const std::string& message, int status = 400) {
    if (!error_)
      error_ = ApiError{status, to_valid_utf8(message), "invalid_request_error", std::move(param),
                        std::move(code)};
  }

  void file(const FormPart& part) {
    if (!request_.file.empty())
      return refuse("file", "invalid_value", "Invalid 'file': more than one was sent.");
    if (part.body.empty()) return refuse("file", "invalid_value", "Invalid 'file': it has no bytes.");
    if (part.body.size() > limits_.file_bytes)
      return refuse("file", "file_too_large",
                    fmt::format("Invalid 'file': it has {} bytes; at most {} are taken.", part.body.size(),
                                limits_.file_bytes),
                    413);
    request_.file = part.body;
    request_.filename = part.filename;
  }

  void field(const FormPart& part) {
    const std::string_view name = part.name;
    if (name == "model")
      text(part, kMaxField, request_.model);
    else if (name == "language")
      text(part, kMaxField, request_.language);
    else if (name == "prompt")
      text(part, limits_.prompt_bytes, request_.prompt);
    else if (name == "response_format")
      format(part);
    else if (name == "temperature")
      temperature(part);
    else if (name == "stream")
      stream(part);
    else if (name == "timestamp_granularities[]" || name == "timestamp_granularities")
      granularity(part);
  }

  void text(const FormPart& part, std::size_t max_bytes, std::string& to) {
    if (part.body.size() > max_bytes)
      return refuse(part.name, "string_above_max_length",
                    fmt::format("Invalid '{}': too long. Expected at most {} bytes, but got {} instead.",
                                part.name, max_bytes, part.body.size()));
    to = to_valid_utf8(part.body);
  }

  void format(const FormPart& part) {
    for (const auto& [word, format] : kFormats)
      if (part.body == word) {
        request_.format = format;
        return;
      }
    refuse(part.name, "unsupported_value",
           fmt::format("Unsupported value for 'response_format': '{}'. Supported values are: 'json', 'text', "
                       "'srt', 'verbose_json' and 'vtt'.",
                       part.body.substr(0, kMaxField)));
  }

  void temperature(const FormPart& part) {
    double value = -1;
    const char* end = part.body.data() + part.body.size();
    const auto [at, ec] = std::from_chars(part.body.data(), end, value);
    if (ec == std::errc{} && at == end && value >= 0 && value <= 1)
      request_.temperature = value;
    else
      refuse(part.name, "invalid_value", "Invalid 'temperature': expected a decimal from 0 to 1.");
  }

  void stream(const FormPart& part) {
    const std::string word = lower_case(part.body.substr(0, 8));
    request_.stream = word == "true" || word == "1";
    if (!request_.stream && word != "false" && word != "0")
      refuse(part.name, "invalid_type", "Invalid type for 'stream': expected true or false.");
  }

  void granularity(const FormPart& part) {
    if (part.body == "segment") return;
    refuse("timestamp_granularities", "unsupported_value",
           "Unsupported value for 'timestamp_granularities': only 'segment' is made here.");
  }

  const TranscriptionLimits& limits_;
  TranscriptionRequest request_;
  std::optional<ApiError> error_;
};

}  // namespace

Parsed<TranscriptionRequest> parse_transcription(std::string_view content_type, std::string_view body,
                                                 const TranscriptionLimits& limits) {
  const auto parts = parse_multipart(content_type, body);
  if (!parts) return tl::unexpected(parts.error());
  return FormReader(limits).read(*parts);
}

}  // namespace braid::openai
