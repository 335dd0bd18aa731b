#pragma once
// llama.cpp's notation for grammars, GBNF, read without llama.cpp: its own reader prints, throws and may end
// the process, and its stepper takes exponential time where a grammar is ambiguous.

#include <string_view>

#include "braid/base/result.h"
#include "grammar/program.h"

namespace braid::engine::grammar {

inline constexpr std::size_t kMaxGrammarBytes = 2U << 20;

/// The grammar whose root is the rule "root". Rules, literals, character classes, '.', groups, | * + ? {m,n}
/// and comments; no token references. kBadInput: what can't be read; kLimit: more than kMaxGrammarBytes,
/// groups too deep, too many repetitions (Builder's bounds). Linear in the text and the repetitions. Doesn't
/// throw.
Result<Program> read_gbnf(std::string_view text);

/// Either a text of the first grammar, or `before` and a text of the second. As read_gbnf().
Result<Program> read_either_gbnf(std::string_view first, std::string_view before, std::string_view second);

}  // namespace braid::engine::grammar
