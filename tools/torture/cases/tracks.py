"""Several tracks and a stated choice; silent ones, cover art, subtitles, data and attachments, which hold nobody up."""

import tempfile
from pathlib import Path

from .. import damage, transport
from ..case import CORNERS, GREEN, Case, case, grid
from ..ffmpeg import X264, corners, edited, made, run, tone

CLOSED = [*X264, "-g", "10", "-bf", "0"]
SRT = "1\n00:00:00,200 --> 00:00:00,800\nHello <i>there</i>\n\n2\n00:00:01,000 --> 00:00:01,500\nBye\n"


def beside(files, *arguments):
    """A maker: ffmpeg with these arguments, in which {name} is one of `files`."""
    def make(path):
        with tempfile.TemporaryDirectory() as folder:
            for name, content in files.items():
                Path(folder, name).write_bytes(content)
            run([argument.replace("{}", folder + "/") if isinstance(argument, str) else argument for argument in arguments] + [path])
    return make


COVER = {"cover.png": damage.png(8, 8, (b"\0" + b"\0\xff\0" * 8) * 8)}
WORDS = {"words.srt": SRT.encode()}
BOTH = [*corners("64x48", 10, 1), *tone(1, 32000)]
TWO_FILMS = [*corners("64x48", 10, 1), "-f", "lavfi", "-i", "color=lime:s=32x32:r=10:d=1", "-map", "0", "-map", "1"]
TWO_SOUNDS = [*tone(1, 32000), "-f", "lavfi", "-i", "aevalsrc=0.1*sin(2765*t):d=0.5:s=32000", "-map", "0", "-map", "1", "-c:a", "pcm_s16le"]


def chosen(name, spec, make, **expect):
    return case(name, make, spec=spec, **expect)


