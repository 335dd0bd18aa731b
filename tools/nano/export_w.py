"""nano-w's mmproj: our eyes, whisper-base's encoder and our projector in one file for libmtmd (needs numpy and gguf alone).

export_w.py WHEEL1 WHEEL2 MMPROJ-NANO.gguf EARS.gguf OUT.gguf  at set-up: the whole from its parts
export_w.py PROJECTOR.npz EARS.gguf                            after training: what is shipped, the projector as Q8_0
"""
import sys

import gguf
import numpy as np

from nano.tensors import add_kernel, add_matrix, add_vector, finish
from nano.whisper_file import BLOCK, HEADS, HIDDEN, LAYERS, MELS, ROW, STACK, WIDTH, read_encoder


def ship(projector, out):
    """The trained projector under libmtmd's names."""
    values = {name.removeprefix("projector."): value for name, value in np.load(projector).items()}
    writer = gguf.GGUFWriter(out, "clip")
    writer.add_string("general.type", "mmproj")
    writer.add_string("general.name", "nano-w's projector from whisper-base to SmolLM2-135M-Instruct")
    writer.add_string("general.license", "apache-2.0")
    for part in ("weight", "bias"):
        add_vector(writer, f"mm.a.norm_pre.{part}", values[f"norm.{part}"])
    for i, name in ((1, "middle"), (2, "out")):
        add_matrix(writer, f"mm.a.mlp.{i}.weight", values[f"{name}.weight"])
        add_vector(writer, f"mm.a.mlp.{i}.bias", values[f"{name}.bias"])
    add_vector(writer, "v.boi", values["first"])
    add_vector(writer, "v.eoi", values["last"])
    finish(writer, out)


def copy_tensors(writer, path, wanted):
    for tensor in gguf.GGUFReader(path).tensors:
        if wanted(tensor.name):
            writer.add_tensor(tensor.name, np.ascontiguousarray(tensor.data), raw_dtype=tensor.tensor_type)


def copy_settings(writer, path):
    """All that mmproj-nano.gguf says of its eyes."""
    for name, field in gguf.GGUFReader(path).fields.items():
        if name.startswith("clip.vision."):
            kind = field.types[0]
            if kind == gguf.GGUFValueType.ARRAY:
                writer.add_array(name, field.contents())
            else:
                writer.add_key_value(name, field.contents(), kind)


def add_settings(writer, mmproj):
    writer.add_string("general.type", "mmproj")
    writer.add_string("general.name", "nano's eyes and whisper-base's encoder for SmolLM2-135M-Instruct")
    writer.add_uint32("general.file_type", 7)
    for key in ("has_vision_encoder", "has_audio_encoder", "use_gelu"):
        writer.add_bool(f"clip.{key}", True)
    copy_settings(writer, mmproj)
    writer.add_string("clip.audio.projector_type", "glma")
    writer.add_bool("clip.audio.unpadded", True)
    for key, value in (("embedding_length", WIDTH), ("attention.head_count", HEADS), ("feed_forward_length", HIDDEN),
                       ("block_count", LAYERS), ("projection_dim", ROW), ("num_mel_bins", MELS),
                       ("projector.stack_factor", STACK)):
        writer.add_uint32(f"clip.audio.{key}", value)
    writer.add_float32("clip.audio.attention.layer_norm_epsilon", 1e-5)


def add_encoder(writer, values):
    for i in (1, 2):
        add_kernel(writer, f"a.conv1d.{i}.weight", values[f"conv{i}/weight"])
        add_vector(writer, f"a.conv1d.{i}.bias", values[f"conv{i}/bias"].reshape(-1, 1))
    add_vector(writer, "a.position_embd.weight", values["position_encodings/encodings"])
    for i in range(LAYERS):
        part = lambda name: values[f"layer_{i}/{BLOCK[name]}"]
        qkv, bias = part("qkv.weight").reshape(3, WIDTH, WIDTH), part("qkv.bias").reshape(3, WIDTH)
        for k, name in enumerate("qkv"):
            add_matrix(writer, f"a.blk.{i}.attn_{name}.weight", qkv[k])
            if name != "k":  # whisper has none there, and libmtmd insists
                add_vector(writer, f"a.blk.{i}.attn_{name}.bias", bias[k])
        for ours, theirs in (("o", "attn_out"), ("up", "ffn_up"), ("down", "ffn_down")):
            add_matrix(writer, f"a.blk.{i}.{theirs}.weight", part(f"{ours}.weight"))
            add_vector(writer, f"a.blk.{i}.{theirs}.bias", part(f"{ours}.bias"))
        for norm in ("ln1", "ln2"):
            for key in ("weight", "bias"):
                add_vector(writer, f"a.blk.{i}.{norm}.{key}", part(f"{norm}.{key}"))
    add_vector(writer, "a.post_ln.weight", values["layer_norm/gamma"])
    add_vector(writer, "a.post_ln.bias", values["layer_norm/beta"])


def whole(encoder, mmproj, ears, out):
    """encoder: read_encoder's."""
    writer = gguf.GGUFWriter(out, "clip")
    add_settings(writer, mmproj)
    copy_tensors(writer, mmproj, lambda name: name.startswith(("v.", "mm.model.")))
    add_encoder(writer, encoder)
    copy_tensors(writer, ears, lambda name: True)
    finish(writer, out)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        ship(*sys.argv[1:])
    else:
        whole(read_encoder(sys.argv[1:3]), *sys.argv[3:])
