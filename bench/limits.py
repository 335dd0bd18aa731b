"""How much work a token is, from the model file: bytes that a decode step reads, operations that a prefill row takes."""

import math
import struct

SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY = 8, 9
# Of ggml types that the default model has: values a block, bytes a block.
BLOCKS = {0: (1, 4), 1: (1, 2), 8: (32, 34)}


class Reader:
    def __init__(self, file):
        self.file = file

    def number(self, kind):
        size = struct.calcsize("<" + kind)
        return struct.unpack("<" + kind, self.file.read(size))[0]

    def string(self):
        return self.file.read(self.number("Q")).decode("utf-8", "replace")

    def value(self, kind):
        if kind == STRING:
            return self.string()
        if kind == ARRAY:
            inner, count = self.number("I"), self.number("Q")
            return [self.value(inner) for _ in range(count)]
        return self.number(SCALARS[kind])


def tensors_of(path):
    """{name: (shape, bytes)} and the file's metadata."""
    with open(path, "rb") as file:
        reader = Reader(file)
        if file.read(4) != b"GGUF" or reader.number("I") < 2:
            raise ValueError(f"{path} is not a GGUF of version 2 or later")
        count, pairs = reader.number("Q"), reader.number("Q")
        metadata = {}
        for _ in range(pairs):
            name = reader.string()
            metadata[name] = reader.value(reader.number("I"))
        tensors = {}
        for _ in range(count):
            name = reader.string()
            shape = [reader.number("Q") for _ in range(reader.number("I"))]
            kind = reader.number("I")
            reader.number("Q")
            values, size = BLOCKS[kind]
            tensors[name] = (shape, math.prod(shape) // values * size)
    return tensors, metadata


def work_of(path):
    """Matrix weights alone; attention over a short context is a few per cent of it and left out."""
    tensors, _ = tensors_of(path)
    layers = [shape for name, (shape, _) in tensors.items() if name.startswith("blk.") and len(shape) == 2]
    read = sum(size for name, (_, size) in tensors.items() if name.startswith("blk.") or name.startswith("output"))
    if "output.weight" not in tensors:
        read += tensors["token_embd.weight"][1]  # tied: the whole table is the output matrix
    return {"decode_bytes_per_token": read, "prefill_flop_per_row": 2 * sum(map(math.prod, layers))}
