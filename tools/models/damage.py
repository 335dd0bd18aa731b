"""Broken GGUF files: name -> bytes, each made from a whole one."""
import random
import struct

from models.gguf_file import F32, STRING, U32, packed, packed_text

HEAD = struct.Struct("<4sIQQ")  # magic, version, tensors, keys


class Parts:
    """A file's header where the damage is done, found by the texts in it."""

    def __init__(self, whole):
        self.whole = whole
        _, self.version, self.tensors, self.keys = HEAD.unpack_from(whole)

    def head(self, magic=b"GGUF", version=3, tensors=None, keys=None):
        fields = (magic, version, self.tensors if tensors is None else tensors, self.keys if keys is None else keys)
        return HEAD.pack(*fields) + self.whole[HEAD.size:]

    def at(self, text, offset, code, value):
        """The bytes `offset` behind a key's or a tensor's name, overwritten."""
        place = self.whole.index(packed_text(text)) + 8 + len(text.encode()) + offset
        new = struct.pack(code, value)
        return self.whole[:place] + new + self.whole[place + len(new):]

    def value(self, key, number, code="<I"):
        return self.at(key, 4, code, number)

    def text(self, key, value):
        """Another text as the key's value. What comes behind the header moves, but not by its offsets."""
        place = self.whole.index(packed_text(key)) + 8 + len(key) + 4
        (length,) = struct.unpack_from("<Q", self.whole, place)
        return self.whole[:place] + packed_text(value) + self.whole[place + 8 + length:]

    def with_key(self, key, kind, value):
        added = packed_text(key) + struct.pack("<I", kind) + packed(kind, value)
        return self.head(keys=self.keys + 1)[:HEAD.size] + added + self.whole[HEAD.size:]

    def renamed(self, old, new):
        """A name of the same length in place of another: what was there is missing."""
        assert len(old) == len(new) and packed_text(old) in self.whole, old
        return self.whole.replace(packed_text(old), packed_text(new))


