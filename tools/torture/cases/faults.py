"""Cut, damaged, headerless and foreign files, and pipes: a damaged part costs that part; what is no media costs a sentence."""

import io
import random
import zipfile

from .. import boxes, damage, transport
from ..case import CORNERS, Case, case, grid
from ..ffmpeg import X264, corners, edited, made, tone, written

CLOSED = [*X264, "-g", "5", "-bf", "0"]
MUX = ["-muxdelay", "0", "-muxpreload", "0"]
# A moving grey keeps every picture's bytes worth something.
FILM = ["-f", "lavfi", "-i", "testsrc=s=128x96:r=10:d=4"]
BOTH = [*FILM, *tone(4, 32000)]
FRAMES = {"from": 0, "to": 3.95}


def broken(name, arguments, *edits, ending=None, **expect):
    return case(name, edited(ending or name.rsplit(".")[1], arguments, *edits), **expect)


def some(least, most):
    return FRAMES | {"count": [least, most]}


CUT = [
    broken("cut_fast_start.mp4", [*BOTH, *CLOSED, "-c:a", "aac", "-movflags", "+faststart"], damage.cut(0.6), frames=some(15, 30), sound="some",
           damage={"says": "cut short"}),
    broken("cut_before_index.mp4", [*BOTH, *CLOSED, "-c:a", "aac"], damage.cut(0.6), error="bad_input", says="index"),
    broken("cut_fragments.mp4", [*FILM, *CLOSED, "-movflags", "frag_keyframe+empty_moov"], damage.cut(0.6), frames=some(15, 30), damage="some"),
    broken("cut.mkv", [*BOTH, *CLOSED, "-c:a", "pcm_s16le"], damage.cut(0.6), frames=some(10, 30), sound="some", damage={"says": "cut short"}),
    broken("cut.webm", [*FILM, "-c:v", "libvpx", "-deadline", "realtime", "-pix_fmt", "yuv420p"], damage.cut(0.6), frames=some(10, 30), damage={"says": "cut short"}),
    broken("cut.avi", [*BOTH, "-c:v", "mjpeg", "-c:a", "pcm_s16le"], damage.cut(0.6), frames=some(15, 30), sound="some", damage="some"),
    broken("cut.flv", [*FILM, *CLOSED], damage.cut(0.6), frames=some(15, 30), damage={"says": "cut short"}),
    broken("cut.ts", [*FILM, *CLOSED, *MUX], damage.cut(0.6), frames=some(15, 30), damage="any"),
    broken("cut.ogg", [*tone(4, 32000), "-c:a", "libvorbis"], damage.cut(0.6), sound="some"),
    broken("cut.flac", tone(4, 32000), damage.cut(0.6), sound="some", damage={"says": "cut short"}),
    broken("cut.wav", [*tone(4, 32000), "-c:a", "pcm_s16le"], damage.cut(0.6), sound=[[0, 2.4]], damage={"from": 2.2}),
    broken("cut.mp3", tone(4, 32000), damage.cut(0.6), sound="some", damage={"says": "cut short"}),
    broken("cut.jpg", [*FILM, "-frames:v", "1"], damage.cut(0.6), frames=[0], damage="some"),
    broken("cut.png", [*FILM, "-frames:v", "1"], damage.cut(0.6), error="bad_input"),
    broken("cut.gif", FILM, damage.cut(0.6), frames=some(10, 30), damage="any"),
    broken("cut.webp", [*FILM, "-frames:v", "1", "-c:v", "libwebp"], damage.cut(0.6), error="bad_input"),
    broken("cut_early.mkv", [*BOTH, *CLOSED, "-c:a", "pcm_s16le"], lambda data: data[:200], error="bad_input"),
]
SPOILT = [
    broken("noise.ts", [*BOTH, *CLOSED, "-c:a", "mp2", *MUX], damage.noise(0.4, 0.5), frames=some(25, 39), sound="some", damage={"from": 1, "to": 2.6}),
    broken("noise.mp4", [*BOTH, *CLOSED, "-c:a", "aac", "-movflags", "+faststart"], damage.noise(0.5, 0.6), frames=some(25, 40), sound="some",
           damage={"from": 1, "to": 3}),
    broken("noise.mkv", [*BOTH, *CLOSED, "-c:a", "mp2", "-cluster_time_limit", "500"], damage.noise(0.4, 0.5), frames=some(20, 40), sound="some", damage={"from": 1, "to": 3}),
    broken("noise.avi", [*FILM, "-c:v", "mjpeg"], damage.noise(0.4, 0.5), frames=some(20, 40), damage={"from": 1, "to": 3}),
    broken("noise.flac", tone(4, 32000), damage.noise(0.4, 0.5), sound="some", damage="some"),
    broken("noise.mp3", tone(4, 32000), damage.noise(0.4, 0.5), sound="some", damage="some"),
    broken("noise.aac", tone(4, 32000), damage.noise(0.4, 0.5), sound="some", damage="some"),
    broken("noise.ogg", [*tone(4, 32000), "-c:a", "libvorbis"], damage.noise(0.4, 0.5), sound="some", damage="some"),
    broken("noise.h264", [*FILM, *CLOSED], damage.noise(0.4, 0.5), frames={"count": [20, 40]}, damage="some"),
    broken("noise.jpg", [*FILM, "-frames:v", "1"], damage.noise(0.5, 0.7), frames=[0], damage="some"),
    broken("specks.ts", [*BOTH, *CLOSED, "-c:a", "mp2", *MUX], damage.specks(20), frames=some(25, 40), sound="some", damage="some"),
    broken("specks.mp4", [*FILM, *CLOSED, "-movflags", "+faststart"], damage.specks(20, 0.2), frames=some(30, 40), damage="some"),
    broken("zeros.mkv", [*FILM, *CLOSED, "-cluster_time_limit", "500"], damage.zeros(0.4, 0.5), frames=some(20, 40), damage={"from": 1, "to": 3}),
    broken("lost_packets.ts", [*BOTH, *CLOSED, "-c:a", "mp2", *MUX], transport.without(lambda p, i: i % 40 == 25 and i > 60), frames=some(20, 40), sound="some", damage="some"),
    broken("one_lost_packet.ts", [*FILM, *CLOSED, *MUX], transport.without(lambda p, i: i == 121), frames=some(30, 40), damage={"from": 0.5, "to": 3.9}),
    broken("lost_key_frame.h264", [*FILM, *X264, "-g", "20", "-bf", "0"], damage.zeros(0.02, 0.3), frames={"count": [15, 40]}, damage="some"),
    broken("junk_before.mp3", tone(1, 32000), damage.behind(b"\0" * 5000), sound=[[0, 1]], sound_slack=0.15),
    broken("junk_before.ts", [*FILM, *CLOSED, *MUX], damage.behind(bytes(random.Random(5).randbytes(5000))), frames=grid(10, 40)),
    broken("starts_inside.ts", [*FILM, *X264, "-g", "20", "-bf", "0", *MUX], transport.without(lambda p, i: 3 < i < 40), frames={"count": [18, 40]}, damage="some"),
    broken("wrong_size.mp4", [*FILM, *CLOSED], boxes.claims_size(16, 16), frames=grid(10, 40), size=[128, 96]),
    broken("wrong_chunks.mp4", [*FILM, *CLOSED], boxes.claims(b"stco", (b"mdia", b"minf", b"stbl"), 8, 2**31), error="bad_input"),
    broken("huge_table.mp4", [*FILM, *CLOSED], boxes.claims(b"stsz", (b"mdia", b"minf", b"stbl"), 8, 2**31 - 1), error="bad_input"),
    broken("huge_sample.mp4", [*FILM, *CLOSED], boxes.claims(b"stsz", (b"mdia", b"minf", b"stbl"), 12, 2**31 - 1), error="bad_input"),
]


