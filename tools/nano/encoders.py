"""Eyes and ears: what libmtmd calls `nemotron_v2_vl` and `dots3note_a`. Heads that only train are never exported."""
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from nano import signs
from nano.layers import Block, RmsNorm, rope_table
from nano.render_torch import N_CELL

ROW = 576            # width of a row of the language model
CTC_LETTERS = "abcdefghijklmnopqrstuvwxyz '"
CTC_FRAMES = 4       # letters can change so often in one row of 80 ms
TRAINING_HEADS = ("cell", "letter", "reader", "ctc")


class Reader(nn.Module):
    """Reads a sign off the rows that the language model gets: one query for each character's place."""
    WIDTH = 192

    def __init__(self):
        super().__init__()
        self.query = nn.Parameter(torch.randn(signs.MAX_CHARACTERS, self.WIDTH) * 0.5)
        self.rows = nn.Linear(ROW, 2 * self.WIDTH)
        self.norm = nn.LayerNorm(ROW)
        self.block = Block(self.WIDTH, 4, 512, nn.LayerNorm)
        self.out = nn.Linear(self.WIDTH, len(signs.CHARACTERS) + 1)

    def forward(self, rows):
        """rows [n, rows, ROW] -> logits [n, MAX_CHARACTERS, characters + 1]; the last class is 'none'."""
        k, v = self.rows(self.norm(rows)).chunk(2, -1)
        q = self.query.to(k.dtype).expand(len(rows), -1, -1)
        split = lambda x: x.view(len(rows), -1, 4, self.WIDTH // 4).transpose(1, 2)
        scores = split(q) @ split(k).transpose(-1, -2) * (self.WIDTH // 4) ** -0.5
        read = (scores.softmax(-1) @ split(v)).transpose(1, 2).reshape(len(rows), signs.MAX_CHARACTERS, self.WIDTH)
        return self.out(self.block(q + read))


class Eyes(nn.Module):
    """[n, 3, side, side] in -1..1 -> [n, rows, ROW]."""

    def __init__(self, shape):
        super().__init__()
        self.shape, width = shape, shape.width
        norm = lambda n: nn.LayerNorm(n, 1e-6)
        self.patch = nn.Conv2d(3, width, shape.patch, shape.patch)
        self.place = nn.Parameter(torch.randn(shape.grid ** 2, width) * 0.02)
        self.register = nn.Parameter(torch.randn(1, width) * 0.02)
        self.blocks = nn.ModuleList([Block(width, shape.heads, shape.hidden, norm) for _ in range(shape.layers)])
        self.post = norm(width)
        self.merge_norm = RmsNorm(width * shape.merge ** 2)
        self.middle = nn.Linear(width * shape.merge ** 2, shape.middle, bias=False)
        self.out = nn.Linear(shape.middle, ROW, bias=False)
        nn.init.normal_(self.out.weight, std=0.004)
        self.cell = nn.Linear(shape.middle, N_CELL)
        self.letter = nn.Linear(width, len(signs.LETTERS))
        self.reader = Reader()
        nn.init.constant_(self.cell.bias, -4.5)
        nn.init.constant_(self.letter.bias, -5)

    def forward(self, pictures):
        """(rows [n, rows, ROW], middle [n, rows, middle], patches [n, grid^2, width])"""
        n, s = len(pictures), self.shape
        x = pictures.view(n, 3, s.grid, s.patch, s.grid, s.patch).permute(0, 2, 4, 1, 3, 5).reshape(n, s.grid ** 2, -1)
        x = F.linear(x, self.patch.weight.flatten(1), self.patch.bias) + self.place
        x = torch.cat([self.register.expand(n, 1, s.width).to(x.dtype), x], 1)
        for block in self.blocks:
            x = block(x)
        patches = self.post(x)[:, 1:]
        x = patches.reshape(n, s.cells, s.merge, s.cells, s.merge, s.width).permute(0, 1, 3, 2, 4, 5)
        middle = F.relu(self.middle(self.merge_norm(x.reshape(n, s.rows, s.merge ** 2 * s.width)))).square()
        return self.out(middle), middle, patches


def strided(x, conv):
    """The 3 x 3 convolution of stride 2 as one product: libraries plan a convolution anew for each size of input."""
    windows = F.pad(x, (1, 1, 1, 1)).unfold(2, 3, 2).unfold(3, 3, 2)
    n, channels, height, width = windows.shape[:4]
    windows = windows.permute(0, 2, 3, 1, 4, 5).reshape(n, height * width, channels * 9)
    out = F.linear(windows, conv.weight.flatten(1), conv.bias)
    return out.transpose(1, 2).reshape(n, -1, height, width)


class Ears(nn.Module):
    """Log-mel [n, mels, frames] -> rows [n, frames / 8, ROW]."""

    def __init__(self, shape):
        super().__init__()
        self.shape, width = shape, shape.width
        channels = (1, *shape.channels)
        self.conv = nn.ModuleList([nn.Conv2d(channels[i], channels[i + 1], 3, 2, 1) for i in range(3)])
        self.conv_out = nn.Linear(shape.mels // 8 * channels[3], width, bias=False)
        self.blocks = nn.ModuleList([Block(width, shape.heads, shape.hidden, RmsNorm) for _ in range(shape.layers)])
        self.post = RmsNorm(width)
        self.merge_norm = nn.LayerNorm(width, 1e-5)
        self.middle, self.out = nn.Linear(width, 2 * width), nn.Linear(2 * width, ROW)
        nn.init.normal_(self.out.weight, std=0.008)
        self.ctc = nn.Linear(width, (len(CTC_LETTERS) + 1) * CTC_FRAMES)

    def forward(self, mel, frames):
        """frames [n]: how many are valid. (rows, valid rows [n], letters [n, 4 * rows, letters + 1])"""
        x, valid = mel[:, None], frames
        for conv in self.conv:
            x = F.gelu(strided(x, conv))
            valid = torch.div(valid + 1, 2, rounding_mode="floor")
            inside = torch.arange(x.shape[-1], device=x.device)[None] < valid[:, None]
            x = x * inside[:, None, None].to(x.dtype)
        x = self.conv_out(x.permute(0, 3, 1, 2).flatten(2))
        n, length, width = x.shape
        mask = (torch.arange(length, device=x.device)[None] < valid[:, None])[:, None, None]
        turn = rope_table(length, width // self.shape.heads // 2, 10000.0, x.device)
        for block in self.blocks:
            x = block(x, mask, turn)
        x = self.post(x)
        rows = self.out(F.gelu(self.middle(self.merge_norm(x))))
        return rows, valid, self.ctc(x).view(n, length * CTC_FRAMES, len(CTC_LETTERS) + 1)


# ---------------------------------------------------------------- log-mel, as libmtmd's preprocessor for dots3note_a
FFT, HOP = 400, 160


def mel_filters(mels=80, rate=16000):
    """Slaney's triangles, [mels, FFT / 2 + 1]."""
    line, corner, step = 3 / 200, 15.0, math.log(6.4) / 27
    to_mel = lambda hz: hz * line if hz < 1000 else corner + math.log(hz / 1000) / step
    to_hz = lambda mel: mel / line if mel < corner else 1000 * math.exp((mel - corner) * step)
    edges = [to_hz(to_mel(rate / 2) * i / (mels + 1)) for i in range(mels + 2)]
    hz = np.arange(FFT // 2 + 1) * rate / FFT
    filters = np.zeros((mels, len(hz)), np.float32)
    for m in range(mels):
        low, middle, high = edges[m:m + 3]
        rising, falling = (hz - low) / max(1e-30, middle - low), (high - hz) / max(1e-30, high - middle)
        filters[m] = np.clip(np.minimum(rising, falling), 0, None) * 2 / (high - low)
    return torch.from_numpy(filters)


class LogMel:
    def __init__(self, mels, device):
        self.filters = mel_filters(mels).to(device)
        window = torch.hann_window(FFT, periodic=True, dtype=torch.float64)
        angle = torch.arange(FFT).double()[:, None] * torch.arange(FFT // 2 + 1)[None] * (2 * math.pi / FFT)
        basis = torch.cat([torch.cos(angle), torch.sin(angle)], 1) * window[:, None]
        self.basis = basis.float().to(device)

    def __call__(self, sound, lengths):
        """sound [n, samples] in -1..1, lengths [n] -> (log-mel [n, mels, frames], valid frames [n])."""
        padded = torch.cat([sound[:, 1:FFT // 2 + 1].flip(1), sound, sound.new_zeros(len(sound), FFT // 2)], 1)
        real, imaginary = (padded.unfold(1, FFT, HOP) @ self.basis).chunk(2, -1)
        power = real.square() + imaginary.square()
        count = sound.shape[1] // HOP
        mel = torch.log10((power @ self.filters.T).clamp(min=2.0 ** -24))[:, :count]
        frames = torch.div(lengths, HOP, rounding_mode="floor")
        inside = (torch.arange(count, device=sound.device)[None] < frames[:, None])[..., None]
        floor = mel.masked_fill(~inside, -99).amax((1, 2), keepdim=True) - 8
        return ((torch.maximum(mel, floor) + 4) / 4 * inside).transpose(1, 2), frames
