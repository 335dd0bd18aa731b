#include "realtime_items.h"

#include <algorithm>
#include <utility>

namespace braid::openai {

namespace {

std::size_t bytes_of(const Item& item) {
  std::size_t bytes = 0;
  for (const ItemPart& part : item.content)
    bytes += part.text.size() + part.bytes.size() + (part.transcript ? part.transcript->size() : 0);
  return bytes;
}

}  // namespace

Item* RealtimeItems::find(std::string_view id) {
  const auto found =
      std::find_if(items_.begin(), items_.end(), [&](const Item& item) { return item.id == id; });
  return found == items_.end() ? nullptr : &*found;
}

Item* RealtimeItems::add(Item item, const std::optional<std::string>& after) {
  const bool last = !after;
  if (!last && *after != "root" && find(*after) == nullptr) return nullptr;
  make_room(bytes_of(item));
  auto place = items_.end();
  if (!last) {
    const Item* before = find(*after);  // none: it is first, or the one before was just forgotten
    place = before == nullptr ? items_.begin() : items_.begin() + (before - items_.data()) + 1;
  }
  return &*items_.insert(place, std::move(item));
}

void RealtimeItems::make_room(std::size_t bytes) {
  for (const Item& item : items_) bytes += bytes_of(item);
  while (!items_.empty() && (items_.size() >= limits_.items || bytes > limits_.items_bytes)) {
    bytes -= bytes_of(items_.front());
    items_.erase(items_.begin());
  }
}

bool RealtimeItems::erase(std::string_view id) {
  const Item* item = find(id);
  if (item == nullptr) return false;
  items_.erase(items_.begin() + (item - items_.data()));
  return true;
}

std::string RealtimeItems::before(std::string_view id) const {
  for (std::size_t i = 1; i < items_.size(); ++i)
    if (items_[i].id == id) return items_[i - 1].id;
  return {};
}

}  // namespace braid::openai
