#pragma once
// Which containers are read: a list of what is allowed, so that a format that opens other files or addresses,
// runs scripts or takes any text for a picture is never one of them.

#include <cstdint>
#include <span>
#include <string>

#include "braid/base/result.h"
#include "handles.h"

namespace braid::ingest::ffmpeg {

/// FFmpeg's names, with commas between them: for its own check of formats inside formats.
const std::string& allowed_formats();

/// A WAV that says 0, 2 or 4 GiB, as programs do that write to pipes.
bool is_wav_without_length(std::span<const std::uint8_t> head);

/// kUnsupported: one that isn't read, or that is but not in this form (HEIF, animated WebP). `head`: the
/// first bytes.
Status check_format(const AVInputFormat& format, std::span<const std::uint8_t> head,
                    const std::string& target);

}  // namespace braid::ingest::ffmpeg
