#include "render_cache.h"

#include <utility>

namespace braid::engine::llama {

namespace {

void add(std::string& key, const std::string& text) {
  key += std::to_string(text.size());
  key += ':';
  key += text;
}

/// Different for different conversations; empty: not kept.
std::string key_of(const ChatInput& input) {
  std::string key;
  if (!input.tools.empty() || !input.json_schema.empty() || input.json_object) return key;
  for (const ChatTurn& turn : input.turns) {
    if (!turn.tool_calls.empty() || key.size() + turn.content.size() > RenderCache::kMaxBytes) return {};
    for (const std::string* text : {&turn.role, &turn.content, &turn.tool_call_id, &turn.name})
      add(key, *text);
  }
  return key.size() <= RenderCache::kMaxBytes ? key : std::string();
}

}  // namespace

Result<RenderedChat> RenderCache::get(const ChatInput& input, std::int64_t minute, const Render& render) {
  std::string key = key_of(input);
  if (key.empty()) return render(input);
  {
    const std::scoped_lock lock(mutex_);
    const auto found = by_key_.find(key);
    if (found != by_key_.end() && found->second->minute == minute) {
      kept_.splice(kept_.begin(), kept_, found->second);
      return found->second->rendered;
    }
  }
  auto made = render(input);
  if (!made) return made;
  const std::scoped_lock lock(mutex_);
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    found->second->minute = minute;
    found->second->rendered = *made;
    return made;
  }
  kept_.push_front({key, minute, *made});
  by_key_.emplace(std::move(key), kept_.begin());
  if (kept_.size() > kMaxKept) {
    by_key_.erase(kept_.back().key);
    kept_.pop_back();
  }
  return made;
}

}  // namespace braid::engine::llama
