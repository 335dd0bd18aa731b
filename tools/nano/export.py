"""The trained weights as GGUF for libmtmd and llama.cpp.

export.py WEIGHTS OUT: writes mmproj-nano.gguf (both encoders) and lora-nano.gguf, matrices as Q8_0.
"""
from pathlib import Path
import sys

import gguf

from nano.checkpoint import read_weights
from nano.encoders import ROW
from nano.tensors import add_kernel, add_matrix, add_vector, finish

BLOCK = dict(attn_qkv="qkv", attn_out="o", ffn_up="up", ffn_down="down")


def add_blocks(writer, prefix, weights, count, norm_bias):
    for i in range(count):
        to, source = f"{prefix}.blk.{i}.", f"blocks.{i}."
        for theirs, ours in BLOCK.items():
            add_matrix(writer, f"{to}{theirs}.weight", weights[f"{source}{ours}.weight"])
            add_vector(writer, f"{to}{theirs}.bias", weights[f"{source}{ours}.bias"])
        for norm in ("ln1", "ln2"):
            add_vector(writer, f"{to}{norm}.weight", weights[f"{source}{norm}.weight"])
            if norm_bias:
                add_vector(writer, f"{to}{norm}.bias", weights[f"{source}{norm}.bias"])


def add_settings(writer, config):
    writer.add_string("general.type", "mmproj")
    writer.add_string("general.name", "nano eyes and ears for SmolLM2-135M-Instruct")
    writer.add_string("general.license", "apache-2.0")
    writer.add_uint32("general.file_type", 7)
    for key in ("has_vision_encoder", "has_audio_encoder", "use_gelu"):
        writer.add_bool(f"clip.{key}", True)
    writer.add_string("clip.vision.projector_type", "nemotron_v2_vl")
    writer.add_string("clip.audio.projector_type", "dots3note_a")
    for name, shape in (("vision", config.vision), ("audio", config.audio)):
        for key, value in (("embedding_length", shape.width), ("attention.head_count", shape.heads),
                           ("feed_forward_length", shape.hidden), ("block_count", shape.layers), ("projection_dim", ROW)):
            writer.add_uint32(f"clip.{name}.{key}", value)
        writer.add_float32(f"clip.{name}.attention.layer_norm_epsilon", 1e-6)
    writer.add_uint32("clip.vision.image_size", config.vision.image)
    writer.add_uint32("clip.vision.patch_size", config.vision.patch)
    writer.add_uint32("clip.vision.projector.scale_factor", config.vision.merge)
    writer.add_array("clip.vision.image_mean", [0.5] * 3)
    writer.add_array("clip.vision.image_std", [0.5] * 3)
    writer.add_uint32("clip.audio.num_mel_bins", config.audio.mels)


def add_eyes(writer, weights, shape):
    add_kernel(writer, "v.patch_embd.weight", weights["patch.weight"])
    add_vector(writer, "v.patch_embd.bias", weights["patch.bias"])
    add_vector(writer, "v.position_embd.weight", weights["place"])
    add_vector(writer, "v.class_embd", weights["register"])
    add_blocks(writer, "v", weights, shape.layers, norm_bias=True)
    for key in ("weight", "bias"):
        add_vector(writer, f"v.post_ln.{key}", weights[f"post.{key}"])
    add_vector(writer, "mm.model.mlp.0.weight", weights["merge_norm.weight"])
    add_matrix(writer, "mm.model.mlp.1.weight", weights["middle.weight"])
    add_matrix(writer, "mm.model.mlp.3.weight", weights["out.weight"])


def add_ears(writer, weights, shape):
    for i in range(3):
        add_kernel(writer, f"a.conv2d.{i + 1}.weight", weights[f"conv.{i}.weight"])
        add_vector(writer, f"a.conv2d.{i + 1}.bias", weights[f"conv.{i}.bias"])
    add_matrix(writer, "a.conv_out.weight", weights["conv_out.weight"])
    add_blocks(writer, "a", weights, shape.layers, norm_bias=False)
    add_vector(writer, "a.post_ln.weight", weights["post.weight"])
    for key in ("weight", "bias"):
        add_vector(writer, f"mm.a.norm_pre.{key}", weights[f"merge_norm.{key}"])
    for i, name in ((1, "middle"), (3, "out")):
        add_matrix(writer, f"mm.a.mlp.{i}.weight", weights[f"{name}.weight"])
        add_vector(writer, f"mm.a.mlp.{i}.bias", weights[f"{name}.bias"])


def add_lora(writer, weights, rank):
    """Names are layers.<i>.<a or b>_<tensor>."""
    writer.add_string("general.type", "adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_string("general.name", "nano adapter for SmolLM2-135M-Instruct")
    writer.add_string("general.license", "apache-2.0")
    writer.add_float32("adapter.lora.alpha", float(rank))
    for name, values in weights.items():
        _, layer, tensor = name.split(".")
        add_matrix(writer, f"blk.{layer}.{tensor[2:]}.weight.lora_{tensor[0]}", values)


def export(folder, out):
    config, _, values = read_weights(folder)
    part = lambda name: {key[len(name) + 1:]: value for key, value in values.items() if key.startswith(f"{name}.")}
    Path(out).mkdir(parents=True, exist_ok=True)
    path = f"{out}/mmproj-nano.gguf"
    writer = gguf.GGUFWriter(path, "clip")
    add_settings(writer, config)
    add_eyes(writer, part("eyes"), config.vision)
    add_ears(writer, part("ears"), config.audio)
    finish(writer, path)
    path = f"{out}/lora-nano.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    add_lora(writer, part("language"), config.lora_rank)
    finish(writer, path)


if __name__ == "__main__":
    export(*sys.argv[1:3])
