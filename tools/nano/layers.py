"""Parts that the three networks share. Each computes operation for operation what libmtmd and llama.cpp compute."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def attention(q, k, v, mask=None, causal=False):
    """[batch, heads, length, width]; mask [batch, 1, 1, length] is true where keys count. Causal: from the last query
    seeing all keys, backwards."""
    square = q.shape[-2] == k.shape[-2]
    if hasattr(F, "scaled_dot_product_attention") and (square or not causal or q.shape[-2] == 1):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal and square)
    scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5  # torch before 2.0
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    if causal:
        above = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).triu(1 + k.shape[-2] - q.shape[-2])
        scores = scores.masked_fill(above, float("-inf"))
    return scores.softmax(-1) @ v


class Packed:
    """Causal attention inside each of many sequences that lie end to end."""

    def __init__(self, offsets):
        """offsets [sequences + 1]: where each begins, and the end."""
        self.offsets = offsets
        self.longest = int((offsets[1:] - offsets[:-1]).max())

    def __call__(self, q, k, v):
        """[tokens, heads, width] each."""
        if q.is_cuda:
            q, k, v = (t.to(torch.bfloat16).contiguous() for t in (q, k, v))
            offsets = self.offsets.to(torch.int32)
            return torch.ops.aten._flash_attention_forward(q, k, v, offsets, offsets, self.longest, self.longest, 0.0, True,
                                                           False)[0]
        sizes = (self.offsets[1:] - self.offsets[:-1]).tolist()
        parts = zip(*(t.split(sizes) for t in (q, k, v)))
        row = lambda t: t.transpose(0, 1)[None]
        return torch.cat([attention(row(a), row(b), row(c), causal=True)[0].transpose(0, 1) for a, b, c in parts])


class Cached:
    """Causal attention of sequences of one length, [batch, length, heads, width], that remembers keys and values."""

    def __init__(self):
        self.k = self.v = None

    def __call__(self, q, k, v):
        self.k = k if self.k is None else torch.cat([self.k, k], 1)
        self.v = v if self.v is None else torch.cat([self.v, v], 1)
        return attention(*(t.transpose(1, 2) for t in (q, self.k, self.v)), causal=True).transpose(1, 2)


def gelu(x):
    return F.gelu(x, approximate="tanh")


def rms_norm(x, weight, epsilon):
    y = x.float()
    return (y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + epsilon) * weight).to(x.dtype)


class RmsNorm(nn.Module):
    def __init__(self, width, epsilon=1e-6):
        super().__init__()
        self.weight, self.epsilon = nn.Parameter(torch.ones(width)), epsilon

    def forward(self, x):
        return rms_norm(x, self.weight, self.epsilon)


def rope_table(length, width, base, device):
    """Cosine and sine, [length, width / 2] each."""
    frequency = base ** (-torch.arange(0, width, 2, device=device).float() / width)
    angle = torch.arange(length, device=device).float()[:, None] * frequency[None]
    return torch.cos(angle), torch.sin(angle)


class Block(nn.Module):
    """Pre-norm transformer block of both encoders. `norm` makes its normalisations."""

    def __init__(self, width, heads, hidden, norm):
        super().__init__()
        self.heads = heads
        self.ln1, self.ln2 = norm(width), norm(width)
        self.qkv, self.o = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, width)

    def forward(self, x, mask=None, turn=None):
        """x [batch, length, width]; turn: cosine and sine for the first half of each head (NEOX pairs), or None."""
        batch, length, width = x.shape
        q, k, v = self.qkv(self.ln1(x)).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        if turn is not None:
            q, k = half_turned(q, *turn), half_turned(k, *turn)
        x = x + self.o(attention(q, k, v, mask).transpose(1, 2).reshape(batch, length, width))
        return x + self.down(gelu(self.up(self.ln2(x))))


def half_turned(x, cosine, sine):
    n = cosine.shape[-1]
    a, b, rest = x[..., :n], x[..., n:2 * n], x[..., 2 * n:]
    return torch.cat([a * cosine - b * sine, a * sine + b * cosine, rest], -1).to(x.dtype)
