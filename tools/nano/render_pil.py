"""An independent renderer for tests and samples: larger pictures, other filters, real files."""
import math
from pathlib import Path
import random

import numpy as np
from PIL import Image, ImageFilter

from nano import signs, words


def _ground(scene, width, height, side):
    g, noise = scene.ground, np.random.default_rng(scene.ground.seed)
    first, second = np.array(g.first, float), np.array(g.second, float)
    y, x = np.mgrid[0:height, 0:width]
    along = (x / side - scene.width / 2) * math.cos(g.angle) + (y / side - scene.height / 2) * math.sin(g.angle) + 0.5
    if g.kind == "solid":
        picture = np.broadcast_to(first, (height, width, 3))
    else:
        picture = first + (second - first) * np.clip(along, 0, 1)[..., None]
    if g.kind == "noise":
        grain = (noise.random((height // 6 + 1, width // 6 + 1, 3)) * 255).astype(np.uint8)
        picture = picture + (np.asarray(Image.fromarray(grain).resize((width, height), Image.NEAREST), float) - 127) * 0.35
    if g.kind == "blobs":
        soft = Image.fromarray((noise.random((6, 6, 3)) * 255).astype(np.uint8)).resize((width, height), Image.BICUBIC)
        picture = first * 0.4 + np.asarray(soft, float) * 0.6
    return Image.fromarray(np.clip(picture, 0, 255).astype(np.uint8)).convert("RGBA")


def _paste(picture, tile, x, y, turn):
    tile = tile.rotate(-turn, resample=Image.BICUBIC, expand=True)
    layer = Image.new("RGBA", picture.size, (0, 0, 0, 0))
    layer.paste(tile, (round(x - tile.width / 2), round(y - tile.height / 2)))
    picture.alpha_composite(layer)


def _sign_tile(sign, font, width, height):
    ink = signs.draw(sign.text, font)[0].astype(float)[..., None] / 255
    tile = np.array(sign.board) * (1 - ink) + np.array(sign.ink) * ink
    tile = Image.fromarray(np.clip(tile, 0, 255).astype(np.uint8)).convert("RGBA")
    return tile.resize((max(8, width), max(8, height)), Image.LANCZOS)


def _thing_tile(thing, sprites, side):
    if thing.cls >= words.N_EMOJI:
        mask = sprites["shapes"][thing.cls - words.N_EMOJI]
        paint = np.clip(np.array(words.COLORS[thing.color]) + thing.jitter, 0, 255)
        tile = np.dstack([np.broadcast_to(paint, (*mask.shape, 3)), mask]).astype(float)
    else:
        tile = sprites["emoji"][thing.cls].astype(float)
        if thing.color:
            light = tile[..., :3].mean(-1, keepdims=True) / 255
            tile[..., :3] = (np.array(words.COLORS[thing.color]) + thing.jitter) * (0.35 + 0.65 * light)
    tile[..., :3] = np.clip(tile[..., :3] * thing.gain, 0, 255)
    image = Image.fromarray(np.clip(tile, 0, 255).astype(np.uint8), "RGBA")
    image = image.transpose(Image.FLIP_LEFT_RIGHT) if thing.flip else image
    return image.resize((side, side), Image.LANCZOS)


def render(scene, sprites, fonts, rng=None, side=None):
    """The scene as a PIL picture whose longer side has `side` pixels; fonts: paths."""
    rng = rng or random.Random(1)
    side = side or rng.choice((384, 448, 512))
    width, height = round(scene.width * side), round(scene.height * side)
    picture = _ground(scene, width, height, side)
    if scene.sign:
        s = scene.sign
        tile = _sign_tile(s, rng.choice(fonts), round(s.w * side), round(s.h * side))
        _paste(picture, tile, s.x * side, s.y * side, s.turn)
    for thing in scene.things:
        _paste(picture, _thing_tile(thing, sprites, max(4, round(thing.size * side))), thing.x * side, thing.y * side, thing.turn)
    post = scene.post
    grain = np.random.default_rng(scene.ground.seed).normal(0, post.noise * 255 + 1e-6, (height, width, 3))
    pixels = np.asarray(picture.convert("RGB"), float) * post.gain + post.bias * 255 + grain
    picture = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
    return picture.filter(ImageFilter.GaussianBlur(post.blur)) if post.blur > 0.3 else picture


def fonts_of(assets):
    return sorted(Path(assets, "fonts").iterdir())
