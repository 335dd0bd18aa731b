#include "pipeline/reading_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "pipeline/stage_text.h"

namespace braid::serve {

namespace {

constexpr std::size_t kMostChannels = 64;

struct Channel {
  std::string name;
  std::string first, last, least, most;  // as written
  std::optional<double> low, high;       // none: it isn't all numbers
  std::size_t count = 0;

  void add(const std::string& value) {
    const auto number = number_in(value);
    if (count++ == 0) {
      first = least = most = value;
      low = high = number;
    } else if (!number || !low) {
      low = high = std::nullopt;
    } else if (*number < *low) {
      low = number;
      least = value;
    } else if (*number > *high) {
      high = number;
      most = value;
    }
    last = value;
  }

  std::string words() const {
    if (count == 1 || (low && *low == *high)) return fmt::format("{} {}", name, last);
    if (!low)
      return first == last ? fmt::format("{} {}", name, last)
                           : fmt::format("{} {} ({} before)", name, last, first);
    return fmt::format("{} {} ({} before, {} to {} of {})", name, last, first, least, most, count);
  }
};

}  // namespace

std::string words_of(const ReadingValues& values) {
  std::string words;
  for (const auto& [channel, value] : values)
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", channel, value);
  return words;
}

std::string summary_of(const std::vector<const ReadingValues*>& readings) {
  std::vector<Channel> channels;
  for (const ReadingValues* reading : readings)
    for (const auto& [name, value] : *reading) {
      auto channel =
          std::find_if(channels.begin(), channels.end(), [&](const Channel& c) { return c.name == name; });
      if (channel == channels.end()) {
        if (channels.size() == kMostChannels) continue;
        channel = channels.insert(channels.end(), Channel{});
        channel->name = name;
      }
      channel->add(value);
    }
  std::string words;
  for (const Channel& channel : channels) words += (words.empty() ? "" : ", ") + channel.words();
  return words;
}

}  // namespace braid::serve
