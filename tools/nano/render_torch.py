"""Pictures drawn on the training device from packed scenes: nothing is read from disk, nothing waits for a CPU."""
import math

import numpy as np
import torch
import torch.nn.functional as F

from nano import signs, words
from nano.scene import MAX_THINGS

# One packed scene: MAX_THINGS things, then the sign, then ground, window and post. All float32.
THING = 11   # class, x, y, size, turn, gain, flip (-1 or 1), red, green, blue, colour's index
SIGN = 12    # index in the bank, x, y, w, h, turn, board's and ink's red, green, blue
REST = 14    # ground's kind, first and second colour, angle, window's width and height, noise, blur, gain, bias
SIGN_AT, REST_AT = MAX_THINGS * THING, MAX_THINGS * THING + SIGN
LENGTH = REST_AT + REST
GROUNDS = {"solid": 0, "gradient": 1, "noise": 2, "blobs": 3}


def pack(scene):
    """The scene as numbers, in coordinates of the square input."""
    packed = np.zeros(LENGTH, np.float32)
    left, top = (1 - scene.width) / 2, (1 - scene.height) / 2
    for i in range(MAX_THINGS):
        packed[i * THING] = packed[i * THING + 10] = -1
    for i, thing in enumerate(scene.things):
        row = packed[i * THING:(i + 1) * THING]
        row[:7] = (thing.cls, thing.x + left, thing.y + top, thing.size, math.radians(thing.turn), thing.gain,
                   -1 if thing.flip else 1)
        if thing.color:
            row[7:10] = [min(255, max(0, c + j)) / 255 for c, j in zip(words.COLORS[thing.color], thing.jitter)]
            row[10] = words.COLOR_NAMES.index(thing.color)
    packed[SIGN_AT] = -1
    if scene.sign:
        s = scene.sign
        packed[SIGN_AT:REST_AT] = [s.index, s.x + left, s.y + top, s.w, s.h, math.radians(s.turn),
                                   *(c / 255 for c in s.board), *(c / 255 for c in s.ink)]
    g, p = scene.ground, scene.post
    packed[REST_AT:] = [GROUNDS[g.kind], *(c / 255 for c in g.first), *(c / 255 for c in g.second), g.angle, scene.width,
                        scene.height, p.noise, p.blur, p.gain, p.bias]
    return packed