def cuts(parts):
    whole = parts.whole
    tensors = whole.index(packed_text("token_embd.weight")) if b"token_embd.weight" in whole else len(whole) // 4
    places = [0, 3, 4, 7, 8, 20, 24, 40, 300, tensors, tensors + 30, len(whole) // 2, len(whole) - 1]
    return {f"cut-at-{place}": whole[:place] for place in places}


def headers(parts):
    big_endian = struct.pack(">4sIQQ", b"GGUF", 3, parts.tensors, parts.keys) + parts.whole[HEAD.size:]
    return {
        "foreign": b"RIFF" + parts.whole[4:], "big-endian": big_endian,
        "version-0": parts.head(version=0), "version-1": parts.head(version=1), "version-999": parts.head(version=999),
        "no-tensors": parts.head(tensors=0), "one-tensor-more": parts.head(tensors=parts.tensors + 1),
        "huge-tensor-count": parts.head(tensors=1 << 63), "tensor-count-2-32": parts.head(tensors=1 << 32),
        "no-keys": parts.head(keys=0), "one-key-more": parts.head(keys=parts.keys + 1),
        "huge-key-count": parts.head(keys=1 << 60),
        "key-of-2-62-bytes": parts.whole[:HEAD.size] + struct.pack("<Q", 1 << 62) + parts.whole[HEAD.size + 8:],
        "text-of-2-40-bytes": parts.at("general.name", 4, "<Q", 1 << 40),
        "key-type-99": parts.at("general.name", 0, "<I", 99),
        "key-type-array-of-arrays": parts.at("general.name", 0, "<I", 9),
        "alignment-0": parts.with_key("general.alignment", U32, 0),
        "alignment-3": parts.with_key("general.alignment", U32, 3),
        "alignment-2-31": parts.with_key("general.alignment", U32, 1 << 31),
        "alignment-a-float": parts.with_key("general.alignment", F32, 32.0),
        "key-twice": parts.with_key("general.name", STRING, "again")}


def tensors(parts, name):
    """`name`: of a two-dimensional one. Behind it: dimensions, sides, type, offset."""
    return {
        "tensor-type-200": parts.at(name, 20, "<I", 200), "tensor-type-negative": parts.at(name, 20, "<i", -1),
        "tensor-of-0-dimensions": parts.at(name, 0, "<I", 0), "tensor-of-5-dimensions": parts.at(name, 0, "<I", 5),
        "tensor-side-0": parts.at(name, 4, "<Q", 0), "tensor-side-2-62": parts.at(name, 4, "<Q", 1 << 62),
        "tensor-sides-overflow": parts.at(name, 12, "<Q", 1 << 58), "tensor-side-negative": parts.at(name, 4, "<q", -64),
        "tensor-offset-odd": parts.at(name, 24, "<Q", 7), "tensor-offset-far": parts.at(name, 24, "<Q", 1 << 40),
        "tensors-overlap": parts.at(name, 24, "<Q", 32)}


def model_keys(parts, family):
    number = lambda key, value: parts.value(f"{family}.{key}", value)
    return {
        "no-layers": number("block_count", 0), "a-billion-layers": number("block_count", 10 ** 9),
        "no-heads": number("attention.head_count", 0), "three-heads": number("attention.head_count", 3),
        "no-kv-heads": number("attention.head_count_kv", 0), "five-kv-heads": number("attention.head_count_kv", 5),
        "rows-of-0": number("embedding_length", 0), "rows-of-96": number("embedding_length", 96),
        "rows-of-4-billion": number("embedding_length", 0xFFFFFFFF),
        "no-feed-forward": number("feed_forward_length", 0), "feed-forward-wide": number("feed_forward_length", 256),
        "head-of-0": number("attention.key_length", 0), "head-of-7": number("attention.key_length", 7),
        "value-head-of-64": number("attention.value_length", 64),
        "no-context": number("context_length", 0), "norm-nan": parts.value(
            f"{family}.attention.layer_norm_rms_epsilon", float("nan"), "<f"),
        "unknown-family": parts.renamed("general.architecture", "general.architextura"[:20]),
        "end-token-out-of-range": parts.value("tokenizer.ggml.eos_token_id", 1 << 30),
        "tokens-missing": parts.renamed("tokenizer.ggml.tokens", "tokenizer.ggml.tokenz"),
        "merges-missing": parts.renamed("tokenizer.ggml.merges", "tokenizer.ggml.mergez"),
        "types-missing": parts.renamed("tokenizer.ggml.token_type", "tokenizer.ggml.token_typo"),
        "embeddings-missing": parts.renamed("token_embd.weight", "token_embx.weight"),
        "layer-1-missing": parts.renamed("blk.1.ffn_up.weight", "blk.7.ffn_up.weight"),
        "fewer-tokens": parts.at("tokenizer.ggml.tokens", 8, "<Q", 40)}


def encoder_keys(parts):
    number = lambda key, value: parts.value(f"clip.vision.{key}", value)
    return {
        "patch-of-0": number("patch_size", 0), "patch-of-2-31": number("patch_size", 1 << 31),
        "image-of-0": number("image_size", 0), "image-of-a-million": number("image_size", 10 ** 6),
        "image-of-57": number("image_size", 57), "encoder-without-heads": number("attention.head_count", 0),
        "encoder-with-3-heads": number("attention.head_count", 3), "encoder-rows-of-0": number("embedding_length", 0),
        "encoder-rows-of-96": number("embedding_length", 96), "encoder-without-layers": number("block_count", 0),
        "encoder-of-a-billion-layers": number("block_count", 10 ** 9),
        "projector-unknown": parts.renamed("clip.vision.projector_type", "clip.vision.projector_typo"),
        "no-eyes": parts.renamed("clip.has_vision_encoder", "clip.has_vision_encodes"),
        "mean-missing": parts.renamed("clip.vision.image_mean", "clip.vision.image_mead"),
        "mean-short": parts.at("clip.vision.image_mean", 8, "<Q", 1),
        "projector-missing": parts.renamed("mm.2.weight", "mm.9.weight"),
        "places-missing": parts.renamed("v.position_embd.weight", "v.position_embx.weight"),
        "patches-missing": parts.renamed("v.patch_embd.weight", "v.patch_embx.weight"),
        "norm-missing": parts.renamed("v.blk.0.ln1.weight", "v.blk.9.ln1.weight"),
        "query-missing": parts.renamed("v.blk.0.attn_q.weight", "v.blk.9.attn_q.weight")}


def damaged_models(whole, family="llama"):
    parts = Parts(whole)
    return {**cuts(parts), **headers(parts), **tensors(parts, "blk.0.attn_q.weight"), **model_keys(parts, family)}


def damaged_encoders(whole):
    parts = Parts(whole)
    return {**tensors(parts, "v.blk.0.attn_q.weight"), **encoder_keys(parts)}


def header_end(whole):
    """Where the tensors' data begins, or a little before."""
    return len(whole) - 1 if len(whole) < 64 else min(len(whole), whole.rindex(b".weight") + 64)


def mutated(whole, seed):
    """A few bytes of the header changed: to anything, to an extreme, or by one."""
    rng = random.Random(seed)
    data = bytearray(whole)
    end = header_end(whole)
    for _ in range(rng.randrange(1, 4)):
        place = rng.randrange(8, end)
        how = rng.randrange(4)
        if how == 0:
            data[place] = rng.randrange(256)
        elif how == 1:
            data[place:place + 4] = struct.pack("<I", rng.choice((0, 1, 0xFFFFFFFF, 0x7FFFFFFF, 1 << 20)))
        elif how == 2:
            data[place:place + 8] = struct.pack("<Q", rng.choice((0, 1 << 63, 1 << 40, 0xFFFFFFFFFFFFFFFF)))
        else:
            data[place] = (data[place] + rng.choice((1, 255))) % 256
    return bytes(data[:len(whole)])
