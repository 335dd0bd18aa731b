#include "grammar/grammar.h"

#include <fmt/format.h>

#include <algorithm>

#include "grammar/filter.h"
#include "grammar/gbnf.h"

namespace braid::engine::grammar {

Result<std::shared_ptr<const ChatGrammar>> Grammar::make(GrammarSource source,
                                                         std::shared_ptr<const VocabularyIndex> vocabulary) {
  auto program = source.other.empty() ? read_gbnf(source.text)
                                      : read_either_gbnf(source.text, source.prefix, source.other);
  if (!program) return tl::unexpected(program.error());
  std::vector<std::regex> patterns;
  try {
    for (const std::string& pattern : source.patterns) patterns.emplace_back(pattern);
  } catch (const std::regex_error& refused) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("a trigger of the grammar can't be used: {}", refused.what()));
  }
  std::shared_ptr<const Grammar> made(
      new Grammar(std::move(source), std::move(*program), std::move(patterns), std::move(vocabulary)));
  if (const Status begun = Filter(made).status(); !begun)
    return fail(begun.error().code == ErrorCode::kLimit ? ErrorCode::kLimit : ErrorCode::kBadInput,
                begun.error().message);
  return made;
}

std::unique_ptr<TokenFilter> Grammar::filter() const { return std::make_unique<Filter>(shared_from_this()); }

std::string_view Grammar::piece(Token token) const {
  const auto mark = std::find_if(source_.marks.begin(), source_.marks.end(),
                                 [&](const auto& known) { return known.first == token; });
  return mark == source_.marks.end() ? vocabulary_->piece(token) : std::string_view(mark->second);
}

}  // namespace braid::engine::grammar
