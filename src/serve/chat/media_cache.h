#pragma once
// What media were encoded to, for clients that send the same picture with every question.

#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>

#include "braid/packet/prompt.h"

namespace braid::serve {

/// SHA-256 of the bytes and what was wanted of them.
using MediaKey = std::array<std::uint8_t, 32>;
MediaKey media_key(std::string_view bytes, std::string_view wanted);

/// Thread-safe. Least recently used go first.
class MediaCache {
 public:
  explicit MediaCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  std::optional<Prompt> find(const MediaKey& key);
  void keep(const MediaKey& key, const Prompt& prompt);

 private:
  struct Entry {
    MediaKey key;
    Prompt prompt;
    std::size_t bytes = 0;
  };

  const std::size_t max_bytes_;
  std::mutex mutex_;          // guards what follows
  std::list<Entry> entries_;  // newest first
  std::map<MediaKey, std::list<Entry>::iterator> by_key_;
  std::size_t bytes_ = 0;
};

}  // namespace braid::serve
