"""One to eight channels, low and high rates, holes, and headers of WAV that don't know how long they are."""

import math
import struct

from ..case import Case, case
from ..ffmpeg import made, tone, written

CHANNELS = [(1, 8000), (2, 11025), (3, 16000), (4, 22050), (5, 32000), (6, 44100), (7, 48000), (8, 96000)]


def samples(rate, seconds, channels=1):
    return b"".join(struct.pack("<h", int(16000 * math.sin(2765 * i / rate))) * channels for i in range(int(rate * seconds)))


def wav(rate, channels, bits, data, said=None, tag=1):
    size = len(data) if said is None else said
    form = struct.pack("<HHIIHH", tag, channels, rate, rate * channels * bits // 8 & 0xFFFFFFFF, channels * bits // 8 & 0xFFFF, bits)
    return b"RIFF" + struct.pack("<I", (36 + size) & 0xFFFFFFFF) + b"WAVEfmt " + struct.pack("<I", 16) + form + b"data" + struct.pack("<I", size) + data


def simple(name, make, end=1.0, **expect):
    return case(name, make, **({"sound": [[0, end]]} | expect))


CASES = [Case(f"{channels}_channels_{rate}.wav", made(*tone(1, rate, channels), "-c:a", "pcm_s16le"), {"sound": [[0, 1]], "level": [0.3, 0.38]},
              fast=channels in (1, 8)) for channels, rate in CHANNELS] + [
    simple("192000.flac", made(*tone(1, 192000), "-sample_fmt", "s32")), simple("384000.wav", made(*tone(1, 384000), "-c:a", "pcm_f32le")),
    simple("4000.wav", made(*tone(1, 4000), "-c:a", "pcm_s16le")),
    simple("surround.m4a", made(*tone(1, 48000, 6), "-c:a", "aac"), sound_slack=0.08), simple("surround.ogg", made(*tone(1, 48000, 8), "-c:a", "libvorbis"), sound_slack=0.08),
    # Opposite channels cancel out; a stream that is all in one channel is heard at half its level.
    simple("one_side.wav", made("-f", "lavfi", "-i", "aevalsrc=0.5*sin(2765*t)|0:d=1:s=16000"), level=[0.15, 0.2]),
    simple("endless.wav", written(wav(8000, 1, 16, samples(8000, 1), 0xFFFFFFFF))),
    simple("no_length.wav", written(wav(8000, 1, 16, samples(8000, 1), 0))),
    simple("odd_end.wav", written(wav(8000, 1, 16, samples(8000, 1) + b"\1")), damage={"from": 0.8}),
    Case("empty.wav", written(wav(8000, 1, 16, b"")), {"error": "bad_input"}),
    Case("slow.wav", written(wav(1, 1, 16, bytes(2000))), {"error": "bad_input"}),
    Case("no_rate.wav", written(wav(0, 1, 16, bytes(2000))), {"error": "bad_input"}),
    Case("no_channels.wav", written(wav(8000, 0, 16, bytes(2000))), {"error": "bad_input"}),
    Case("thousand_channels.wav", written(wav(8000, 1000, 16, bytes(200000))), {"error": "bad_input"}),
    Case("fast.wav", written(wav(2**31, 1, 16, bytes(20000))), {"error": "bad_input"}),
    Case("unknown_codec.wav", written(wav(8000, 1, 16, bytes(2000), tag=0x7777)), {"error": "unsupported"}),
]