def archive():
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as out:
        out.writestr("clip.mp4", b"\0" * 1000)
    return held.getvalue()


ANIMATED = ["-f", "lavfi", "-i", "testsrc=s=64x48:r=5:d=1", "-c:v", "libwebp_anim"]
FOREIGN = [Case(name, written(data), {"error": code} | ({"says": says} if says else {}), spec=spec, fast=fast) for name, data, code, says, spec, fast in [
    ("nothing.mp4", b"", "bad_input", "empty", "{file}", True),
    ("garbage.mp4", random.Random(1).randbytes(100_000), "bad_input", "", "{file}", True),
    ("page.mp4", b"<!DOCTYPE html><html><body>404 not found</body></html>\n" * 20, "bad_input", "", "{file}", False),
    ("archive.mp4", archive, "bad_input", "", "{file}", False),
    ("document.mp4", b"%PDF-1.7\n" + b"1 0 obj << >> endobj\n" * 50, "bad_input", "", "{file}", False),
    ("words.mp4", b"these are words, not media\n" * 200, "bad_input", "", "{file}", False),
    ("program.mp4", b"\x7fELF\2\1\1" + bytes(9) + random.Random(2).randbytes(5000), "bad_input", "", "{file}", False),
    ("list.m3u8", b"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n/etc/passwd\n", "unsupported", "playlist", "{file}", True),
    ("list.ffconcat", b"ffconcat version 1.0\nfile '/etc/passwd'\n", "unsupported", "playlist", "{file}", True),
    ("list.sdp", b"v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=video 5004 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\n", "unsupported", "",
     "{file}", False),
    ("list.mpd", b"<?xml version='1.0'?><MPD xmlns='urn:mpeg:dash:schema:mpd:2011' profiles='urn:mpeg:dash:profile:isoff-on-demand:2011'><Period/></MPD>", "unsupported",
     "", "{file}", False),
    ("drawing.svg", b"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg' width='8' height='8'><image href='file:///etc/passwd'/></svg>", "unsupported", "",
     "{file}", False),
    ("module.mod", b"song" + bytes(1076) + b"M.K." + bytes(5000), "unsupported", "", "{file}", False),
    ("raw_sound.pcm", random.Random(3).randbytes(32000), "bad_input", "", "{file}", False),
    ("photo.heic", b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + b"\0\0\0\x20meta" + bytes(24), "unsupported", "HEIF", "{file}", False),
]] + [
    Case("still.tga", made(*corners("64x48", 10, 1), "-frames:v", "1"), {"error": "unsupported"}),
    Case("animated.webp", made(*ANIMATED), {"error": "unsupported", "says": "animated"}, fast=True),
    Case("protocol.mp4", written(b"x"), {"error": "usage", "says": "isn't read"}, spec="concat://{file}"),
    Case("nested.mp4", written(b"x"), {"error": "not_found"}, spec="subfile,,start,0,end,9,,:{file}"),
    Case("missing.mp4", written(b"x"), {"error": "not_found"}, spec="{file}.not"),
]


