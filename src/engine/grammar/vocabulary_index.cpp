#include "grammar/vocabulary_index.h"

#include <algorithm>

namespace braid::engine::grammar {

namespace {
constexpr std::size_t kMaxPiece = 1024;  // bytes; longer tokens are no text
}

VocabularyIndex::VocabularyIndex(int size, const std::function<std::string(Token)>& piece,
                                 const std::function<bool(Token)>& ends) {
  begins_.push_back(0);
  std::vector<Token> order;
  for (Token token = 0; token < size; ++token) {
    if (ends(token)) {
      ends_.push_back(token);
    } else if (const std::string text = piece(token); !text.empty() && text.size() <= kMaxPiece) {
      text_ += text;
      order.push_back(token);
    }
    begins_.push_back(static_cast<std::uint32_t>(text_.size()));
  }
  std::sort(order.begin(), order.end(), [&](Token a, Token b) {
    const int compared = this->piece(a).compare(this->piece(b));
    return compared != 0 ? compared < 0 : a < b;
  });

  std::vector<std::uint32_t> path;  // nodes of the last text
  std::string_view last;
  for (const Token token : order) {
    const std::string_view text = this->piece(token);
    const auto common = static_cast<std::size_t>(
        std::mismatch(last.begin(), last.end(), text.begin(), text.end()).first - last.begin());
    for (; path.size() > common; path.pop_back())
      nodes_[path.back()].after = static_cast<std::uint32_t>(nodes_.size());
    while (path.size() < text.size()) {
      const auto byte = static_cast<std::uint8_t>(text[path.size()]);
      path.push_back(static_cast<std::uint32_t>(nodes_.size()));
      nodes_.push_back(
          {0, static_cast<std::uint32_t>(tokens_.size()), static_cast<std::uint16_t>(path.size()), byte});
    }
    tokens_.push_back(token);
    max_depth_ = std::max(max_depth_, static_cast<int>(text.size()));
    last = text;
  }
  for (const std::uint32_t node : path) nodes_[node].after = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back(
      {static_cast<std::uint32_t>(nodes_.size()) + 1, static_cast<std::uint32_t>(tokens_.size()), 0, 0});
}

std::string_view VocabularyIndex::piece(Token token) const {
  if (token < 0 || static_cast<std::size_t>(token) + 1 >= begins_.size()) return {};
  const auto at = static_cast<std::size_t>(token);
  return std::string_view(text_).substr(begins_[at], begins_[at + 1] - begins_[at]);
}

bool VocabularyIndex::ends_generation(Token token) const {
  return std::binary_search(ends_.begin(), ends_.end(), token);
}

}  // namespace braid::engine::grammar
