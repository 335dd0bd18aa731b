#include "braid/decode/text_stream.h"

#include <algorithm>
#include <utility>

#include "braid/base/utf8.h"

namespace braid::decode {

TextStream::TextStream(std::vector<std::string> stops) : stops_(std::move(stops)) {
  for (std::string& stop : stops_) stop = to_valid_utf8(stop);  // so that a match never cuts a character
  std::erase_if(stops_, [](const std::string& stop) { return stop.empty(); });
}

std::string TextStream::push(std::string_view bytes) {
  if (stopped_) return {};
  bytes_ += bytes;
  take_characters(bytes_, pending_);
  return release(false);
}

std::string TextStream::finish() {
  if (stopped_) return {};
  pending_ += to_valid_utf8(std::exchange(bytes_, {}));
  return release(true);
}

std::string TextStream::release(bool at_end) {
  if (cut_at_stop()) return std::exchange(pending_, {});
  const std::size_t shown = pending_.size() - (at_end ? 0 : held_back());
  std::string text = pending_.substr(0, shown);
  pending_.erase(0, shown);
  return text;
}

bool TextStream::cut_at_stop() {
  std::size_t first_end = std::string::npos;
  std::size_t begin = 0;
  for (const std::string& stop : stops_) {
    const std::size_t at = pending_.find(stop);
    if (at == std::string::npos) continue;
    const std::size_t end = at + stop.size();
    if (end < first_end || (end == first_end && at < begin)) {
      first_end = end;
      begin = at;
    }
  }
  stopped_ = first_end != std::string::npos;
  if (stopped_) pending_.resize(begin);
  return stopped_;
}

// Bytes at the end that are the beginning of a stop text.
std::size_t TextStream::held_back() const {
  std::size_t most = 0;
  for (const std::string& stop : stops_)
    for (std::size_t n = std::min(stop.size() - 1, pending_.size()); n > most; --n)
      if (pending_.ends_with(std::string_view(stop).substr(0, n))) most = n;
  return most;
}

}  // namespace braid::decode
