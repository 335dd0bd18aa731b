#pragma once
// Prompts of conversations that were rendered before.

#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <unordered_map>

#include "braid/base/result.h"
#include "braid/engine/chat.h"

namespace braid::engine::llama {

/// A template takes a third of a millisecond, and is mostly given what it was given before: texts of clients
/// are placeholders while it runs. Kept are conversations without tools and schemas, up to kMaxBytes each,
/// the kMaxKept used last. Thread-safe.
class RenderCache {
 public:
  static constexpr std::size_t kMaxKept = 64;
  static constexpr std::size_t kMaxBytes = 4096;

  using Render = std::function<Result<RenderedChat>(const ChatInput&)>;
  /// By `render`, or what it made of the same before. `minute`: since any epoch; templates may write the
  /// time, so what another minute's rendering made isn't taken.
  Result<RenderedChat> get(const ChatInput& input, std::int64_t minute, const Render& render);

 private:
  struct Kept {
    std::string key;
    std::int64_t minute = 0;
    RenderedChat rendered;
  };

  std::mutex mutex_;      // guards what follows
  std::list<Kept> kept_;  // used last first
  std::unordered_map<std::string, std::list<Kept>::iterator> by_key_;
};

}  // namespace braid::engine::llama
