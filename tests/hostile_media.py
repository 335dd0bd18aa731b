"""Small files of many kinds, and those that a server should refuse without harm: bombs, scripts, lies, fragments."""

import struct
import subprocess
import tempfile
import wave
import zlib
from pathlib import Path

PICTURE = ["-f", "lavfi", "-i", "testsrc=s=64x48:r=5:d=1"]
TONE = ["-f", "lavfi", "-i", "sine=400:d=1"]
MADE = {
    "image": {"a.png": [*PICTURE, "-frames:v", "1"], "a.jpg": [*PICTURE, "-frames:v", "1"], "a.webp": [*PICTURE, "-frames:v", "1"],
              "a.gif": PICTURE, "a.bmp": [*PICTURE, "-frames:v", "1"]},
    "sound": {"a.wav": TONE, "a.mp3": TONE, "a.flac": TONE, "a.ogg": [*TONE, "-c:a", "libvorbis"]},
    "film": {"a.mp4": [*PICTURE, *TONE, "-c:v", "libx264", "-c:a", "aac", "-shortest"],
             "a.mkv": [*PICTURE, *TONE, "-c:v", "mjpeg", "-shortest"], "a.ts": [*PICTURE, "-c:v", "mpeg2video"],
             "a.avi": [*PICTURE, "-c:v", "mpeg4"]}}


def make(kind):
    """The valid files' bytes of a kind: image, sound, film."""
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments in MADE[kind].items():
            subprocess.run(["ffmpeg", "-v", "error", "-nostdin", *arguments, str(Path(folder, name))], check=True, timeout=60)
        return [Path(folder, name).read_bytes() for name in MADE[kind]]


def png(width, height, rows, depth=8, colour=2):
    """A PNG that says it is so large, over zlib's bytes of `rows`."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def wav(rate, channels, bits, data, said=None):
    size = len(data) if said is None else said
    form = struct.pack("<HHIIHH", 1, channels, rate, rate * channels * bits // 8 & 0xFFFFFFFF, channels * bits // 8 & 0xFFFF, bits)
    return b"RIFF" + struct.pack("<I", (36 + size) & 0xFFFFFFFF) + b"WAVEfmt " + struct.pack("<I", 16) + form + b"data" + struct.pack(
        "<I", size) + data


def long_sound(seconds):
    with tempfile.NamedTemporaryFile(suffix=".wav") as file:
        with wave.open(file.name, "wb") as out:
            out.setparams((1, 1, 8000, 0, "NONE", ""))
            out.writeframes(bytes(8000 * seconds))
        return Path(file.name).read_bytes()


def hostile():
    """By kind, files that lie."""
    return {
        "image": [png(65535, 65535, b"\x00" * 100), png(2**31 - 1, 1, b""), png(0, 0, b""), png(16000, 16000, bytes(48001 * 1000)),
                  png(64, 48, b""), png(64, 48, b"\x05" * 500, 16, 6), b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0" + b"\xff" * 3000,
                  b"<svg xmlns='http://www.w3.org/2000/svg'><image href='file:///etc/passwd'/></svg>",
                  b"RIFF\xff\xff\xff\xffWEBPVP8X" + b"\xff" * 40, b"GIF89a\xff\xff\xff\xff\xf7\x00\x00" + b"\x00" * 800,
                  b"BM" + b"\xff" * 60, b"P6 99999 99999 255\n" + bytes(100)],
        "sound": [wav(0, 1, 16, bytes(100)), wav(2**32 - 1, 1, 16, bytes(100)), wav(8000, 65535, 16, bytes(1000)),
                  wav(8000, 0, 0, bytes(100)), wav(8000, 1, 16, bytes(100), 2**32 - 1), wav(1, 1, 16, bytes(2000)), b"", b"RIFF",
                  b"ID3\x04\x00\x00\x7f\x7f\x7f\x7f" + bytes(100), b"\xff\xfb" * 3000, b"fLaC\x00\x00\x00\x22" + b"\xff" * 34,
                  long_sound(700), b"OggS" + b"\xff" * 100],
        "film": [b"ffconcat version 1.0\nfile '/etc/passwd'\n", b"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd\n",
                 b"\x00\x00\x00\x08ftyp", b"\x00\x00\x00\x00moov" * 50, b"\x1aE\xdf\xa3" + b"\xff" * 200, b"G" * 188 * 30, b"",
                 b"v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\nm=video 5004 RTP/AVP 96\r\n", b"<?xml version='1.0'?><MPD><BaseURL>file:///etc/"]}
