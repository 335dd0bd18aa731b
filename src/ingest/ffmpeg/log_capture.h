#pragma once
// FFmpeg's log: its lines go to ours, and its last complaint becomes part of our errors.

#include <string>

namespace braid::ingest::ffmpeg {

/// Takes over FFmpeg's log for the process. Idempotent, thread-safe.
void capture_log();
/// ALSA writes its own complaints to standard error; from now on it doesn't. Idempotent.
void silence_sound_cards();
/// The last error line that FFmpeg logged on this thread since the last call; "" for none.
std::string take_last_complaint();
/// The last one about a picture's size, "Picture size 65535x65535 is invalid"; those behind it don't hide it.
std::string take_size_complaint();

}  // namespace braid::ingest::ffmpeg
