"""Editors of any bytes: cuts, noise, and what phones write into their pictures."""

import random
import struct
import zlib


def cut(share):
    return lambda data: data[:int(len(data) * share)]


def noise(begin, end, seed=1):
    """Random bytes between two shares of the file."""
    def apply(data):
        rng = random.Random(seed)
        first, last = int(len(data) * begin), int(len(data) * end)
        return data[:first] + rng.randbytes(last - first) + data[last:]
    return apply


def zeros(begin, end):
    def apply(data):
        first, last = int(len(data) * begin), int(len(data) * end)
        return data[:first] + bytes(last - first) + data[last:]
    return apply


def specks(count, begin=0.1, seed=1):
    """Single wrong bytes, behind the head."""
    def apply(data):
        rng, out = random.Random(seed), bytearray(data)
        for _ in range(count):
            out[rng.randrange(int(len(out) * begin), len(out))] = rng.randrange(256)
        return bytes(out)
    return apply


def behind(junk):
    return lambda data: junk + data


def exif(orientation):
    return (b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0" + struct.pack("<H", orientation) + b"\0\0\0\0\0\0")


def jpeg_exif(orientation):
    body = b"Exif\0\0" + exif(orientation)
    return lambda data: data[:2] + b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body + data[2:]


def png_chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png_exif(orientation):
    return lambda data: data[:33] + png_chunk(b"eXIf", exif(orientation)) + data[33:]


def webp_exif(orientation):
    """A simple file made an extended one with an EXIF chunk."""
    def apply(data):
        picture = data[12:]
        width, height = struct.unpack_from("<HH", picture, 14)
        extended = b"VP8X" + struct.pack("<II", 10, 8) + struct.pack("<I", (width & 0x3FFF) - 1)[:3] + struct.pack("<I", (height & 0x3FFF) - 1)[:3]
        told = exif(orientation)
        body = b"WEBP" + extended + picture + b"EXIF" + struct.pack("<I", len(told)) + told + b"\0" * (len(told) % 2)
        return b"RIFF" + struct.pack("<I", len(body)) + body
    return apply


def png(width, height, rows, depth=8, colour=2):
    """A PNG that says it is so large, over zlib's bytes of `rows`."""
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", head) + png_chunk(b"IDAT", zlib.compress(rows, 9)) + png_chunk(b"IEND", b""))
