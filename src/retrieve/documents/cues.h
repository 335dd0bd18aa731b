#pragma once
// Subtitles: SubRip and WebVTT.

#include <string_view>

#include "documents/passages.h"

namespace braid::retrieve {

/// Cues that follow one another within 5 s are one passage, up to half a minute and kPassageBytes / 2. Markup
/// is left out, the speaker of a WebVTT voice stands before its words. False: there is no cue.
bool cut_cues(std::string_view text, UtcTime zero, Passages& passages);

}  // namespace braid::retrieve
