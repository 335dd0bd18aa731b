#include "formats.h"

extern "C" {
#include <libavutil/avstring.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace braid::ingest::ffmpeg {

namespace {

constexpr std::array kFilms = {"mov",  "matroska", "avi",  "mpegts", "mpeg",        "mpegvideo", "m4v",
                               "h261", "h263",     "h264", "hevc",   "vc1",         "av1",       "obu",
                               "ivf",  "flv",      "asf",  "ogg",    "nut",         "mxf",       "dv",
                               "gif",  "apng",     "rm",   "mjpeg",  "yuv4mpegpipe"};
constexpr std::array kSounds = {"wav",  "w64", "aiff",  "au",    "caf", "flac",   "mp3", "aac",
                                "loas", "ac3", "eac3",  "dts",   "mlp", "truehd", "tta", "wv",
                                "ape",  "amr", "amrnb", "amrwb", "voc", "tak",    "mpc", "mpc8"};
constexpr std::array kStills = {"png", "jpeg", "webp",    "bmp",    "tiff",   "ppm", "pgm",
                                "pbm", "pam",  "pgmyuv",  "jpegxl", "jpegls", "j2k", "qoi",
                                "pcx", "sgi",  "sunrast", "dds",    "psd"};
constexpr std::array kSubtitles = {"srt", "webvtt", "ass"};
/// Known by name, so that the message can say what they are.
constexpr std::array kPlaylists = {"hls",
                                   "applehttp",
                                   "dash",
                                   "concat",
                                   "concatf",
                                   "imf",
                                   "sdp",
                                   "avisynth",
                                   "vapoursynth",
                                   "tty",
                                   "bin",
                                   "xbin",
                                   "adf",
                                   "idf",
                                   "lavfi",
                                   "ffmetadata",
                                   "webm_dash_manifest"};

bool is_any(const AVInputFormat& format, const auto& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const char* name) { return av_match_name(name, format.name) != 0; });
}

std::string_view text_at(std::span<const std::uint8_t> head, std::size_t at, std::size_t size) {
  if (at + size > head.size()) return {};
  return {reinterpret_cast<const char*>(head.data()) + at, size};
}

/// Photos of phones: FFmpeg 5 reads their container and finds no film in it.
bool is_heif(std::span<const std::uint8_t> head) {
  constexpr std::array<std::string_view, 6> kBrands = {"heic", "heix", "heim", "heis", "mif1", "avif"};
  return text_at(head, 4, 4) == "ftyp" &&
         std::find(kBrands.begin(), kBrands.end(), text_at(head, 8, 4)) != kBrands.end();
}

bool is_animated_webp(std::span<const std::uint8_t> head) {
  constexpr unsigned kAnimation = 2;
  return text_at(head, 8, 8) == "WEBPVP8X" && head.size() > 20 && (head[20] & kAnimation) != 0;
}

std::string joined() {
  std::string all;
  const auto add = [&](const auto& names, const char* ending) {
    for (const char* name : names) all += fmt::format("{}{}{}", all.empty() ? "" : ",", name, ending);
  };
  add(kFilms, "");
  add(kSounds, "");
  add(kStills, "_pipe");
  add(kSubtitles, "");
  return all;
}

}  // namespace

const std::string& allowed_formats() {
  static const std::string names = joined();
  return names;
}

bool is_wav_without_length(std::span<const std::uint8_t> head) {
  constexpr std::uint32_t kNearlyTwoGiB = 0x7fff0000;
  if (text_at(head, 0, 4) != "RIFF" || text_at(head, 8, 4) != "WAVE") return false;
  for (std::size_t at = 12; at + 8 <= head.size();) {
    const std::uint32_t size = head[at + 4] | head[at + 5] << 8U | head[at + 6] << 16U |
                               static_cast<std::uint32_t>(head[at + 7]) << 24U;
    if (text_at(head, at, 4) == "data") return size == 0 || size >= kNearlyTwoGiB;
    at += 8 + std::size_t{size} + size % 2;
  }
  return false;
}

Status check_format(const AVInputFormat& format, std::span<const std::uint8_t> head,
                    const std::string& target) {
  if (is_any(format, kPlaylists))
    return fail(
        ErrorCode::kUnsupported,
        fmt::format(
            "{}: is a playlist, script or text ({}); expected a media file; name the media itself, or "
            "what it is with kind=text or kind=sensor",
            target, format.name));
  if (is_heif(head))
    return fail(
        ErrorCode::kUnsupported,
        fmt::format(
            "{}: is a HEIF or AVIF picture, which isn't read; expected JPEG, PNG or WebP; convert it first "
            "(heif-convert IN OUT.jpg)",
            target));
  if (is_animated_webp(head))
    return fail(
        ErrorCode::kUnsupported,
        fmt::format(
            "{}: is an animated WebP, which isn't read; expected a GIF, WebM or MP4; convert it first",
            target));
  if (av_match_list(format.name, allowed_formats().c_str(), ',') == 0)
    return fail(
        ErrorCode::kUnsupported,
        fmt::format(
            "{}: is {} ({}), which isn't read; expected a common film, sound or picture; convert it first "
            "(ffmpeg -i IN OUT.mp4)",
            target, format.name, format.long_name ? format.long_name : "no name"));
  return {};
}

}  // namespace braid::ingest::ffmpeg
