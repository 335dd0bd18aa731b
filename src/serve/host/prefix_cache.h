#pragma once
// Prompts that were answered lately, still in the KV cache: what begins like one of them shares its cells.

#include <list>
#include <optional>

#include "braid/engine/engine.h"
#include "braid/kv/ledger.h"
#include "braid/packet/prompt.h"

namespace braid::serve {

/// Rows from the beginning that two prompts share: equal tokens, and media of the very same embeddings. A
/// medium is shared whole or not at all.
struct SharedRows {
  int rows = 0;
  int positions = 0;
};
SharedRows shared_rows(const Prompt& a, const Prompt& b, int at_most);

/// `prompt` without its first `rows`, which end between two rows of text or after a medium.
Prompt without_first(const Prompt& prompt, int rows);

/// Least recently used go first. Engine thread.
class PrefixCache {
 public:
  PrefixCache(engine::Decoder& decoder, kv::Ledger& ledger) : decoder_(decoder), ledger_(ledger) {}

  struct Match {
    SequenceId sequence;
    SharedRows shared;
  };
  /// The sequence that shares the most rows, at most all but the prompt's last. None worth the fork: nothing.
  std::optional<Match> find(const Prompt& prompt);

  /// Takes a sequence over that holds exactly `contents`.
  void keep(SequenceId sequence, Prompt contents);

  /// Frees the oldest until no more than so many cells and sequences are held. Cells that several hold count
  /// for each.
  void trim(int cells, int sequences);

  int cells() const { return cells_; }
  int sequences() const { return static_cast<int>(entries_.size()); }

 private:
  struct Entry {
    SequenceId sequence;
    Prompt contents;
    int rows = 0;
  };
  void drop(std::list<Entry>::iterator entry);

  engine::Decoder& decoder_;
  kv::Ledger& ledger_;
  std::list<Entry> entries_;  // newest first
  int cells_ = 0;
};

}  // namespace braid::serve
