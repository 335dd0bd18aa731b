#pragma once
// What a camera shows again and again, as one record.

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "braid/retrieve/record.h"

namespace braid::retrieve {

/// A frame's record whose vector is like one of its source's last few, which ended a moment ago, is that one
/// going on. Words that were said or read are not: whoever says a thing twice said it twice. One thread.
class Repeats {
 public:
  static constexpr float kLikeness = 0.95F;  ///< cosine
  static constexpr std::size_t kLast = 64;   ///< of each source
  static constexpr std::size_t kSources = 256;
  static constexpr Nanoseconds kGap = std::chrono::seconds(10);

  /// The record that it goes on with; none: it is new, and remembered.
  std::optional<std::int64_t> repeated(const Record& record, std::span<const float> vector);

 private:
  struct Seen {
    std::int64_t id = 0;
    UtcTime end{};
    std::vector<float> vector;  // of length 1
  };
  std::map<std::pair<std::string, std::string>, std::deque<Seen>> by_source_;  // by session and source
};

}  // namespace braid::retrieve
