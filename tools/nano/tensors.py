"""How tensors are written to a GGUF: matrices as Q8_0, kernels as float16, vectors as float32."""
from pathlib import Path

import gguf
import numpy as np

Q8_0 = gguf.GGMLQuantizationType.Q8_0


def add_matrix(writer, name, values):
    """As Q8_0 where rows divide into its blocks of 32, else as float16."""
    if values.shape[-1] % 32:
        writer.add_tensor(name, np.ascontiguousarray(values).astype(np.float16))
    else:
        writer.add_tensor(name, gguf.quantize(np.ascontiguousarray(values), Q8_0), raw_dtype=Q8_0)


def add_kernel(writer, name, values):
    writer.add_tensor(name, np.ascontiguousarray(values).astype(np.float16))


def add_vector(writer, name, values):
    writer.add_tensor(name, np.ascontiguousarray(values).astype(np.float32))


def finish(writer, path):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    print(f"{path}: {Path(path).stat().st_size / 1e6:.2f} MB")
