"""What is refused before it is decoded, and bombs: little that says or unpacks to much."""

import struct
import zlib

from .. import damage
from ..case import CORNERS, Case, case, grid
from ..ffmpeg import X264, bytes_of, corners, made, tone, written

CLOSED = [*X264, "-g", "10", "-bf", "0"]


def limited(name, make, limits, **expect):
    return case(name, make, limits=limits, fast=True, **expect)


def packed_index():
    """An MP4 whose index is packed and unpacks to 3 GiB, all zeros."""
    packer = zlib.compressobj(9)
    body = b"".join(packer.compress(bytes(1 << 24)) for _ in range(192)) + packer.flush()
    size = 3 << 30
    inner = b"dcomzlib"
    inner = struct.pack(">I", len(inner) + 4) + inner
    told = struct.pack(">II4sI", 0, len(body) + 12, b"cmvd", size)[4:] + body
    cmov = struct.pack(">I4s", 8 + len(inner) + len(told), b"cmov") + inner + told
    return struct.pack(">I4s", 24, b"ftyp") + b"qt  " + bytes(4) + b"qt  " * 2 + struct.pack(">I4s", 8 + len(cmov), b"moov") + cmov


CASES = [
    limited("too_wide.png", made(*corners("64x48"), "-frames:v", "1"), {"max_side": 63}, error="limit", says="64x48"),
    limited("too_many_pixels.png", made(*corners("64x48"), "-frames:v", "1"), {"max_pixels": 64 * 48 - 1}, error="limit", says="64x48"),
    limited("just_right.png", made(*corners("64x48"), "-frames:v", "1"), {"max_pixels": 64 * 48, "max_side": 64}, frames=[0], colours=CORNERS),
    limited("too_wide.mp4", made(*corners("64x48"), *CLOSED), {"max_side": 63}, error="limit", says="64x48"),
    Case("grows.ts", lambda path: path.write_bytes(
        bytes_of("ts", *corners("64x48", 10, 1), *CLOSED) + bytes_of("ts", *corners("256x192", 10, 1), *CLOSED, "-output_ts_offset", "1")),
         {"frames": grid(10, 10), "damage": "some"}, limits={"max_side": 100}, differs="the larger half is refused"),
    limited("too_long.mp4", made(*corners("64x48", 10, 3), *CLOSED), {"max_duration": 2}, error="limit", says="3"),
    limited("too_long.h264", made(*corners("64x48", 25, 3), *CLOSED), {"max_duration": 2}, frames={"count": [50, 51], "to": 2.01}, damage={"says": "2"}),
    limited("too_long.wav", made(*tone(3, 8000)), {"max_duration": 2}, error="limit", says="3"),
    limited("too_long.csv", written(b"time_s,a\n0,1\n1,2\n5,3\n6,4\n"), {"max_duration": 2}, readings=[[0, {"a": "1"}], [1, {"a": "2"}]], damage={"says": "2"}),
    limited("two_streams.mkv", made(*corners(), *tone(), *CLOSED, "-c:a", "pcm_s16le"), {"max_streams": 1}, error="limit", says="streams"),
    limited("inflates.png", made(*corners("640x480"), "-frames:v", "1"), {"max_unpacked_bytes": 100_000}, error="limit"),
    limited("hidden.ts", written(lambda: bytes(1_000_000) + bytes_of("ts", *corners(), *CLOSED)), {"max_probe_bytes": 65536}, error="bad_input", says="65536"),
    Case("bomb.png", written(damage.png(16000, 16000, bytes(48001 * 1000))), {"error": "limit"}, fast=True),
    Case("bomb_wide.png", written(damage.png(2**31 - 1, 1, b"")), {"error": "limit"}),
    Case("bomb_square.png", written(damage.png(65535, 65535, b"\0" * 100)), {"error": "limit"}),
    Case("no_size.png", written(damage.png(0, 0, b"")), {"error": "bad_input"}),
    Case("little_inside.png", written(damage.png(64, 48, b"\0" * 193)), {"error": "bad_input"}),
    Case("bomb.gif", written(b"GIF89a" + struct.pack("<HH", 65535, 65535) + b"\xf7\0\0" + bytes(768) + b"," + struct.pack("<4H", 0, 0, 65535, 65535) + b"\0\x08\x02\x8c\x2d\0;"),
         {"error": "limit"}),
    Case("bomb.ppm", written(b"P6\n99999 99999\n255\n" + bytes(100)), {"error": "limit"}),
    Case("bomb.bmp", written(b"BM" + struct.pack("<IHHI", 200, 0, 0, 54) + struct.pack("<IiiHHIIiiII", 40, 50000, 50000, 1, 24, 0, 0, 0, 0, 0, 0) + bytes(200)), {"error": "limit"}),
    Case("packed_index.mov", written(packed_index), {"error": "limit"}),
]