def piped(name, arguments, **expect):
    return case(f"piped_{name}", made(*arguments), piped=True, **expect)


PIPED = [
    piped("index_at_end.mp4", [*BOTH, *CLOSED, "-c:a", "aac"], frames=grid(10, 40), sound=[[0, 4]], sound_slack=0.1),
    piped("index_first.mp4", [*BOTH, *CLOSED, "-c:a", "aac", "-movflags", "+faststart"], frames=grid(10, 40), sound=[[0, 4]], sound_slack=0.1),
    piped("fragments.mp4", [*FILM, *CLOSED, "-movflags", "frag_keyframe+empty_moov"], frames=grid(10, 40)),
    piped("film.mkv", [*BOTH, *CLOSED, "-c:a", "pcm_s16le"], frames=grid(10, 40), sound=[[0, 4]]),
    piped("film.ts", [*BOTH, *CLOSED, "-c:a", "mp2", *MUX], frames=grid(10, 40, 481 / 32000), sound=[[0, 4]], sound_slack=0.1),
    piped("film.avi", [*BOTH, "-c:v", "mjpeg", "-c:a", "pcm_s16le"], frames=grid(10, 40), sound=[[0, 4]]),
    piped("sound.wav", [*tone(2, 32000)], sound=[[0, 2]]), piped("sound.mp3", [*tone(2, 32000)], sound=[[0, 2]], sound_slack=0.1),
    piped("sound.flac", [*tone(2, 32000)], sound=[[0, 2]]), piped("sound.ogg", [*tone(2, 32000), "-c:a", "libopus"], sound=[[0, 2]], sound_slack=0.1),
    piped("still.png", [*corners(), "-frames:v", "1"], frames=[0], colours=CORNERS), piped("still.jpg", [*corners(), "-frames:v", "1", "-q:v", "2"], frames=[0], colours=CORNERS),
    piped("film.gif", [*corners()], frames=grid(10, 10), colours=CORNERS),
    Case("piped_cut.mkv", edited("mkv", [*BOTH, *CLOSED, "-c:a", "pcm_s16le"], damage.cut(0.6)), {"frames": some(10, 30), "sound": "some", "damage": "some"}, piped=True),
    Case("piped_garbage.bin", written(random.Random(4).randbytes(200_000)), {"error": "bad_input"}, piped=True),
    Case("piped_nothing.bin", written(b""), {"error": "bad_input"}, piped=True),
]
FAST = {"cut_fast_start.mp4", "cut_before_index.mp4", "cut.mkv", "cut.wav", "cut.jpg", "noise.ts", "noise.mp4", "one_lost_packet.ts", "piped_index_at_end.mp4", "piped_film.ts"}
CASES = CUT + SPOILT + FOREIGN + PIPED
for _case in CASES:
    _case.fast = _case.fast or _case.name in FAST
