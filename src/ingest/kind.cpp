#include "kind.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>

#include "json_line.h"

namespace braid::ingest {

namespace {

constexpr std::size_t kLookBytes = 16 << 10;
constexpr std::size_t kMaxMembers = 256;

std::string ending_of(std::string_view target) {
  const std::size_t dot = target.rfind('.');
  if (dot == std::string_view::npos || target.find('/', dot) != std::string_view::npos) return {};
  std::string ending(target.substr(dot + 1));
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return ending;
}

template <std::size_t N>
bool among(std::string_view text, const std::array<std::string_view, N>& all) {
  return std::find(all.begin(), all.end(), text) != all.end();
}

/// The first line that isn't blank; "" where it can't be read without waiting.
std::string first_line(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  std::ifstream file(path, std::ios::binary);
  std::string head(kLookBytes, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  const std::size_t begin = head.find_first_not_of("\xEF\xBB\xBF \t\r\n");
  if (begin == std::string::npos) return {};
  return head.substr(begin, head.find_first_of("\r\n", begin) - begin);
}

bool has_text_member(const std::string& line) {
  const auto members = parse_json_line(line, kMaxMembers);
  return members && std::any_of(members->begin(), members->end(),
                                [](const JsonMember& m) { return m.key == "text" && m.is_string; });
}

}  // namespace

SourceKind guess_kind(const SourceSpec& spec) {
  static constexpr std::array<std::string_view, 4> kSubtitles = {"srt", "vtt", "ass", "ssa"};
  static constexpr std::array<std::string_view, 4> kTexts = {"txt", "text", "md", "log"};
  static constexpr std::array<std::string_view, 2> kTables = {"csv", "tsv"};
  if (spec.transport == Transport::kRtsp || spec.transport == Transport::kDevice) return SourceKind::kMedia;
  const std::string ending = ending_of(spec.target);
  if (among(ending, kSubtitles)) return SourceKind::kSubtitle;
  if (among(ending, kTables)) return SourceKind::kSensor;
  const std::string line = spec.transport == Transport::kFile ? first_line(spec.target) : "";
  if (line.starts_with('{')) {
    if (has_text_member(line)) return SourceKind::kText;
    if (parse_json_line(line, kMaxMembers)) return SourceKind::kSensor;
  }
  if (ending == "jsonl" || ending == "ndjson") return SourceKind::kSensor;
  if (line.starts_with("WEBVTT")) return SourceKind::kSubtitle;
  return among(ending, kTexts) ? SourceKind::kText : SourceKind::kMedia;
}

}  // namespace braid::ingest
