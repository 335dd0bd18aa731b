"""The base model read from its GGUF: weights as torch tensors, and its tokenizer."""
import numpy as np


def _reader(path):
    import gguf
    return gguf.GGUFReader(path)


def read_vocabulary(path):
    """Tokens, merges and token types, as text and numbers."""
    fields = _reader(path).fields
    texts = lambda key: [bytes(fields[key].parts[i]).decode() for i in fields[key].data]
    types = fields["tokenizer.ggml.token_type"]
    return dict(tokens=texts("tokenizer.ggml.tokens"), merges=texts("tokenizer.ggml.merges"),
                types=[int(types.parts[i][0]) for i in types.data])


def read_weights(path):
    """{'token_embd', 'output_norm', 'layers': [{'attn_q', ...}]}, all float32."""
    import gguf
    import torch
    weights = {"layers": {}}
    for tensor in _reader(path).tensors:
        shape = [int(n) for n in tensor.shape][::-1]
        values = np.array(gguf.dequantize(tensor.data, tensor.tensor_type), dtype=np.float32).reshape(shape)
        name = tensor.name.replace(".weight", "")
        if name.startswith("blk."):
            _, index, name = name.split(".")
            weights["layers"].setdefault(int(index), {})[name] = torch.from_numpy(values)
        else:
            weights[name] = torch.from_numpy(values)
    weights["layers"] = [weights["layers"][i] for i in range(len(weights["layers"]))]
    return weights


class Tokenizer:
    """llama.cpp's `smollm` pre-tokenizer and BPE."""
    MEMORY = 200000  # texts whose tokens are kept

    def __init__(self, vocabulary):
        from tokenizers import AddedToken, Tokenizer as Tokens, decoders, models, pre_tokenizers
        tokens = vocabulary["tokens"]
        self.tokens = Tokens(models.BPE(vocab={token: i for i, token in enumerate(tokens)},
                                        merges=[tuple(merge.split(" ")) for merge in vocabulary["merges"]]))
        self.tokens.pre_tokenizer = pre_tokenizers.Sequence([
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])
        self.tokens.decoder = decoders.ByteLevel()
        control = [token for token, kind in zip(tokens, vocabulary["types"]) if kind == 3]
        self.tokens.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in control])
        self.known = {}

    def __call__(self, text):
        ids = self.known.get(text)
        if ids is None:
            ids = self.tokens.encode(text, add_special_tokens=False).ids
            if len(self.known) < self.MEMORY:
                self.known[text] = ids
        return ids

    def decode(self, ids):
        return self.tokens.decode([int(i) for i in ids if int(i) > 2], skip_special_tokens=True)