CASES = [
    Case("two_films.mkv", made(*TWO_FILMS, *CLOSED), {"frames": grid(10, 10), "size": [64, 48], "colours": CORNERS, "describes": "video=0 of 2"}, fast=True),
    chosen("second_film.mkv", "video=1,file={file}", made(*TWO_FILMS, *CLOSED), frames=grid(10, 10), size=[32, 32], colours=[GREEN] * 4),
    chosen("third_film.mkv", "video=2,file={file}", made(*TWO_FILMS, *CLOSED), error="usage", says="2 such streams"),
    Case("two_sounds.mkv", made(*TWO_SOUNDS), {"sound": [[0, 1]], "level": [0.3, 0.38], "describes": "audio=0 of 2"}),
    chosen("second_sound.mkv", "audio=1,file={file}", made(*TWO_SOUNDS), sound=[[0, 0.5]], level=[0.06, 0.08]),
    chosen("sound_alone.mkv", "kind=audio,file={file}", made(*BOTH, *CLOSED, "-c:a", "pcm_s16le"), sound=[[0, 1]]),
    chosen("pictures_alone.mkv", "kind=video,file={file}", made(*BOTH, *CLOSED, "-c:a", "pcm_s16le"), frames=grid(10, 10)),
    chosen("no_sound.mkv", "kind=audio,file={file}", made(*corners("64x48", 10, 1), *CLOSED), error="bad_input", says="without an audio stream"),
    Case("silent.ts", edited("ts", [*corners("64x48", 10, 2), *tone(2, 32000), *CLOSED, "-c:a", "mp2", "-muxdelay", "0", "-muxpreload", "0"],
                             transport.without(lambda p, i: transport.pid(p) == transport.AUDIO)), {"frames": grid(10, 20)}, fast=True),
    Case("blind.ts", edited("ts", [*corners("64x48", 10, 2), *tone(2, 32000), *CLOSED, "-c:a", "mp2", "-muxdelay", "0", "-muxpreload", "0"],
                            transport.without(lambda p, i: transport.pid(p) == transport.VIDEO)), {"sound": [[0, 2]], "sound_slack": 0.1}),
    Case("sound_ends_early.mkv", made(*corners("64x48", 10, 3), *tone(1, 32000), *CLOSED, "-c:a", "pcm_s16le"), {"frames": grid(10, 30), "sound": [[0, 1]]}),
    Case("cover.mp3", beside(COVER, *tone(1, 32000), "-i", "{}cover.png", "-map", "0", "-map", "1", "-c:v", "copy", "-disposition:v", "attached_pic"),
         {"sound": [[0, 1]], "sound_slack": 0.1}, fast=True),
    Case("cover.m4a", beside(COVER, *tone(1, 32000), "-i", "{}cover.png", "-map", "0", "-map", "1", "-c:v", "copy", "-c:a", "aac", "-disposition:v", "attached_pic"),
         {"sound": [[0, 1]], "sound_slack": 0.1}),
    Case("cover.flac", beside(COVER, *tone(1, 32000), "-i", "{}cover.png", "-map", "0", "-map", "1", "-c:v", "copy", "-disposition:v", "attached_pic"), {"sound": [[0, 1]]}),
    Case("cover_and_film.mp4", beside(COVER, "-i", "{}cover.png", *corners("64x48", 10, 1), "-map", "0", "-map", "1", "-c:v:0", "copy", "-c:v:1", "libx264", "-pix_fmt:v:1",
                                      "yuv420p", "-disposition:v:0", "attached_pic"), {"frames": grid(10, 10), "colours": CORNERS}),
    Case("attachment.mkv", beside(COVER, *corners("64x48", 10, 1), *CLOSED, "-attach", "{}cover.png", "-metadata:s:t", "mimetype=application/x-truetype-font"),
         {"frames": grid(10, 10)}),
    Case("with_subtitles.mkv", beside(WORDS, *corners("64x48", 10, 2), "-i", "{}words.srt", *CLOSED, "-c:s", "srt"), {"frames": grid(10, 20)}, fast=True),
    Case("with_subtitles.mp4", beside(WORDS, *corners("64x48", 10, 2), "-i", "{}words.srt", *CLOSED, "-c:s", "mov_text"), {"frames": grid(10, 20)}),
    chosen("subtitles_in.mkv", "kind=subtitle,file={file}", beside(WORDS, *corners("64x48", 10, 2), "-i", "{}words.srt", *CLOSED, "-c:s", "srt"),
           lines=[[0.2, 0.8, "Hello there"], [1, 1.5, "Bye"]]),
    chosen("subtitles_in.mp4", "kind=subtitle,file={file}", beside(WORDS, *corners("64x48", 10, 2), "-i", "{}words.srt", *CLOSED, "-c:s", "mov_text"),
           lines=[[0.2, 0.8, "Hello there"], [1, 1.5, "Bye"]]),
    Case("only_subtitles.mkv", beside(WORDS, "-i", "{}words.srt", "-c:s", "srt"), {"error": "bad_input", "says": "kind=subtitle"}),
    Case("timecode.mov", made(*corners("64x48", 10, 1), *CLOSED, "-timecode", "01:00:00:00"), {"frames": grid(10, 10)}),
    Case("sixty_tracks.mkv", made(*tone(1, 8000), *["-map", "0"] * 60, "-c:a", "pcm_s16le"), {"sound": [[0, 1]]}),
    Case("seventy_tracks.mkv", made(*tone(1, 8000), *["-map", "0"] * 70, "-c:a", "pcm_s16le"), {"error": "limit"}),
    Case("two_programmes.ts", made(*TWO_FILMS, *CLOSED, "-program", "st=0", "-program", "st=1", "-muxdelay", "0", "-muxpreload", "0"), {"frames": grid(10, 10), "size": [64, 48]}),
    Case("default_track.mkv", made(*TWO_FILMS, *CLOSED, "-disposition:v:0", "0", "-disposition:v:1", "default"), {"frames": grid(10, 10), "size": [32, 32]}),
]
