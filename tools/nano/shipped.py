"""The shipped GGUFs read back: the weights of training by name, as export.py wrote them."""
import numpy as np

from nano.config import FULL

BLOCK = dict(attn_qkv="qkv", attn_out="o", ffn_up="up", ffn_down="down", ln1="ln1", ln2="ln2")
WHOLE = {"v.patch_embd": "eyes.patch", "v.position_embd": "eyes.place", "v.class_embd": "eyes.register",
         "v.post_ln": "eyes.post", "mm.model.mlp.0": "eyes.merge_norm", "mm.model.mlp.1": "eyes.middle",
         "mm.model.mlp.3": "eyes.out", "a.conv2d.1": "ears.conv.0", "a.conv2d.2": "ears.conv.1", "a.conv2d.3": "ears.conv.2",
         "a.conv_out": "ears.conv_out", "a.post_ln": "ears.post", "mm.a.norm_pre": "ears.merge_norm",
         "mm.a.mlp.1": "ears.middle", "mm.a.mlp.3": "ears.out"}
BARE = {"eyes.place", "eyes.register"}  # parameters, not a module's weight or bias


def _tensors(path):
    import gguf
    for tensor in gguf.GGUFReader(path).tensors:
        shape = [int(n) for n in tensor.shape][::-1]
        yield tensor.name, np.array(gguf.dequantize(tensor.data, tensor.tensor_type), dtype=np.float32).reshape(shape)


def _encoder_name(name):
    """`v.blk.3.attn_qkv.bias` is `eyes.blocks.3.qkv.bias`."""
    stem, _, part = name.rpartition(".")
    if name in WHOLE:  # the class embedding ends without `.weight`
        return WHOLE[name]
    if ".blk." in stem:
        side, _, layer, tensor = stem.split(".")
        return f"{dict(v='eyes', a='ears')[side]}.blocks.{layer}.{BLOCK[tensor]}.{part}"
    return WHOLE[stem] if WHOLE[stem] in BARE else f"{WHOLE[stem]}.{part}"


def _lora_name(name):
    """`blk.3.attn_q.weight.lora_a` is `language.layers.3.a_attn_q`."""
    _, layer, tensor, _, part = name.split(".")
    return f"language.layers.{layer}.{part[-1]}_{tensor}"


def read_shipped(folder):
    """(config, {name: float32 array}) of mmproj-nano.gguf and lora-nano.gguf in the folder, which FULL describes."""
    values = {_encoder_name(name): value for name, value in _tensors(f"{folder}/mmproj-nano.gguf")}
    values.update({_lora_name(name): value for name, value in _tensors(f"{folder}/lora-nano.gguf")})
    values["eyes.register"] = values["eyes.register"].reshape(1, -1)
    return FULL, values
