#pragma once
// What the readers of Realtime events share.

#include <string_view>

#include "braid/openai/realtime_config.h"
#include "field_reader.h"

namespace braid::openai {

/// The member is there and is null, which FieldReader doesn't tell from absent.
bool explicit_null(const JsonDoc& doc, JsonIndex object, std::string_view name);

/// Keeps a refusal with code unsupported_value: "Unsupported value: 'PATH': WHY".
void refuse_unsupported(FieldReader& reader, JsonIndex at, std::string_view why);

/// A token limit: an integer or "inf" (which gives none). False: it isn't there, or was refused.
bool read_token_limit(FieldReader& reader, JsonIndex object, const RealtimeAbilities& abilities,
                      std::optional<int>& limit);

/// Refuses all but ["text"].
void read_output_modalities(FieldReader& reader, JsonIndex object);

/// Refuses tools other than none; `object` is a session or a response.
void read_no_tools(FieldReader& reader, JsonIndex object);

/// Merges the session at `at` into `config`; failures stay in the reader.
void merge_session(FieldReader& reader, JsonIndex at, const RealtimeAbilities& abilities,
                   RealtimeConfig& config);

}  // namespace braid::openai
