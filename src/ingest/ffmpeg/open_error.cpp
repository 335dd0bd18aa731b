#include "open_error.h"

#include <fmt/format.h>

#include <string>

#include "handles.h"
#include "log_capture.h"

namespace braid::ingest::ffmpeg {

namespace {

ErrorCode code_of(int error) {
  switch (error) {
    case AVERROR_HTTP_BAD_REQUEST:
    case AVERROR_HTTP_UNAUTHORIZED:
    case AVERROR_HTTP_FORBIDDEN:
    case AVERROR_HTTP_NOT_FOUND:
    case AVERROR_HTTP_OTHER_4XX:
    case AVERROR_HTTP_SERVER_ERROR:
    case AVERROR(ENOENT):
    case AVERROR(ENODEV):
    case AVERROR(ENXIO):
    case AVERROR(ECONNREFUSED):
    case AVERROR(EHOSTUNREACH):
    case AVERROR(ENETUNREACH):
    case AVERROR(ETIMEDOUT):
    case AVERROR(EIO):
      return ErrorCode::kNotFound;
    case AVERROR(EMFILE):
    case AVERROR(ENFILE):
      return ErrorCode::kResource;
    case AVERROR_EXIT:
      return ErrorCode::kCancelled;
    case AVERROR_DECODER_NOT_FOUND:
    case AVERROR_DEMUXER_NOT_FOUND:
    case AVERROR_PROTOCOL_NOT_FOUND:
      return ErrorCode::kUnsupported;
    default:
      return ErrorCode::kBadInput;
  }
}

/// What to do about a server's refusal.
const char* remote_cure(int error) {
  if (error == AVERROR_HTTP_UNAUTHORIZED || error == AVERROR_HTTP_FORBIDDEN)
    return "put the right user and password into the address (http://USER:PASSWORD@…)";
  if (error == AVERROR_HTTP_SERVER_ERROR) return "the server failed; try again later";
  return "check that the address is right and the server runs";
}

}  // namespace

tl::unexpected<Error> open_error(const SourceSpec& spec, int error) {
  const std::string complaint = take_last_complaint();
  const std::string reason = complaint.empty() ? error_text(error) : error_text(error) + ": " + complaint;
  const bool local = spec.transport == Transport::kFile || spec.transport == Transport::kPipe;
  ErrorCode code = local && error == AVERROR(EIO) ? ErrorCode::kBadInput : code_of(error);
  // A server that hangs up while it is greeted.
  if (spec.transport == Transport::kRtsp && code == ErrorCode::kBadInput) code = ErrorCode::kNotFound;
  const bool remote = spec.transport == Transport::kHttp || spec.transport == Transport::kRtsp;
  if (complaint.find("max_streams") != std::string::npos)
    return fail(ErrorCode::kLimit, fmt::format("{}: has too many streams ({})", spec.target, complaint));
  if (remote && code != ErrorCode::kBadInput)
    return fail(
        code, fmt::format("{}: could not be opened ({}); {}", spec.target, reason, remote_cure(error)), true);
  if (error == AVERROR(ENOMEM))
    return fail(ErrorCode::kLimit,
                fmt::format("{}: unpacks to more at once than is allowed, or there is no memory ({}); raise "
                            "max_unpacked_bytes if it is to be trusted",
                            spec.target, reason));
  if (code == ErrorCode::kResource)
    return fail(code, fmt::format("{}: could not be opened ({}); close other programs or raise ulimit -n",
                                  spec.target, reason));
  if (spec.transport == Transport::kDevice)
    return fail(
        code,
        fmt::format("{}: the device could not be opened ({}); check that it is there, free and yours to "
                    "use",
                    spec.target, reason));
  return fail(
      code, fmt::format("{}: can't be read as media ({}); expected video, sound or a picture; check that the "
                        "file is whole, or name what it is with kind=text or kind=sensor",
                        spec.target, reason));
}

}  // namespace braid::ingest::ffmpeg