class Renderer:
    """Packed scenes [n, LENGTH] to pictures [n, 3, side, side] in -1..1."""

    def __init__(self, sprites, sign_bank, side, device):
        """sprites: the npz of assets.py; sign_bank: uint8 [m, 128, 256] on the device."""
        emoji = torch.from_numpy(sprites["emoji"]).to(device).permute(0, 3, 1, 2).float() / 255
        masks = torch.from_numpy(sprites["shapes"]).to(device).float()[:, None] / 255
        shapes = torch.cat([torch.ones(len(masks), 3, *masks.shape[2:], device=device), masks], 1)
        self.sprites = torch.cat([emoji, shapes])
        self.sign_bank, self.side, self.device = sign_bank, side, device
        steps = (torch.arange(side, device=device) + 0.5) / side
        self.x, self.y = steps[None, None, :], steps[None, :, None]

    def _paste(self, picture, texture, x, y, w, h, turn, flip):
        """texture [n, 4, ., .], colour times alpha, over the picture at centres x, y [n]."""
        column = lambda values: values.view(-1, 1, 1)
        dx, dy = self.x - column(x), self.y - column(y)
        c, s = torch.cos(column(turn)), torch.sin(column(turn))
        u = (dx * c + dy * s) / (column(w) / 2) * column(flip)
        v = (dy * c - dx * s) / (column(h) / 2)
        drawn = F.grid_sample(texture, torch.stack([u, v], -1), mode="bilinear", padding_mode="zeros", align_corners=False)
        return picture * (1 - drawn[:, 3:]) + drawn[:, :3]

    def _ground(self, rest):
        n, side = len(rest), self.side
        one = lambda k: rest[:, k].view(n, 1, 1, 1)
        first, second = rest[:, 1:4, None, None], rest[:, 4:7, None, None]
        angle = rest[:, 7].view(n, 1, 1)
        along = ((self.x - 0.5) * torch.cos(angle) + (self.y - 0.5) * torch.sin(angle) + 0.5).clamp(0, 1)[:, None]
        picture = torch.where(one(0) == 0, first.expand(n, 3, side, side), first + (second - first) * along)
        grain = torch.rand(n, 3, side // 4, side // 4, device=self.device)
        grain = grain.repeat_interleave(4, 2).repeat_interleave(4, 3)
        picture = torch.where(one(0) == 2, picture + (grain - 0.5) * 0.35, picture)
        soft = F.interpolate(torch.rand(n, 3, 6, 6, device=self.device), size=(side, side), mode="bicubic",
                             align_corners=False).clamp(0, 1)
        return torch.where(one(0) == 3, first * 0.4 + soft * 0.6, picture)

    def _sign(self, picture, sign):
        on = (sign[:, 0] >= 0).float().view(-1, 1, 1, 1)
        ink = self.sign_bank[sign[:, 0].clamp(min=0).long()].float()[:, None] / 255
        color = sign[:, 6:9, None, None] * (1 - ink) + sign[:, 9:12, None, None] * ink
        texture = torch.cat([color, torch.ones_like(ink)], 1) * on
        if self.side < 300:
            texture = F.avg_pool2d(texture, 2)  # against aliasing when the board is small
        return self._paste(picture, texture, sign[:, 1], sign[:, 2], sign[:, 3].clamp(min=0.01), sign[:, 4].clamp(min=0.01),
                           sign[:, 5], torch.ones_like(sign[:, 0]))

    def _thing(self, picture, thing):
        on = (thing[:, 0] >= 0).float().view(-1, 1, 1, 1)
        sprite = self.sprites[thing[:, 0].clamp(min=0).long()]
        color, alpha = sprite[:, :3], sprite[:, 3:]
        is_shape = (thing[:, 0] >= words.N_EMOJI).view(-1, 1, 1, 1)
        is_colored = (thing[:, 10] >= 0).view(-1, 1, 1, 1)
        paint = thing[:, 7:10, None, None]
        tinted = paint * (0.35 + 0.65 * color.mean(1, keepdim=True))
        color = torch.where(is_colored, torch.where(is_shape, paint.expand_as(color), tinted), color)
        color = (color * thing[:, 5].view(-1, 1, 1, 1)).clamp(0, 1)
        texture = torch.cat([color * alpha, alpha], 1) * on
        size = thing[:, 3].clamp(min=0.01)
        return self._paste(picture, texture, thing[:, 1], thing[:, 2], size, size, thing[:, 4], thing[:, 6])

    def _post(self, picture, rest):
        n = len(rest)
        one = lambda k: rest[:, k].view(n, 1, 1, 1)
        picture = picture * one(12) + one(13)
        kernel = torch.tensor([1.0, 2, 1], device=self.device)
        kernel = (kernel[:, None] * kernel[None] / 16).view(1, 1, 3, 3).expand(3, 1, 3, 3)
        blurred = F.conv2d(F.pad(picture, (1, 1, 1, 1), mode="replicate"), kernel, groups=3)
        picture = torch.lerp(picture, blurred, one(11).clamp(0, 1))
        picture = picture + torch.randn_like(picture) * one(10)
        light = picture.mean(1, keepdim=True)  # coarse colour, as video codecs keep it, on half of the pictures
        chroma = F.interpolate(F.avg_pool2d(picture - light, 2), scale_factor=2, mode="bilinear", align_corners=False)
        picture = torch.where(torch.rand(n, 1, 1, 1, device=self.device) < 0.5, light + chroma, picture).clamp(0, 1)
        inside = ((self.x - 0.5).abs() <= rest[:, 8].view(n, 1, 1) / 2) & ((self.y - 0.5).abs() <= rest[:, 9].view(n, 1, 1) / 2)
        return (picture * inside[:, None] - 0.5) / 0.5

    @torch.no_grad()
    def __call__(self, packed):
        rest = packed[:, REST_AT:]
        picture = self._ground(rest)
        if bool((packed[:, SIGN_AT] >= 0).any()):
            picture = self._sign(picture, packed[:, SIGN_AT:REST_AT])
        for i in range(MAX_THINGS):
            thing = packed[:, i * THING:(i + 1) * THING]
            if bool((thing[:, 0] >= 0).any()):
                picture = self._thing(picture, thing)
        return self._post(picture, rest)


SIGN_CELL = words.N_CLASSES + len(words.COLOR_NAMES)  # after classes and colours: a sign
PLACE_CELL = SIGN_CELL + 1  # left, middle or right of the picture's content, and top, middle or bottom
MANY_CELL = PLACE_CELL + 6  # more than one thing
N_CELL = MANY_CELL + 1


def cell_targets(packed, cells):
    """What has its centre in each cell: [n, cells * cells, N_CELL] of 0 and 1."""
    n, device = len(packed), packed.device
    target = torch.zeros(n, cells * cells, N_CELL, device=device)
    row = torch.arange(n, device=device)
    at = lambda x, y: (y.clamp(0, 0.999) * cells).long() * cells + (x.clamp(0, 0.999) * cells).long()
    third = lambda x, length: ((x - 0.5) / length).div(0.33).round().clamp(-1, 1).long() + 1
    count = torch.zeros(n, cells * cells, device=device)
    for i in range(MAX_THINGS):
        thing = packed[:, i * THING:(i + 1) * THING]
        cell = at(thing[:, 1], thing[:, 2])
        on = thing[:, 0] >= 0
        target[row[on], cell[on], thing[on, 0].long()] = 1
        for k, first in enumerate((PLACE_CELL, PLACE_CELL + 3)):
            target[row[on], cell[on], first + third(thing[on, 1 + k], packed[on, REST_AT + 8 + k])] = 1
        count[row[on], cell[on]] += 1
        on = thing[:, 10] >= 0
        target[row[on], cell[on], words.N_CLASSES + thing[on, 10].long()] = 1
    target[..., MANY_CELL] = (count > 1).float()
    sign = packed[:, SIGN_AT:REST_AT]
    on = sign[:, 0] >= 0
    target[row[on], at(sign[:, 1], sign[:, 2])[on], SIGN_CELL] = 1
    return target


def letter_targets(packed, letters, grid):
    """The letter in each patch: [n, grid * grid, len(LETTERS)] of 0 and 1. letters: [bank, MAX_LETTERS, 3]."""
    n, device = len(packed), packed.device
    sign = packed[:, SIGN_AT:REST_AT]
    found = letters[sign[:, 0].clamp(min=0).long()]
    u, v = found[..., 1] * sign[:, 3:4] / 2, found[..., 2] * sign[:, 4:5] / 2
    c, s = torch.cos(sign[:, 5:6]), torch.sin(sign[:, 5:6])
    x, y = sign[:, 1:2] + u * c - v * s, sign[:, 2:3] + u * s + v * c
    on = (found[..., 0] >= 0) & (sign[:, :1] >= 0)
    patch = (y.clamp(0, 0.999) * grid).long() * grid + (x.clamp(0, 0.999) * grid).long()
    row = torch.arange(n, device=device)[:, None].expand_as(patch)
    target = torch.zeros(n, grid * grid, len(signs.LETTERS), device=device)
    target[row[on], patch[on], found[..., 0][on].long()] = 1
    return target
