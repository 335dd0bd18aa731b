#pragma once
// The bytes in which times and readings stand in a prompt. models/nano/PROMPT.md fixes them.

#include <string>

#include "braid/packet/packet.h"

namespace braid::encode {

/// "[12.4s]": seconds from the session's start, one decimal.
std::string time_text(SessionTime at);
/// "[12.0-13.6s]".
std::string span_text(SessionTime start, SessionTime end);
/// "press_1 temperature=81.4 pressure=2.1".
std::string reading_text(const std::string& source, const Reading& reading);

}  // namespace braid::encode
