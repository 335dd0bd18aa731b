#include "documents/cues.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "braid/calendar/session_range.h"

namespace braid::retrieve {

namespace {

constexpr Nanoseconds kLongestPassage = std::chrono::seconds(30);
constexpr Nanoseconds kLongestGap = std::chrono::seconds(5);
constexpr std::int64_t kMaxHours = 10'000;

struct Cue {
  Nanoseconds start{}, end{};
  std::string text;
  std::size_t offset = 0;
};

/// Digits and what follows them, off the front.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// "01:02:03,456" or "02:03.456", off the front.
std::optional<Nanoseconds> take_time(std::string_view& text) {
  text = trimmed(text);
  std::array<std::int64_t, 3> parts{};
  std::size_t count = 0;
  while (count < parts.size()) {
    const auto part = take_number(text);
    if (!part) return std::nullopt;
    parts[count++] = *part;
    if (!text.starts_with(':')) break;
    text.remove_prefix(1);
  }
  if (count < 2) return std::nullopt;
  const std::int64_t hours = count == 3 ? parts[0] : 0, minutes = parts[count - 2],
                     seconds = parts[count - 1];
  if (hours > kMaxHours || minutes > 59 || seconds > 59) return std::nullopt;
  Nanoseconds time =
      std::chrono::hours(hours) + std::chrono::minutes(minutes) + std::chrono::seconds(seconds);
  if (!text.starts_with(',') && !text.starts_with('.')) return time;
  text.remove_prefix(1);
  for (std::int64_t weight = 100'000'000; !text.empty() && text[0] >= '0' && text[0] <= '9'; weight /= 10) {
    time += Nanoseconds(weight * (text[0] - '0'));
    text.remove_prefix(1);
  }
  return time;
}

std::optional<Cue> timing(std::string_view line) {
  const auto start = take_time(line);
  if (!start) return std::nullopt;
  line = trimmed(line);
  if (!line.starts_with("-->")) return std::nullopt;
  line.remove_prefix(3);
  const auto end = take_time(line);
  if (!end) return std::nullopt;
  return Cue{*start, std::max(*start, *end), {}, 0};
}

/// "<v Anna>Hello &amp; <i>welcome</i>" to "Anna: Hello & welcome".
std::string plain(std::string_view line) {
  constexpr auto kNames = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&nbsp;", " "}, {"&lrm;", ""}, {"&rlm;", ""}});
  std::string text;
  while (!line.empty()) {
    const char close = line.front() == '<' ? '>' : line.starts_with("{\\") ? '}' : '\0';
    if (const std::size_t end = close ? line.find(close) : std::string_view::npos;
        end != std::string_view::npos) {
      const std::string_view tag = line.substr(1, end - 1);
      if (close == '>' && (tag.starts_with("v ") || tag.starts_with("v.")))
        if (const std::size_t space = tag.find(' '); space != std::string_view::npos)
          text += std::string(trimmed(tag.substr(space))) + ": ";
      line.remove_prefix(end + 1);
      continue;
    }
    const auto name = std::find_if(kNames.begin(), kNames.end(),
                                   [&](const auto& one) { return line.starts_with(one.first); });
    text += name == kNames.end() ? line.substr(0, 1) : name->second;
    line.remove_prefix(name == kNames.end() ? 1 : name->first.size());
  }
  return text;
}

class CueGatherer {
 public:
  CueGatherer(UtcTime zero, Passages& passages) : zero_(zero), passages_(passages) {}

  void add(Cue cue) {
    if (trimmed(cue.text).empty()) return;
    const bool joins = !passage_.text.empty() && cue.start >= passage_.start &&
                       cue.start - passage_.end <= kLongestGap &&
                       cue.end - passage_.start <= kLongestPassage &&
                       passage_.text.size() + cue.text.size() < kPassageBytes / 2;
    if (!joins) finish();
    if (joins) {
      passage_.text += '\n' + cue.text;
      passage_.end = std::max(passage_.end, cue.end);
    } else {
      passage_ = std::move(cue);
    }
  }
  void finish() {
    if (passage_.text.empty()) return;
    passages_.add({std::exchange(passage_.text, {}), 0, static_cast<std::int64_t>(passage_.offset),
                   calendar::utc_time(SessionTime(passage_.start), zero_),
                   calendar::utc_time(SessionTime(passage_.end), zero_)},
                  {}, false);
  }

 private:
  UtcTime zero_;
  Passages& passages_;
  Cue passage_;
};

}  // namespace

bool cut_cues(std::string_view text, UtcTime zero, Passages& passages) {
  CueGatherer gatherer(zero, passages);
  std::optional<Cue> cue;
  bool any = false;
  for (std::size_t at = 0; at < text.size() && !passages.full();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trimmed(text.substr(at, end - at));
    auto next = timing(line);
    if (cue && (next || line.empty())) gatherer.add(*std::exchange(cue, std::nullopt));
    if (next) {
      any = true;
      cue = std::move(next);
      cue->offset = at;
    } else if (cue) {
      if (!cue->text.empty()) cue->text += '\n';
      cue->text += plain(line);
    }
    at = end + 1;
  }
  if (cue) gatherer.add(std::move(*cue));
  gatherer.finish();
  return any;
}

}  // namespace braid::retrieve
