#include "host/prefix_cache.h"

#include <algorithm>
#include <utility>

namespace braid::serve {

namespace {

// Below this a fork and its bookkeeping save nothing to speak of.
constexpr int kLeastShared = 16;

int rows_of(const Piece& piece) {
  if (const auto* tokens = std::get_if<TokenRun>(&piece)) return static_cast<int>(tokens->size());
  return static_cast<int>(std::get<EmbeddingRun>(piece).rows->rows);
}

}  // namespace

SharedRows shared_rows(const Prompt& a, const Prompt& b, int at_most) {
  SharedRows shared;
  for (std::size_t i = 0; i < a.pieces.size() && i < b.pieces.size(); ++i) {
    const auto* left = std::get_if<TokenRun>(&a.pieces[i]);
    const auto* right = std::get_if<TokenRun>(&b.pieces[i]);
    if ((left == nullptr) != (right == nullptr)) return shared;
    const int room = at_most - shared.rows;
    if (left) {
      const auto most = std::min({left->size(), right->size(), static_cast<std::size_t>(std::max(room, 0))});
      const auto end = left->begin() + static_cast<std::ptrdiff_t>(most);
      const auto same =
          static_cast<std::size_t>(std::mismatch(left->begin(), end, right->begin()).first - left->begin());
      shared.rows += static_cast<int>(same);
      shared.positions += static_cast<int>(same);
      // Token runs are never neighbours, so the next piece follows only where both end here.
      if (same < left->size() || same < right->size()) return shared;
    } else {
      const auto& one = std::get<EmbeddingRun>(a.pieces[i]);
      const auto& other = std::get<EmbeddingRun>(b.pieces[i]);
      if (one.rows != other.rows || rows_of(a.pieces[i]) > room) return shared;
      shared.rows += rows_of(a.pieces[i]);
      shared.positions += one.positions;
    }
  }
  return shared;
}

Prompt without_first(const Prompt& prompt, int rows) {
  Prompt rest;
  for (const Piece& piece : prompt.pieces) {
    const int here = rows_of(piece);
    if (rows >= here) {
      rows -= here;
      continue;
    }
    if (const auto* tokens = std::get_if<TokenRun>(&piece))
      rest.append(TokenRun(tokens->begin() + rows, tokens->end()));
    else
      rest.pieces.push_back(piece);
    rows = 0;
  }
  return rest;
}

std::optional<PrefixCache::Match> PrefixCache::find(const Prompt& prompt) {
  const int at_most = prompt.rows() - 1;  // the last row is computed for its logits
  auto best = entries_.end();
  SharedRows most;
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    const SharedRows shared = shared_rows(prompt, entry->contents, at_most);
    if (shared.rows <= most.rows) continue;
    most = shared;
    best = entry;
  }
  if (most.rows < kLeastShared) return std::nullopt;
  entries_.splice(entries_.begin(), entries_, best);
  return Match{best->sequence, most};
}

void PrefixCache::keep(SequenceId sequence, Prompt contents) {
  // What it begins with is of no more use by itself: a conversation goes on from its end.
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if (shared_rows(contents, entry->contents, contents.rows()).rows == entry->rows) drop(entry);
    entry = next;
  }
  const int rows = contents.rows();
  entries_.push_front({sequence, std::move(contents), rows});
  cells_ += rows;
}

void PrefixCache::drop(std::list<Entry>::iterator entry) {
  decoder_.free(entry->sequence);
  ledger_.close(entry->sequence);
  cells_ -= entry->rows;
  entries_.erase(entry);
}

void PrefixCache::trim(int cells, int sequences) {
  while (!entries_.empty() && (cells_ > cells || static_cast<int>(entries_.size()) > sequences))
    drop(std::prev(entries_.end()));
}

}  // namespace braid::serve
