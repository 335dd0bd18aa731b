#pragma once
// A vocabulary's texts as a tree, so that one walk over it asks a grammar about every token.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/packet/prompt.h"

namespace braid::engine::grammar {

/// Immutable; any thread.
class VocabularyIndex {
 public:
  /// `piece`: a token's bytes; "" for those that no text has. `ends`: end-of-generation tokens.
  VocabularyIndex(int size, const std::function<std::string(Token)>& piece,
                  const std::function<bool(Token)>& ends);

  int size() const { return static_cast<int>(begins_.size()) - 1; }
  /// The bytes of a token; "" for unknown ids.
  std::string_view piece(Token token) const;
  bool ends_generation(Token token) const;
  const std::vector<Token>& ends() const { return ends_; }

  /// A byte after those of its parent, in preorder.
  struct Node {
    std::uint32_t after;        ///< the first node that isn't below it
    std::uint32_t first_token;  ///< in tokens(); those that end here reach to the next node's
    std::uint16_t depth;        ///< 1: a first byte
    std::uint8_t byte;
  };
  const std::vector<Node>& nodes() const { return nodes_; }  ///< the last is a sentinel
  const std::vector<Token>& tokens() const { return tokens_; }
  int max_depth() const { return max_depth_; }

 private:
  std::string text_;                   // all pieces, one after another
  std::vector<std::uint32_t> begins_;  // [size + 1] in text_
  std::vector<Token> ends_;            // ascending
  std::vector<Node> nodes_;
  std::vector<Token> tokens_;
  int max_depth_ = 0;
};

}  // namespace braid::engine::grammar
