#include "braid/ingest/source_spec.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>
#include <vector>

#include "braid/base/nearest.h"
#include "braid/base/utf8.h"

namespace braid::ingest {

namespace {

constexpr std::size_t kMaxText = 8192;  // bytes
constexpr std::size_t kMaxName = 64;
constexpr std::array kKinds = {"auto", "media", "video", "audio", "subtitle", "text", "sensor"};
constexpr std::array kUnits = {"auto", "ns", "us", "ms", "s"};
constexpr std::array kDevices = {"v4l2:", "alsa:", "pulse:"};
constexpr std::array<std::string_view, 14> kKeys = {"name",   "kind",    "file",  "url",      "device",
                                                    "video",  "audio",   "live",  "epoch",    "unit",
                                                    "synced", "isolate", "shift", "reconnect"};

/// The message may quote bytes that are no text.
tl::unexpected<Error> usage(const std::string& message) {
  return fail(ErrorCode::kUsage, without_passwords(to_valid_utf8(message)));
}

bool is_target_key(std::string_view key) { return key == "file" || key == "url" || key == "device"; }

bool is_key(std::string_view key) { return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end(); }

template <class T>
Result<T> number(std::string_view key, std::string_view value) {
  T parsed{};
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
  if (error != std::errc{} || end != value.data() + value.size() || parsed < T{})
    return usage(fmt::format("source: {}={} isn't a whole number from 0 on", key, value));
  return parsed;
}

template <std::size_t N>
Result<std::size_t> one_of(std::string_view key, std::string_view value,
                           const std::array<const char*, N>& names) {
  const auto it = std::find(names.begin(), names.end(), value);
  if (it == names.end())
    return usage(
        fmt::format("source: {}={} is unknown; write one of {}", key, value, fmt::join(names, ", ")));
  return static_cast<std::size_t>(it - names.begin());
}

Status set_name(SourceSpec& spec, std::string_view value) {
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
  };
  if (value.empty() || value.size() > kMaxName || !std::all_of(value.begin(), value.end(), fits))
    return usage(fmt::format("source: name={} can't be used; write 1 to {} letters, digits, '_', '-' or '.'",
                             value, kMaxName));
  spec.name = value;
  return {};
}

template <class T, class U>
Status store(Result<T> parsed, U& to) {
  if (!parsed) return tl::unexpected(parsed.error());
  to = static_cast<U>(*parsed);
  return {};
}

template <class T>
Status store(Result<T> parsed, std::optional<T>& to) {
  if (!parsed) return tl::unexpected(parsed.error());
  to = *parsed;
  return {};
}

Status set(SourceSpec& spec, std::string_view key, std::string_view value) {
  if (key == "name") return set_name(spec, value);
  if (key == "kind") return store(one_of(key, value, kKinds), spec.kind);
  if (key == "unit") return store(one_of(key, value, kUnits), spec.unit);
  if (key == "video") return store(number<int>(key, value), spec.video);
  if (key == "audio") return store(number<int>(key, value), spec.audio);
  if (key == "epoch") return store(number<std::int64_t>(key, value), spec.epoch_us);
  if (key == "synced") {
    const auto ms = number<int>(key, value);
    if (!ms) return tl::unexpected(ms.error());
    if (*ms < 0 || *ms > 10'000)
      return usage(fmt::format("source: synced={}; write 0 to 10000 milliseconds", value));
    spec.synced = Milliseconds(*ms);
    return {};
  }
  if (key == "shift") {
    constexpr int kDayMs = 86'400'000;
    const bool before = value.starts_with('-');
    const auto ms = number<int>(key, value.substr(before ? 1 : 0));
    if (!ms || *ms > kDayMs)
      return usage(fmt::format("source: shift={}; write -86400000 to 86400000 milliseconds", value));
    spec.shift = Milliseconds(before ? -*ms : *ms);
    return {};
  }
  if (key == "isolate") {
    if (value != "on" && value != "off")
      return usage(fmt::format("source: isolate={}; write on or off", value));
    spec.isolate = value == "on";
    return {};
  }
  if (key == "reconnect") {
    const auto s = number<int>(key, value);
    if (!s) return tl::unexpected(s.error());
    spec.reconnect = std::chrono::seconds(*s);
    return {};
  }
  if (key == "live") {
    if (value != "0" && value != "1") return usage(fmt::format("source: live={}; write 0 or 1", value));
    spec.live = value == "1";
    return {};
  }
  if (!spec.target.empty())
    return usage(fmt::format("source: a second {}={}; a source is read from one place", key, value));
  if (value.empty()) return usage(fmt::format("source: {}= is empty; name what to read", key));
  spec.target = value;
  return {};
}

Status parse_pairs(SourceSpec& spec, std::string_view text) {
  std::vector<std::string_view> given;
  while (!text.empty()) {
    const std::size_t equals = text.find('=');
    const std::string_view key = text.substr(0, equals);
    if (equals == std::string_view::npos || !is_key(key))
      return usage(fmt::format("source: '{}' is no file and no key=value of a source; {}",
                               text.substr(0, text.find(',')), did_you_mean(key, kKeys)));
    std::string_view value = text.substr(equals + 1);
    std::size_t end = value.find(',');
    // A target may hold commas: it ends where another key begins.
    if (is_target_key(key))
      while (end != std::string_view::npos) {
        const std::string_view rest = value.substr(end + 1);
        const std::size_t next = rest.find('=');
        if (next != std::string_view::npos && is_key(rest.substr(0, next))) break;
        end = value.find(',', end + 1);
      }
    text = end == std::string_view::npos ? std::string_view{} : value.substr(end + 1);
    if (std::find(given.begin(), given.end(), key) != given.end())
      return usage(fmt::format("source: {}= is given twice; once is enough", key));
    given.push_back(key);
    if (auto done = set(spec, key, value.substr(0, end)); !done) return done;
  }
  if (spec.target.empty()) return usage("source: nothing to read; add file=PATH, url=URL or device=NAME");
  return {};
}

bool starts_with_any(std::string_view text, const auto& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view b) { return text.starts_with(b); });
}

