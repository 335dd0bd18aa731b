"""The encoder of whisper-base and a projector before our language model: what libmtmd calls `glma`.

The encoder stays as it is, the projector is ours. Sound is not padded to whisper's 30 s: there is a row for each 80 ms, and
none after them.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F

from nano.layers import attention
from nano.whisper_file import BLOCK, HEADS, HIDDEN, LAYERS, MELS, MIDDLE, POSITIONS, ROW, STACK, WIDTH


class WhisperBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.o = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, HIDDEN), nn.Linear(HIDDEN, WIDTH)

    def forward(self, x, mask):
        n, length, _ = x.shape
        q, k, v = self.qkv(self.ln1(x)).view(n, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        x = x + self.o(attention(q, k, v, mask).transpose(1, 2).reshape(n, length, WIDTH))
        return x + self.down(F.gelu(self.up(self.ln2(x))))


class Whisper(nn.Module):
    """Log-mel [n, MELS, frames] -> [n, frames / 2, WIDTH]; a sound sees nothing of what the batch adds after it."""

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv1d(MELS, WIDTH, 3, 1, 1), nn.Conv1d(WIDTH, WIDTH, 3, 2, 1)
        self.place = nn.Parameter(torch.zeros(POSITIONS, WIDTH))
        self.blocks = nn.ModuleList([WhisperBlock() for _ in range(LAYERS)])
        self.post = nn.LayerNorm(WIDTH)

    @staticmethod
    def names():
        """CTranslate2's name of each weight, by ours."""
        names = {f"{conv}.{part}": f"{conv}/{part}" for conv in ("conv1", "conv2") for part in ("weight", "bias")}
        names.update({"place": "position_encodings/encodings", "post.weight": "layer_norm/gamma", "post.bias": "layer_norm/beta"})
        for i in range(LAYERS):
            names.update({f"blocks.{i}.{ours}": f"layer_{i}/{theirs}" for ours, theirs in BLOCK.items()})
        return names

    def load(self, values):
        self.load_state_dict({ours: torch.from_numpy(values[theirs]) for ours, theirs in self.names().items()})
        return self

    def forward(self, mel, frames):
        """frames [n]: how many are valid, an even number each."""
        inside = lambda x, valid: (torch.arange(x.shape[-1], device=x.device)[None] < valid[:, None])[:, None]
        mel = mel * inside(mel, frames)
        x = F.gelu(self.conv1(mel))
        x = F.gelu(self.conv2(x * inside(x, frames))).transpose(1, 2)
        x = x + self.place[:x.shape[1]]
        mask = inside(x.transpose(1, 2), frames // 2)[:, None]
        for block in self.blocks:
            x = block(x, mask)
        return self.post(x)


class Projector(nn.Module):
    """[n, places, WIDTH] -> [n, places / STACK + 2, ROW]: a learned first row, one for each STACK places, a learned last."""

    def __init__(self, middle=MIDDLE):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.middle, self.out = nn.Linear(STACK * WIDTH, middle), nn.Linear(middle, ROW)
        nn.init.normal_(self.out.weight, std=0.008)
        self.first, self.last = nn.Parameter(torch.zeros(ROW)), nn.Parameter(torch.zeros(ROW))

    def forward(self, places, rows):
        """rows [n]: how many are valid. Returns [n, longest + 2, ROW]; what is after the last row of each is nothing."""
        n, length, _ = places.shape
        made = self.out(F.gelu(self.middle(self.norm(places).view(n, length // STACK, STACK * WIDTH))))
        made = torch.cat([self.first.to(made.dtype).expand(n, 1, ROW), made, made.new_zeros(n, 1, ROW)], 1)
        return made.scatter(1, (rows + 1).view(n, 1, 1).expand(n, 1, ROW), self.last.to(made.dtype).expand(n, 1, ROW))
