#include "chat_grammar.h"

#include <fmt/format.h>
#include <json-schema-to-grammar.h>

#include <exception>

#include "braid/base/utf8.h"
#include "grammar/grammar.h"
#include "grammar/schema_check.h"

namespace braid::engine::llama {

namespace {

void add_trigger(const common_grammar_trigger& trigger, grammar::GrammarSource& source) {
  switch (trigger.type) {
    case COMMON_GRAMMAR_TRIGGER_TYPE_TOKEN:
    case COMMON_GRAMMAR_TRIGGER_TYPE_WORD:
      source.words.push_back(trigger.value);
      return;
    case COMMON_GRAMMAR_TRIGGER_TYPE_PATTERN:
      source.patterns.push_back(trigger.value);
      return;
    case COMMON_GRAMMAR_TRIGGER_TYPE_PATTERN_FULL:
      source.patterns.push_back((trigger.value.starts_with('^') ? "" : "^") + trigger.value +
                                (trigger.value.ends_with('$') ? "" : "$"));
      return;
  }
}

Result<std::string> schema_gbnf(const std::string& schema) {
  double cost_left = grammar::SchemaBounds::kCost;
  const auto checked = grammar::check_schema(schema, cost_left);
  if (!checked) return tl::unexpected(checked.error());
  try {
    return json_schema_to_grammar(common_json::parse(*checked));
  } catch (const std::exception& refused) {
    return fail(ErrorCode::kBadInput, fmt::format("the schema can't be used: {}",
                                                  to_valid_utf8(std::string(refused.what()).substr(0, 200))));
  }
}

}  // namespace

Result<std::shared_ptr<const ChatGrammar>> json_grammar(const std::string& schema,
                                                        const VocabularySource& vocabulary) {
  auto text = schema_gbnf(schema);
  if (!text) return tl::unexpected(text.error());
  grammar::GrammarSource source;
  source.text = std::move(*text);
  return grammar::Grammar::make(std::move(source), vocabulary());
}

Result<std::shared_ptr<const ChatGrammar>> call_grammar(
    const common_chat_params& applied, const std::string& schema,
    const std::vector<std::pair<Token, std::string>>& marks, const VocabularySource& vocabulary) {
  if (applied.grammar.empty()) return nullptr;
  grammar::GrammarSource source;
  source.text = applied.grammar;
  source.lazy = applied.grammar_lazy;
  if (!source.lazy) source.prefix = applied.generation_prompt;
  for (const common_grammar_trigger& trigger : applied.grammar_triggers) add_trigger(trigger, source);
  source.marks = marks;
  if (!schema.empty()) {
    auto other = schema_gbnf(schema);
    if (!other) return tl::unexpected(other.error());
    source.other = std::move(*other);
  }
  return grammar::Grammar::make(std::move(source), vocabulary());
}

}  // namespace braid::engine::llama
