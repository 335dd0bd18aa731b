"""Size, pixel format, sample rate, channels and codec parameters that change in mid-stream. Where transport streams are
joined their packets' counters jump, as where packets are lost; that is reported."""

from ..case import BLUE, CORNERS, RED, Case, grid
from ..ffmpeg import X264, bytes_of, corners, tone

MUX = ["-muxdelay", "0", "-muxpreload", "0"]
CLOSED = [*X264, "-g", "10", "-bf", "0"]


def joined(*parts):
    """A maker: files so made, one behind the other."""
    return lambda path: path.write_bytes(b"".join(bytes_of(ending, *arguments) for ending, arguments in parts))


def second(ending, *arguments, at=1):
    return (ending, [*arguments, *MUX, "-output_ts_offset", str(at)] if ending == "ts" else list(arguments))


def film(size, *encoder, at=0, sound=()):
    return second("ts", *corners(size, 10, 1), *sound, *(encoder or CLOSED), at=at)


def heard(rate, channels, at):
    return second("ts", *tone(1, rate, channels), "-c:a", "mp2", "-b:a", "64k", at=at)


VORBIS = ["-c:a", "libvorbis"]


def sounds_joined(name, ending, encoder, parts, slack=0.1, fast=False):
    """Their containers count samples, at the rate of the first."""
    made = joined(*[(ending, [*tone(1, rate, channels), *encoder]) for rate, channels in parts])
    length = len(parts)
    return [Case(f"{name}.{ending}", made, {"from_to": [0, length], "sound_slack": slack, "level": [0.28, 0.4]}, fast=fast)]


CASES = [
    Case("size_changes.ts", joined(film("64x48"), film("96x64", at=1), film("32x32", at=2)), {
        "frames": grid(10, 30), "sizes": [[64, 48], [96, 64], [32, 32]], "colours": CORNERS, "last_colours": CORNERS, "damage": "any"}, fast=True),
    Case("size_changes.h264", joined(("h264", [*corners("64x48", 25, 1), *CLOSED]), ("h264", [*corners("96x64", 25, 1), *CLOSED])),
         {"frames": grid(25, 50), "sizes": [[64, 48], [96, 64]], "last_colours": CORNERS}, differs="ffprobe gives no times"),
    Case("size_changes.mjpeg", joined(("mjpeg", [*corners("64x48", 25, 1), "-q:v", "2"]), ("mjpeg", [*corners("33x35", 25, 1), "-q:v", "2"])),
         {"frames": grid(25, 50), "sizes": [[64, 48], [33, 35]], "last_colours": CORNERS}),
    Case("size_changes_mpeg2.ts", joined(second("ts", *corners("64x48", 25, 1), "-c:v", "mpeg2video", "-g", "5", "-bf", "0", at=0),
                                         second("ts", *corners("96x64", 25, 1), "-c:v", "mpeg2video", "-g", "5", "-bf", "0", at=1)),
         {"frames": {"count": [49, 50], "to": 1.97}, "sizes": [[64, 48], [96, 64]], "last_colours": CORNERS, "damage": "any"}),
    Case("format_changes.ts", joined(film("64x48"), film("64x48", *X264[:4], "-pix_fmt", "yuv444p", "-g", "10", "-bf", "0", at=1)),
         {"frames": grid(10, 20), "colours": CORNERS, "last_colours": CORNERS, "damage": "any"}, fast=True),
    Case("depth_changes.ts", joined(film("64x48"), film("64x48", *X264[:4], "-pix_fmt", "yuv420p10le", "-g", "10", "-bf", "0", at=1)),
         {"frames": grid(10, 20), "colours": CORNERS, "last_colours": CORNERS, "damage": "any"}),
    Case("shape_changes.ts", joined(film("64x48"), film("64x48", "-vf", "setsar=2/1", *CLOSED, at=1)),
         {"frames": grid(10, 20), "sizes": [[64, 48], [128, 48]], "last_colours": CORNERS, "damage": "any"}),
    Case("colours_change.h264", joined(("h264", ["-f", "lavfi", "-i", "color=red:s=64x48:r=25:d=1", *CLOSED]),
                                       ("h264", ["-f", "lavfi", "-i", "color=blue:s=64x48:r=25:d=1", *CLOSED])),
         {"frames": grid(25, 50), "colours": [RED] * 4, "last_colours": [BLUE] * 4}, differs="ffprobe gives no times"),
    Case("rate_changes.ts", joined(heard(48000, 1, 0), heard(32000, 1, 1)), {"sound": [[0, 2]], "sound_slack": 0.12, "level": [0.28, 0.38], "damage": "any"}, fast=True),
    Case("channels_change.ts", joined(heard(48000, 1, 0), heard(48000, 2, 1)), {"sound": [[0, 2]], "sound_slack": 0.12, "level": [0.28, 0.38], "damage": "any"}),
    *sounds_joined("rate_changes", "aac", [], [(48000, 1), (16000, 1)], slack=0.13, fast=True),
    *sounds_joined("channels_change", "aac", [], [(48000, 1), (48000, 2)]),
    *sounds_joined("all_changes", "aac", [], [(16000, 2), (48000, 1), (16000, 1)], slack=0.25),
    *sounds_joined("rate_changes", "ogg", VORBIS, [(48000, 1), (16000, 1)], fast=True),
    *sounds_joined("channels_change", "ogg", VORBIS, [(48000, 1), (48000, 2)]),
    *sounds_joined("all_changes", "ogg", VORBIS, [(16000, 2), (48000, 1), (16000, 1)]),
    *sounds_joined("rate_changes", "oga", ["-c:a", "flac", "-f", "ogg"], [(48000, 1), (16000, 1)]),
    *sounds_joined("all_changes", "opus", ["-c:a", "libopus"], [(16000, 2), (48000, 1), (16000, 1)]),
    *sounds_joined("rate_changes", "flac", [], [(48000, 1), (16000, 1)]),
    *sounds_joined("channels_change", "flac", [], [(48000, 1), (48000, 2)]),
    Case("rate_changes.mp3", joined(("mp3", [*tone(1, 48000), "-write_xing", "0"]), ("mp3", [*tone(1, 24000), "-write_xing", "0"])),
         {"sound": [[0, 2]], "sound_slack": 0.25, "damage": "any"}),
    Case("chained.opus", joined(("opus", [*tone(1, 48000), "-c:a", "libopus"]), ("opus", [*tone(1, 48000, 2), "-c:a", "libopus"])), {"sound": [[0, 2]], "sound_slack": 0.12}),
]
