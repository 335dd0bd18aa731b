#!/usr/bin/python3
"""Makes a test clip from a seed: drawn objects and spoken words that the default model knows.

make_clip.py OUT.mp4 --seed N            three scenes of 4 s, one spoken sentence
make_clip.py OUT.mp4 --seed N --silent   the same pictures, digital silence
make_clip.py OUT.mp4 --blank             black pictures, digital silence

OUT.json says what is in it and what may be asked about it, in the form of models/nano/samples/answers.json. The same
seed makes the same clip with the same versions of Pillow, the emoji font, espeak-ng and ffmpeg.
"""
import argparse
import json
import random
import subprocess
import sys
import tempfile
import wave
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

FONT = "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf"
FONT_SIZE = 109  # the one size of the font's bitmaps
WIDTH, HEIGHT, FPS = 640, 360, 10
SCENE_S, SCENES = 4, 3
SPEECH_AT_S = 5.0

OBJECTS = dict(
    cat="🐱", dog="🐶", panda="🐼", lion="🦁", frog="🐸", pig="🐷", owl="🦉", penguin="🐧", bee="🐝", turtle="🐢",
    octopus="🐙", crab="🦀", cactus="🌵", rainbow="🌈", snowman="⛄", sunflower="🌻", umbrella="☂", banana="🍌",
    strawberry="🍓", pineapple="🍍", watermelon="🍉", carrot="🥕", pizza="🍕", hamburger="🍔", cake="🎂", donut="🍩",
    basketball="🏀", guitar="🎸", trumpet="🎺", drum="🥁", car="🚗", bus="🚌", train="🚂", bicycle="🚲", rocket="🚀",
    helicopter="🚁", sailboat="⛵", house="🏠", castle="🏰", laptop="💻", camera="📷", hammer="🔨", key="🔑", bell="🔔",
    crown="👑", robot="🤖", ghost="👻", pumpkin="🎃", balloon="🎈", star="⭐")
COLORS = dict(red=(220, 30, 35), green=(35, 160, 50), blue=(35, 70, 215), yellow=(245, 215, 30), purple=(125, 45, 165))
SHAPES = ("circle", "square", "triangle", "diamond")
# The encoders were never shown these together, and guess.
UNSEEN_PAIRS = {("red", "circle"), ("purple", "square"), ("yellow", "diamond")}
GROUNDS = ((238, 232, 213), (205, 222, 235), (60, 70, 90), (214, 234, 210), (90, 60, 70))

PLACES = "kitchen garden office station market library park hotel museum bakery".split()
PEOPLE = "anna david emma frank laura martin nina robert".split()
TIMES = ("today", "tomorrow", "on monday", "this evening", "at noon")
VERBS = "bring buy clean find paint wash carry draw".split()
ADJECTIVES = "red green old new small big heavy yellow".split()


def article(name):
    return ("an " if name[0] in "aeio" or name.startswith("um") else "a ") + name


