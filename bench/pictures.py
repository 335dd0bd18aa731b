"""Pictures that differ, as PNG for a server's requests and as PPM for our own program."""

import base64
import os
import random
import struct
import zlib

WIDTH, HEIGHT, BLOCK = 640, 360, 40


def rows_of(seed):
    """Coloured blocks that get lighter downwards: [HEIGHT] rows of RGB bytes."""
    colour = random.Random(seed)
    rows = []
    for y in range(HEIGHT):
        if y % BLOCK == 0:
            line = b"".join(bytes(colour.randrange(256) for _ in range(3)) * BLOCK for _ in range(WIDTH // BLOCK))
        rows.append(line.translate(bytes((value + y // 4) & 255 for value in range(256))))
    return rows


def png(rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows), 6)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def prepare(folder, count):
    """Writes 0.ppm … into the folder; returns the same pictures as data URIs."""
    os.makedirs(folder, exist_ok=True)
    uris = []
    for index in range(count):
        rows = rows_of(index)
        with open(os.path.join(folder, f"{index}.ppm"), "wb") as file:
            file.write(b"P6\n%d %d\n255\n" % (WIDTH, HEIGHT) + b"".join(rows))
        uris.append("data:image/png;base64," + base64.b64encode(png(rows)).decode())
    return uris


def prepare_film(path, frames):
    """A raw 1080p film (YUV4MPEG2, 10 frames a second) whose blocks move, so that nothing but reading it costs time."""
    width, height = 1920, 1080
    with open(path, "wb") as file:
        file.write(b"YUV4MPEG2 W%d H%d F10:1 Ip A1:1 C420jpeg\n" % (width, height))
        for index in range(frames):
            line = bytes((x // 60 * 37 + index * 29) & 255 for x in range(width))
            other = bytes(255 - value for value in line)
            luma = b"".join((line if y // 60 % 2 else other) for y in range(height))
            file.write(b"FRAME\n" + luma + bytes([128]) * (width * height // 2))
