#pragma once
// The conversation's list of items, bounded.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/openai/realtime_events.h"

namespace braid::openai {

class RealtimeItems {
 public:
  /// `limits` outlive it.
  explicit RealtimeItems(const RealtimeLimits& limits) : limits_(limits) {}

  Item* find(std::string_view id);
  /// Puts it after `after`: none: last, "root": first. Null: there is no such item. Forgets the oldest
  /// where there would be too many.
  Item* add(Item item, const std::optional<std::string>& after);
  bool erase(std::string_view id);
  /// The id of the one before `id`; empty: it is the first.
  std::string before(std::string_view id) const;
  /// Null: there is none.
  Item* last() { return items_.empty() ? nullptr : &items_.back(); }
  const std::vector<Item>& all() const { return items_; }
  std::size_t size() const { return items_.size(); }

 private:
  void make_room(std::size_t bytes);

  const RealtimeLimits& limits_;
  std::vector<Item> items_;
};

}  // namespace braid::openai