def shape_sprite(color, shape, side):
    big = side * 4  # drawn large and scaled down: smooth edges
    image = Image.new("RGBA", (big, big), (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    m, middle, end = big // 20, big // 2, big - big // 20
    outlines = dict(square=[(m * 2, m * 2), (end - m, m * 2), (end - m, end - m), (m * 2, end - m)],
                    triangle=[(middle, m), (end, end - m), (m, end - m)],
                    diamond=[(middle, m), (end - m * 3, middle), (middle, end), (m * 4, middle)])
    if shape == "circle":
        draw.ellipse((m, m, end, end), fill=COLORS[color])
    else:
        draw.polygon(outlines[shape], fill=COLORS[color])
    return image.resize((side, side), Image.LANCZOS)


def emoji_sprite(character, side):
    image = Image.new("RGBA", (160, 160), (0, 0, 0, 0))
    font = ImageFont.truetype(FONT, FONT_SIZE)
    ImageDraw.Draw(image).text((12, 8), character, font=font, embedded_color=True)
    image = image.crop(image.getbbox())
    scale = side / max(image.size)
    return image.resize([max(1, round(length * scale)) for length in image.size], Image.LANCZOS)


def sprite(name, side):
    color, _, shape = name.partition(" ")
    return shape_sprite(color, shape, side) if shape else emoji_sprite(OBJECTS[name], side)


def draw_scene(objects, ground):
    """Objects stand side by side, each at its own place and size."""
    image = Image.new("RGBA", (WIDTH, HEIGHT), ground + (255,))
    for name, (x, y, side) in objects:
        picture = sprite(name, side)
        image.alpha_composite(picture, (x - picture.width // 2, y - picture.height // 2))
    return image.convert("RGB")


def pick_objects(rng, count):
    names = rng.sample(sorted(OBJECTS), count)
    if rng.random() < 0.5:
        pairs = [(c, s) for c in COLORS for s in SHAPES if (c, s) not in UNSEEN_PAIRS]
        names[-1] = " ".join(rng.choice(pairs))
    return names


def place(rng, names):
    """Left to right, in equal columns."""
    column = WIDTH // len(names)
    placed = []
    for i, name in enumerate(names):
        side = rng.randint(150, 190)
        free = (column - side) // 3
        x = column * i + column // 2 + rng.randint(-free, free)
        placed.append((name, (x, HEIGHT // 2 + rng.randint(-50, 50), side)))
    return placed


def pick_sentence(rng):
    return rng.choice((
        f"the {rng.choice(ADJECTIVES)} {rng.choice(sorted(OBJECTS))} is in the {rng.choice(PLACES)}",
        f"please {rng.choice(VERBS)} the {rng.choice(sorted(OBJECTS))}",
        f"{rng.choice(PEOPLE)} will {rng.choice(VERBS)} the {rng.choice(sorted(OBJECTS))} {rng.choice(TIMES)}",
        f"we meet at the {rng.choice(PLACES)} {rng.choice(TIMES)}"))


def speak(text, path):
    subprocess.run(["espeak-ng", "-v", "en-us+m3", "-s", "150", "-w", str(path), text], check=True)
    with wave.open(str(path)) as sound:
        return sound.getnframes() / sound.getframerate()


def questions(first, added, last, sentence, absent):
    """What the model can be expected to know; `keys` are what a right answer holds."""
    end = SCENES * SCENE_S
    asked = [
        (f"When did the {added} appear?", f"The {added} appeared at {SCENE_S}.0s.", [f"{SCENE_S}.0s"], end),
        ("What was there at 2.0s?", f"At 2.0s there was {article(first)}.", [first], end),
        ("What do you see?", f"I see {article(first)}.", [first], 3.0),
        ("What do you see now?", f"I see {' and '.join(article(name) for name in last)}.", list(last), end),
        (f"Is there {article(absent)}?", f"No, there is no {absent}.", ["No"], 3.0)]
    if sentence:
        asked.append(("What did the speaker say?", f"The speaker said: {sentence}", sentence.split(), end))
    return [dict(question=q, answer=a, keys=k, at=at) for q, a, k, at in asked]


def encode(pictures, sound, seconds, out, folder):
    """`sound`: options of ffmpeg that make input 1."""
    listing = folder / "pictures.txt"
    # ffmpeg's list reader drops the last duration unless its picture is named again.
    listing.write_text("".join(f"file '{p}'\nduration {SCENE_S}\n" for p in pictures) + f"file '{pictures[-1]}'\n")
    command = ["ffmpeg", "-y", "-loglevel", "error", "-f", "concat", "-safe", "0", "-i", str(listing), *sound,
               "-vf", f"fps={FPS},format=yuv420p", "-c:v", "libx264", "-crf", "23", "-threads", "1", "-c:a", "aac",
               "-b:a", "64k", "-ac", "1", "-ar", "16000", "-flags", "+bitexact", "-fflags", "+bitexact",
               "-map_metadata", "-1", "-t", str(seconds), str(out)]
    subprocess.run(command, check=True)


def write_pictures(scenes, folder):
    paths = []
    for i, picture in enumerate(scenes):
        paths.append(folder / f"scene{i}.png")
        picture.save(paths[-1])
    return paths


def make(arguments, folder):
    seconds = SCENES * SCENE_S
    silence = ["-f", "lavfi", "-i", "anullsrc=r=16000:cl=mono"]
    content = dict(file=arguments.out.name, seconds=seconds, scenes=[], speech=[], questions=[])
    if arguments.blank:
        pictures = write_pictures([Image.new("RGB", (WIDTH, HEIGHT))] * SCENES, folder)
        encode(pictures, silence, seconds, arguments.out, folder)
        return content
    rng = random.Random(arguments.seed)
    first, added, *last, absent = pick_objects(rng, 5)[::-1]
    sentence = "" if arguments.silent else pick_sentence(rng)
    spot = place(rng, [first, added])
    scenes = [spot[:1], spot, place(rng, last)]
    grounds = rng.sample(GROUNDS, 2)
    pictures = write_pictures([draw_scene(s, grounds[i // 2]) for i, s in enumerate(scenes)], folder)
    sound = silence
    if sentence:
        length = speak(sentence, folder / "speech.wav")
        content["speech"].append(dict(start=SPEECH_AT_S, end=round(SPEECH_AT_S + length, 1), text=sentence))
        sound = ["-i", str(folder / "speech.wav"), "-af", f"adelay={SPEECH_AT_S * 1000:.0f},apad,volume=0.8"]
    encode(pictures, sound, seconds, arguments.out, folder)
    content["scenes"] = [dict(start=i * SCENE_S, end=(i + 1) * SCENE_S, objects=[name for name, _ in scene])
                         for i, scene in enumerate(scenes)]
    content["questions"] = questions(first, added, last, sentence, absent)
    return content


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--blank", action="store_true", help="black pictures and silence")
    parser.add_argument("--silent", action="store_true", help="nobody speaks: noise-free silence")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        content = make(arguments, Path(folder))
    arguments.out.with_suffix(".json").write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
