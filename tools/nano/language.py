"""SmolLM2-135M (Llama) with frozen weights and a LoRA on every linear layer."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from nano.layers import Cached, rms_norm, rope_table

HEADS, KV_HEADS, HEAD = 9, 3, 64
EPSILON, ROPE_BASE = 1e-5, 100000.0
END = 2  # <|im_end|>
LINEAR = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")


def pairs_turned(x, cosine, sine):
    """GGUF's layout of Llama: adjacent pairs."""
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cosine - b * sine, a * sine + b * cosine], -1).flatten(-2).to(x.dtype)


class Layer(nn.Module):
    def __init__(self, weights, rank):
        super().__init__()
        for name in LINEAR:
            weight = weights[name]
            out, inner = weight.shape
            self.register_buffer(f"w_{name}", weight)
            self.register_parameter(f"a_{name}", nn.Parameter(torch.randn(rank, inner) / math.sqrt(inner)))
            self.register_parameter(f"b_{name}", nn.Parameter(torch.zeros(out, rank)))
        self.register_buffer("norm1", weights["attn_norm"])
        self.register_buffer("norm2", weights["ffn_norm"])

    def linear(self, x, name, adapted):
        """The product of the LoRA is added to the weight once a batch: cheaper than two thin products a row."""
        weight = getattr(self, f"w_{name}")
        return F.linear(x, weight + getattr(self, f"b_{name}") @ getattr(self, f"a_{name}") if adapted else weight)

    def before(self, x, cosine, sine, adapted=True):
        """x [..., 576], cosine and sine [..., 1, 32] -> q, k, v [..., heads, 64]."""
        h = rms_norm(x, self.norm1, EPSILON)
        heads = lambda name, n: self.linear(h, name, adapted).view(*x.shape[:-1], n, HEAD)
        q = pairs_turned(heads("attn_q", HEADS), cosine, sine)
        k, v = pairs_turned(heads("attn_k", KV_HEADS), cosine, sine), heads("attn_v", KV_HEADS)
        return q, *(t.repeat_interleave(HEADS // KV_HEADS, -2) for t in (k, v))

    def after(self, x, mixed, adapted=True):
        """x [..., 576], mixed [..., heads, 64] -> the layer's output."""
        x = x + self.linear(mixed.flatten(-2).to(x.dtype), "attn_output", adapted)
        h = rms_norm(x, self.norm2, EPSILON)
        gated = F.silu(self.linear(h, "ffn_gate", adapted)) * self.linear(h, "ffn_up", adapted)
        return x + self.linear(gated, "ffn_down", adapted)


class Language(nn.Module):
    def __init__(self, weights, rank):
        super().__init__()
        self.register_buffer("embedding", weights["token_embd"])  # also the output's
        self.register_buffer("norm", weights["output_norm"])
        self.layers = nn.ModuleList([Layer(layer, rank) for layer in weights["layers"]])

    def embed(self, ids):
        return F.embedding(ids, self.embedding)

    def hidden(self, x, positions, attend, adapted=True):
        """x [..., 576] at positions [...] -> the last layer's output, normalised. attend: one for each layer, or for all."""
        cosine, sine = (table[positions][..., None, :] for table in
                        rope_table(int(positions.max()) + 1, HEAD, ROPE_BASE, x.device))
        for i, layer in enumerate(self.layers):
            q, k, v = layer.before(x, cosine, sine, adapted)
            mixed = attend[i](q, k, v) if isinstance(attend, list) else attend(q, k, v)
            x = layer.after(x, mixed, adapted)
        return rms_norm(x, self.norm, EPSILON)

    def logits(self, hidden):
        return F.linear(hidden, self.embedding.to(hidden.dtype)).float()

    @torch.no_grad()
    def generate(self, rows, count, adapted=True):
        """rows [batch, length, 576], none padded -> greedy ids [batch, <= count] and the margin of each over the second."""
        attend = [Cached() for _ in self.layers]
        at = rows.shape[1]
        place = lambda first, last: torch.arange(first, last, device=rows.device).expand(len(rows), -1)
        hidden = self.hidden(rows, place(0, at), attend, adapted)
        ids, margins = [], []
        done = torch.zeros(len(rows), dtype=torch.bool, device=rows.device)
        for _ in range(count):
            best = self.logits(hidden[:, -1]).topk(2)
            ids.append(best.indices[:, 0])
            margins.append(best.values[:, 0] - best.values[:, 1])
            done |= ids[-1] == END
            if bool(done.all()):
                break
            hidden = self.hidden(self.embed(ids[-1][:, None]).to(hidden.dtype), place(at, at + 1), attend, adapted)
            at += 1
        return torch.stack(ids, 1), torch.stack(margins, 1)
