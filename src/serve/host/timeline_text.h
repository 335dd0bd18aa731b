#pragma once
// The fixed parts of every session's timeline, read once for all of them.

#include "braid/engine/engine.h"
#include "braid/packet/prompt.h"

namespace braid::serve {

/// As kv::Timeline takes them.
struct TimelineText {
  explicit TimelineText(const engine::Tokenizer& tokenizer)
      : begin(tokenizer.tokenize(tokenizer.chat().begin, true)),
        separator(tokenizer.tokenize("\n", false)),
        next_turn(tokenizer.tokenize(tokenizer.chat().next_turn, true)) {}

  const TokenRun begin, separator, next_turn;
};

}  // namespace braid::serve
