#pragma once
// A grammar bound to a vocabulary: what a ChatGrammar is made of.

#include <memory>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "braid/engine/chat.h"
#include "grammar/program.h"
#include "grammar/vocabulary_index.h"

namespace braid::engine::grammar {

struct GrammarSource {
  std::string text;    ///< GBNF
  std::string other;   ///< GBNF of what may come in its place, after `prefix`; empty: nothing
  std::string prefix;  ///< written by the prompt's end already, and part of what the grammar describes
  bool lazy = false;   ///< any text until a trigger is met; the grammar describes what begins with it
  std::vector<std::string> words;  ///< triggers: texts
  std::vector<std::string>
      patterns;  ///< triggers: regular expressions (ECMAScript), found anywhere; "^...$" is
                 ///< the whole answer so far. The first group is where the grammar begins
  std::vector<std::pair<Token, std::string>> marks;  ///< control tokens that are text here
};

class Grammar final : public ChatGrammar, public std::enable_shared_from_this<Grammar> {
 public:
  /// As read_gbnf(); kBadInput also where it allows nothing after `prefix`, kUnsupported where a pattern
  /// can't be used.
  static Result<std::shared_ptr<const ChatGrammar>> make(GrammarSource source,
                                                         std::shared_ptr<const VocabularyIndex> vocabulary);

  std::unique_ptr<TokenFilter> filter() const override;

  const GrammarSource& source() const { return source_; }
  const Program& program() const { return program_; }
  const VocabularyIndex& vocabulary() const { return *vocabulary_; }
  const std::vector<std::regex>& patterns() const { return patterns_; }
  /// A token's bytes, a mark's too.
  std::string_view piece(Token token) const;

 private:
  Grammar(GrammarSource source, Program program, std::vector<std::regex> patterns,
          std::shared_ptr<const VocabularyIndex> vocabulary)
      : source_(std::move(source)),
        program_(std::move(program)),
        patterns_(std::move(patterns)),
        vocabulary_(std::move(vocabulary)) {}

  GrammarSource source_;
  Program program_;
  std::vector<std::regex> patterns_;
  std::shared_ptr<const VocabularyIndex> vocabulary_;
};

}  // namespace braid::engine::grammar
