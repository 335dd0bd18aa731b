"""A GGUF file of random weights, written with nothing but Python's own library."""
import random
import struct

U32, I32, F32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9  # types of GGUF's values
TENSOR_TYPES = {"f32": 0, "f16": 1, "q8_0": 8}
ALIGNMENT = 32
Q8_BLOCK = 32


def packed_text(value):
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def packed(kind, value):
    if kind == STRING:
        return packed_text(value)
    return struct.pack({U32: "<I", I32: "<i", F32: "<f", BOOL: "<?"}[kind], value)


class GgufFile:
    """Keys and tensors in the order they are added. The same seed and order give the same bytes."""

    def __init__(self, architecture, seed):
        self.architecture = architecture
        self._random = random.Random(seed)
        self._keys = []
        self._tensors = []  # (name, shape, type, bytes)
        self.text("general.architecture", architecture)

    def _add(self, key, kind, value):
        self._keys.append(packed_text(key) + struct.pack("<I", kind) + packed(kind, value))

    def text(self, key, value):
        self._add(key, STRING, value)

    def number(self, key, value):
        self._add(key, U32, value)

    def real(self, key, value):
        self._add(key, F32, value)

    def flag(self, key, value):
        self._add(key, BOOL, value)

    def array(self, key, kind, values):
        head = packed_text(key) + struct.pack("<IIQ", ARRAY, kind, len(values))
        self._keys.append(head + b"".join(packed(kind, value) for value in values))

    def _uniform(self, count, reach, kind):
        """256 equally likely values from -reach to reach."""
        code = "<f" if kind == "f32" else "<e"
        table = [struct.pack(code, reach * (step / 127.5 - 1)) for step in range(256)]
        return b"".join(map(table.__getitem__, self._random.randbytes(count)))

    def _q8_0(self, count, reach):
        scale = struct.pack("<e", reach / 127)
        values = self._random.randbytes(count)
        return b"".join(scale + values[i:i + Q8_BLOCK] for i in range(0, count, Q8_BLOCK))

    def matrix(self, name, columns, *rows, kind="f32", gain=1.0):
        """[..., columns] uniform, such that rows of variance 1 keep about their variance times gain squared."""
        shape = (columns, *rows)
        count = 1
        for side in shape:
            count *= side
        fan_in = count // shape[-1]
        reach = gain * (3 / fan_in) ** 0.5
        data = self._q8_0(count, reach) if kind == "q8_0" else self._uniform(count, reach, kind)
        self._tensors.append((name, shape, kind, data))

    def table(self, name, columns, rows, reach=1.0):
        """[rows, columns] of which single rows are taken."""
        self._tensors.append((name, (columns, rows), "f32", self._uniform(columns * rows, reach, "f32")))

    def ones(self, name, *shape):
        """A norm's weight, a little off 1."""
        values = self._random.randbytes(shape[0])
        data = b"".join(struct.pack("<f", 1 + (value - 127.5) / 1275) for value in values)
        self._tensors.append((name, shape, "f32", data))

    def bias(self, name, *shape):
        self._tensors.append((name, shape, "f32", self._uniform(shape[-1], 0.1, "f32")))

    def norm(self, name, size):
        self.ones(f"{name}.weight", size)
        self.bias(f"{name}.bias", size)

    def linear(self, name, columns, rows, **options):
        self.matrix(f"{name}.weight", columns, rows, **options)
        self.bias(f"{name}.bias", rows)

    def write(self, path):
        header, offset = [], 0
        for name, shape, kind, data in self._tensors:
            header.append(packed_text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *shape)
                          + struct.pack("<IQ", TENSOR_TYPES[kind], offset))
            offset += -(-len(data) // ALIGNMENT) * ALIGNMENT
        head = b"GGUF" + struct.pack("<IQQ", 3, len(self._tensors), len(self._keys)) + b"".join(self._keys + header)
        with open(path, "wb") as file:
            file.write(head + bytes(-len(head) % ALIGNMENT))
            for *_, data in self._tensors:
                file.write(data + bytes(-len(data) % ALIGNMENT))
