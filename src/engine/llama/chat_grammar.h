#pragma once
// Grammars of answers: of a JSON schema, and of the calls that a template makes the model write.

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "braid/engine/chat.h"
#include "grammar/vocabulary_index.h"
#include "handles.h"

namespace braid::engine::llama {

/// Gives the model's vocabulary, made when it is first asked for. Any thread.
using VocabularySource = std::function<std::shared_ptr<const grammar::VocabularyIndex>()>;

inline constexpr const char* kAnyObject = R"({"type":"object"})";

/// An answer that is JSON of this schema. kBadInput, kLimit.
Result<std::shared_ptr<const ChatGrammar>> json_grammar(const std::string& schema,
                                                        const VocabularySource& vocabulary);

/// An answer with calls; null where the template binds none. With a `schema`: calls, or JSON of it; `applied`
/// requires calls then.
Result<std::shared_ptr<const ChatGrammar>> call_grammar(
    const common_chat_params& applied, const std::string& schema,
    const std::vector<std::pair<Token, std::string>>& marks, const VocabularySource& vocabulary);

}  // namespace braid::engine::llama
