"""Parts that the three networks share. Each computes operation for operation what libmtmd and llama.cpp compute."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def attention(q, k, v, mask=None, causal=False):
    """[batch, heads, length, width]; mask [batch, 1, 1, length] is true where keys count."""
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal)
    scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5  # torch before 2.0
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    if causal:
        above = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).triu(1)
        scores = scores.masked_fill(above, float("-inf"))
    return scores.softmax(-1) @ v


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
