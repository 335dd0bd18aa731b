#include "braid/packet/prompt.h"

#include <utility>

namespace braid {

std::size_t Prompt::bytes() const {
  std::size_t bytes = 0;
  for (const Piece& piece : pieces) {
    if (const auto* tokens = std::get_if<TokenRun>(&piece)) bytes += tokens->size() * sizeof(Token);
    if (const auto* run = std::get_if<EmbeddingRun>(&piece))
      bytes += run->rows->values.size() * sizeof(float);
  }
  return bytes;
}

int Prompt::rows() const {
  int n = 0;
  for (const Piece& piece : pieces) {
    if (const auto* tokens = std::get_if<TokenRun>(&piece)) n += static_cast<int>(tokens->size());
    if (const auto* run = std::get_if<EmbeddingRun>(&piece)) n += static_cast<int>(run->rows->rows);
  }
  return n;
}

int Prompt::positions() const {
  int n = 0;
  for (const Piece& piece : pieces) {
    if (const auto* tokens = std::get_if<TokenRun>(&piece)) n += static_cast<int>(tokens->size());
    if (const auto* run = std::get_if<EmbeddingRun>(&piece)) n += run->positions;
  }
  return n;
}

void Prompt::append(TokenRun tokens) {
  if (tokens.empty()) return;
  if (!pieces.empty())
    if (auto* last = std::get_if<TokenRun>(&pieces.back())) {
      last->insert(last->end(), tokens.begin(), tokens.end());
      return;
    }
  pieces.emplace_back(std::move(tokens));
}

void Prompt::append(const Prompt& other) {
  for (const Piece& piece : other.pieces) {
    if (const auto* tokens = std::get_if<TokenRun>(&piece))
      append(*tokens);
    else
      pieces.push_back(piece);
  }
}

}  // namespace braid
