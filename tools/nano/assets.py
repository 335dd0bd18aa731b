"""What the pictures are drawn with and the words that are said: sprites, fonts, word list, tokenizer.

assets.py OUT BASE.gguf: writes sprites.npz, fonts/ and text.json. Needs the packages that apt-packages-nano.txt names.
"""
import json
from pathlib import Path
import shutil
import sys

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from nano import signs, words
from nano.base import read_vocabulary

EMOJI_FONT, EMOJI_SIZE = "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf", 109  # the one size of its bitmaps
DICTIONARY = "/usr/share/dict/words"
SIDE = 128  # pixels of a sprite
N_WORDS = 2600
UNWANTED = {"sex", "sexual", "rape", "porn", "kill", "killed", "nude", "drug", "drugs"}


def emoji_sprite(character, font):
    image = Image.new("RGBA", (160, 160), (0, 0, 0, 0))
    ImageDraw.Draw(image).text((12, 8), character, font=font, embedded_color=True)
    image = image.crop(image.getbbox())
    scale = (SIDE - 4) / max(image.size)
    image = image.resize([max(1, round(length * scale)) for length in image.size], Image.LANCZOS)
    sprite = Image.new("RGBA", (SIDE, SIDE), (0, 0, 0, 0))
    sprite.paste(image, ((SIDE - image.width) // 2, (SIDE - image.height) // 2))
    return np.asarray(sprite)


def shape_mask(name):
    side, middle, low, high = 512, 256, 24, 488
    image = Image.new("L", (side, side), 0)
    draw = ImageDraw.Draw(image)

    def polygon(corners):
        turns = 2 * np.pi * np.arange(corners) / corners
        return [(middle + (middle - low) * np.sin(t), middle - (middle - low) * np.cos(t)) for t in turns]

    rectangles = {"square": [(54, 54, 458, 458)], "rectangle": [(low, 141, high, 371)],
                  "cross": [(181, low, 331, high), (low, 181, high, 331)]}
    ellipses = {"circle": (low, low, high, high), "oval": (low, 121, high, 391), "crescent": (low, low, high, high)}
    polygons = {"triangle": [(middle, low), (high, 458), (low, 458)], "pentagon": polygon(5), "hexagon": polygon(6),
                "diamond": [(middle, low), (418, middle), (middle, high), (94, middle)],
                "arrow": [(low, 191), (middle, 191), (middle, 64), (high, middle), (middle, 448), (middle, 321), (low, 321)]}
    for box in rectangles.get(name, ()):
        draw.rectangle(box, fill=255)
    if name in ellipses:
        draw.ellipse(ellipses[name], fill=255)
    if name == "crescent":
        draw.ellipse((174, -6, 638, 408), fill=0)
    if name in polygons:
        draw.polygon(polygons[name], fill=255)
    return np.asarray(image.resize((SIDE, SIDE), Image.LANCZOS))


def tintable(sprite, name):
    """Whether it can be told from its own look in one colour: it has several colours, and none in its name."""
    solid = sprite[sprite[..., 3] > 128][:, :3].astype(float)
    chroma = solid - solid.mean(1, keepdims=True)
    colorful = np.sqrt(chroma.var(0).sum()) > 25
    return bool(colorful) and not set(name.split()) & set(words.COLORS) and name not in ("rainbow", "fire")


def frequent_words(tokens):
    """The tokenizer's own whole-word tokens, whose order follows frequency, that are in a dictionary."""
    known = {line.strip() for line in Path(DICTIONARY).read_text().splitlines()}
    found = [token[1:] for token in tokens if token[:1] == "Ġ" and token[1:].isascii() and token[1:].isalpha()
             and token[1:].islower() and 3 <= len(token) - 1 <= 9]
    return [word for word in found if word in known and word not in UNWANTED][:N_WORDS]


def make(out, base):
    out = Path(out)
    (out / "fonts").mkdir(parents=True, exist_ok=True)
    font = ImageFont.truetype(EMOJI_FONT, EMOJI_SIZE)
    sprites = np.stack([emoji_sprite(character, font) for character, _ in words.EMOJI])
    tints = [tintable(sprite, name) for sprite, (_, name) in zip(sprites, words.EMOJI)]
    np.savez_compressed(out / "sprites.npz", emoji=sprites, shapes=np.stack([shape_mask(s) for s in words.SHAPES]),
                        tintable=np.array(tints))
    for path in signs.FONTS:
        shutil.copy(f"{signs.FONT_FOLDER}/{path}.ttf", out / "fonts")
    vocabulary = read_vocabulary(base)
    vocabulary["words"] = frequent_words(vocabulary["tokens"])
    (out / "text.json").write_text(json.dumps(vocabulary))
    print(f"{len(sprites)} emoji ({sum(tints)} tintable), {len(signs.FONTS)} fonts, {len(vocabulary['words'])} words")


if __name__ == "__main__":
    make(*sys.argv[1:3])
