#include "chat_media.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "braid/openai/base64.h"
#include "http_url.h"

namespace braid::openai {

namespace {

constexpr std::size_t kMaxUrl = 8192;  // of what isn't a data URI

}  // namespace

bool MediaReader::read(JsonIndex at, std::string_view type, Part& part) {
  if (type == "image_url") {
    part.kind = Part::Kind::kImage;
    part.detail = "auto";
    read_url(at, type, part);
  } else if (type == "video_url") {
    part.kind = Part::Kind::kVideo;
    read_url(at, type, part);
  } else if (type == "input_audio") {
    part.kind = Part::Kind::kAudio;
    read_audio(at, part);
  } else {
    return false;
  }
  return true;
}

void MediaReader::read_url(JsonIndex at, std::string_view top, Part& part) {
  const std::optional<JsonIndex> object = reader_.required_object(at, top);
  if (!object) return;
  if (part.kind == Part::Kind::kImage)
    if (const auto detail = reader_.word(*object, "detail", {"auto", "low", "high", "original"}))
      part.detail = *detail;
  const std::optional<JsonIndex> url = reader_.required(*object, "url");
  if (!url || !reader_.is(*url, JsonNode::Kind::kString, "a string") || reader_.failed()) return;
  const std::string_view text = reader_.node(*url).text;
  const std::string_view kind = part.kind == Part::Kind::kImage ? "image" : "video";
  if (!is_data_uri(text)) {
    if (text.size() <= kMaxUrl && is_http_url(text))
      part.url = text;
    else
      reader_.refuse(
          *url, fmt::format("invalid_{}_url", kind),
          fmt::format("Invalid '{}': expected a data URI (data:{}/...;base64,...) or an http(s) URL "
                      "of at most {} characters.",
                      reader_.doc().path(*url), kind, kMaxUrl));
    return;
  }
  Result<DataUri> data = parse_data_uri(text, allowance());
  if (!data) return refuse_media(*url, kind, data.error());
  left_ -= data->bytes.size();
  part.bytes = std::move(data->bytes);
  part.mime = std::move(data->mime);
  if (part.bytes.empty()) refuse_media(*url, kind, {ErrorCode::kBadInput, "no data at all"});
}

void MediaReader::read_audio(JsonIndex at, Part& part) {
  const std::optional<JsonIndex> object = reader_.required_object(at, "input_audio");
  if (!object || !reader_.required(*object, "format")) return;
  const auto format = reader_.word(*object, "format", {"wav", "mp3"});
  const std::optional<JsonIndex> data = reader_.required(*object, "data");
  if (!data || !reader_.is(*data, JsonNode::Kind::kString, "a string") || reader_.failed()) return;
  // Some clients put a whole data URI where base64 belongs.
  const std::string_view text = reader_.node(*data).text;
  Result<std::string> bytes;
  if (is_data_uri(text))
    bytes = parse_data_uri(text, allowance()).map([](DataUri&& uri) { return std::move(uri.bytes); });
  else
    bytes = decode_base64(text, allowance());
  if (!bytes) return refuse_media(*data, "audio", bytes.error());
  left_ -= bytes->size();
  part.bytes = std::move(*bytes);
  part.mime = format == "mp3" ? "audio/mpeg" : "audio/wav";
  if (part.bytes.empty()) refuse_media(*data, "audio", {ErrorCode::kBadInput, "no data at all"});
}

std::size_t MediaReader::allowance() const { return std::min(left_, limits_.media_bytes); }

void MediaReader::refuse_media(JsonIndex at, std::string_view kind, const Error& error) {
  const std::string path = reader_.doc().path(at);
  if (error.code == ErrorCode::kLimit)
    reader_.refuse(at, fmt::format("{}_too_large", kind),
                   fmt::format("Invalid '{}': a part's media may have {} bytes decoded, all of a request "
                               "together {}; send less.",
                               path, limits_.media_bytes, limits_.media_total),
                   413);
  else
    reader_.refuse(at, fmt::format("invalid_{}_data", kind),
                   fmt::format("Invalid '{}': {}.", path, error.message));
}

}  // namespace braid::openai
