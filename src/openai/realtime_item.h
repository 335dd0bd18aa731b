#pragma once
// Items of a Realtime conversation and the media in events. Failures stay in the reader.

#include <string>
#include <string_view>

#include "braid/openai/realtime_events.h"
#include "field_reader.h"

namespace braid::openai {

/// A message, with its media decoded.
Item read_item(FieldReader& reader, JsonIndex at, const RealtimeConfig& config,
               const RealtimeAbilities& abilities, const RealtimeLimits& limits);

/// The member "audio": base64 of whole samples in the session's input format.
std::string read_sound(FieldReader& reader, JsonIndex object, const RealtimeConfig& config,
                       const RealtimeAbilities& abilities, const RealtimeLimits& limits);

/// The member of that name: base64 or a data URI of what begins as a JPEG, PNG or WebP file does.
std::string read_picture(FieldReader& reader, JsonIndex object, std::string_view name,
                         const RealtimeAbilities& abilities, const RealtimeLimits& limits);

}  // namespace braid::openai