Status place(SourceSpec& spec) {
  static constexpr std::array kHttp = {"http://", "https://"};
  static constexpr std::array kRtsp = {"rtsp://", "rtsps://"};
  const std::string_view target = spec.target;
  if (target == "-") {
    spec.transport = Transport::kPipe;
  } else if (starts_with_any(target, kHttp)) {
    spec.transport = Transport::kHttp;
  } else if (starts_with_any(target, kRtsp)) {
    spec.transport = Transport::kRtsp;
  } else if (starts_with_any(target, kDevices)) {
    spec.transport = Transport::kDevice;
  } else {
    const std::size_t scheme = target.find("://");
    if (scheme != std::string_view::npos && target.find('/') == scheme + 1)
      return usage(
          fmt::format("source: {}:// isn't read; give a path, http(s)://, rtsp://, v4l2:, alsa:, pulse: or -",
                      target.substr(0, scheme)));
  }
  if (spec.transport == Transport::kRtsp || spec.transport == Transport::kDevice) spec.live = true;
  return {};
}

/// "press" of /logs/press.csv, the host of a URL, "video0" of v4l2:/dev/video0.
std::string name_of(const SourceSpec& spec) {
  std::string_view text = spec.target;
  if (spec.transport == Transport::kPipe) return "stdin";
  if (spec.transport == Transport::kHttp || spec.transport == Transport::kRtsp) {
    text.remove_prefix(text.find("://") + 3);
    text = text.substr(0, text.find('/'));
    if (const std::size_t user = text.rfind('@'); user != std::string_view::npos)
      text.remove_prefix(user + 1);
  } else {
    if (const std::size_t slash = text.find_last_of("/:"); slash != std::string_view::npos)
      text.remove_prefix(slash + 1);
    if (const std::size_t dot = text.rfind('.'); spec.transport == Transport::kFile && dot != 0)
      text = text.substr(0, dot);
  }
  std::string name(text.substr(0, kMaxName));
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-' && c != '.') c = '_';
  return name.empty() ? "source" : name;
}

/// What looks like one, so that a mistyped key isn't taken for a file.
bool looks_like_key(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
  });
}

bool exists(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0;
}

}  // namespace

const char* to_string(SourceKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

std::string without_passwords(std::string text) {
  constexpr std::string_view kMark = "://", kMask = "***";
  for (std::size_t at = 0; (at = text.find(kMark, at)) != std::string::npos;) {
    at += kMark.size();
    const std::size_t host_end = std::min(text.find_first_of("/?# '\"", at), text.size());
    const std::size_t user_end = text.substr(at, host_end - at).rfind('@');
    if (user_end == std::string::npos) continue;
    text.replace(at, user_end, kMask);
    at += kMask.size();
  }
  return text;
}

Result<SourceSpec> parse_source_spec(std::string_view text) {
  if (text.empty()) return usage("source: is empty; give a path, URL, device or -");
  if (text.size() > kMaxText || text.find('\0') != std::string_view::npos)
    return usage(
        fmt::format("source: {} bytes; at most {} without zero bytes are taken", text.size(), kMaxText));
  SourceSpec spec;
  const std::size_t equals = text.find('=');
  const bool pairs = equals != std::string_view::npos && looks_like_key(text.substr(0, equals)) &&
                     !exists(std::string(text));
  if (pairs) {
    if (auto parsed = parse_pairs(spec, text); !parsed) return tl::unexpected(parsed.error());
  } else {
    spec.target = text;
  }
  if (auto placed = place(spec); !placed) return tl::unexpected(placed.error());
  if (spec.name.empty()) spec.name = name_of(spec);
  if (std::string shown = without_passwords(spec.target); shown != spec.target)
    spec.secret = std::exchange(spec.target, std::move(shown));
  return spec;
}

}  // namespace braid::ingest
