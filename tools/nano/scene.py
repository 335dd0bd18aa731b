"""What is in a picture, as plain data, and how a random one is made. Renderers are in render_torch.py and render_pil.py.

Places and sizes are fractions of the model's square input. The content is a window of `width` x `height` (the longer
side is 1) in its middle; around it are the black bars that keep the aspect ratio.
"""
from dataclasses import dataclass, field
import random

from nano import words

MAX_THINGS = 5
ASPECTS = (1, 1, 1, 4 / 3, 16 / 9, 16 / 9, 3 / 4, 9 / 16)
# Range of a thing's side by how many share the picture.
SIZES = {1: (0.3, 0.75), 2: (0.26, 0.48), 3: (0.22, 0.40), 4: (0.19, 0.33), 5: (0.17, 0.28)}


@dataclass
class Thing:
    cls: int             # index of words.NAMES
    color: str = None    # of shapes, and of emoji that are tinted
    x: float = 0         # centre, in the content window
    y: float = 0
    size: float = 0
    turn: float = 0      # degrees
    gain: float = 1      # brightness
    flip: bool = False
    jitter: tuple = (0, 0, 0)  # on the colour, 0..255

    @property
    def name(self):
        return f"{self.color} {words.NAMES[self.cls]}" if self.color else words.NAMES[self.cls]

    @property
    def kind(self):
        return words.NAMES[self.cls]


@dataclass
class Sign:
    index: int   # in the bank of drawn texts
    text: str
    x: float
    y: float
    w: float
    h: float
    turn: float
    board: list
    ink: list


@dataclass
class Ground:
    kind: str           # solid, gradient, noise, blobs
    color: str          # name, of solid ones
    first: list
    second: list
    angle: float
    seed: int


@dataclass
class Post:
    noise: float = 0
    blur: float = 0
    gain: float = 1
    bias: float = 0


@dataclass
class Scene:
    width: float
    height: float
    ground: Ground
    things: list = field(default_factory=list)
    sign: Sign = None
    post: Post = field(default_factory=Post)


@dataclass
class World:
    """What random scenes are made of. `tintable`: per emoji, whether it stays itself in one colour."""
    signs: list
    tintable: list
    held: bool = False  # pairs of kind and colour that training never shows, and only those


def pick_thing(rng, world):
    while True:
        kind = rng.random()
        if kind < 0.52:
            thing = Thing(rng.randrange(words.N_EMOJI))
        elif kind < 0.64:
            thing = Thing(rng.randrange(words.N_EMOJI), rng.choice(words.COLOR_NAMES))
            if not world.tintable[thing.cls]:
                continue
        else:
            thing = Thing(words.N_EMOJI + rng.randrange(len(words.SHAPES)), rng.choice(words.COLOR_NAMES))
        if thing.color is None or words.is_held(thing.cls, thing.color) == world.held:
            return thing


def pick_things(rng, world, count):
    if count >= 2 and rng.random() < 0.25:  # the same thing several times, to be counted
        same = rng.randint(2, count)
        first = pick_thing(rng, world)
        things = [Thing(first.cls, first.color) for _ in range(same)]
    else:
        things = []
    while len(things) < count:
        thing = pick_thing(rng, world)
        if all(thing.name != other.name for other in things):
            things.append(thing)
    return things


def _boxes(rng, count, sign, width, height, shrink):
    boxes = []
    if sign:
        w = rng.uniform(0.5, 0.9) * width * max(shrink, 0.7)
        boxes.append((w, min(w * rng.uniform(0.4, 0.6), height * 0.5)))
    low, high = SIZES[min(5, max(1, count + bool(sign)))]
    for _ in range(count):
        side = min(rng.uniform(low, high) * shrink, 0.85 * min(width, height))
        boxes.append((side, side))
    return boxes


def _apart(x, y, w, h, placed):
    return all(abs(x - px) > (w + pw) * 0.48 or abs(y - py) > (h + ph) * 0.48 for px, py, pw, ph in placed)


def place(rng, count, sign, width, height):
    """Centres and sizes (x, y, w, h) that don't overlap, the sign's first; None after many tries."""
    for attempt in range(200):
        placed = []
        for w, h in _boxes(rng, count, sign, width, height, 0.97 ** (attempt // 4)):
            for _ in range(30):
                x, y = rng.uniform(w / 2, width - w / 2), rng.uniform(h / 2, height - h / 2)
                if _apart(x, y, w, h, placed):
                    placed.append((x, y, w, h))
                    break
            else:
                break
        if len(placed) == count + bool(sign):
            return placed
    return None


def _near(color, off, rng):
    return [min(255, max(0, value + rng.randint(-off, off))) for value in color]


def random_ground(rng):
    kind = rng.choice(("solid", "solid", "gradient", "gradient", "noise", "blobs", "blobs"))
    any_color = lambda: [rng.randint(0, 255) for _ in range(3)]
    name = None
    if kind == "solid":
        name = rng.choice(words.COLOR_NAMES)
        first = _near(words.COLORS[name], 12, rng)
    elif rng.random() < 0.4:
        first = _near([rng.randint(40, 235)] * 3, 15, rng)
    else:
        first = any_color()
    second = any_color() if rng.random() < 0.5 else _near(first, 60, rng)
    return Ground(kind, name, first, second, rng.uniform(0, 6.28), rng.randrange(1 << 30))


def _distance(a, b):
    return sum(abs(x - y) for x, y in zip(a, b))


def _ground_for(rng, ground, thing):
    """Another ground if a coloured thing would vanish before this one."""
    color = thing.color and words.COLORS[thing.color]
    if not color or ground.kind not in ("solid", "gradient") or _distance(color, ground.first) >= 150:
        return ground
    name = rng.choice([c for c in words.COLOR_NAMES if _distance(words.COLORS[c], color) > 250])
    return Ground("solid", name, list(words.COLORS[name]), list(words.COLORS[name]), 0, 1)


def random_sign(rng, box, signs):
    x, y, w, h = box
    index = rng.randrange(len(signs))
    if rng.random() < 0.25:
        board, ink = list(words.COLORS[rng.choice(("red", "blue", "green", "black", "purple"))]), [250, 250, 250]
    elif rng.random() < 0.4:
        board, ink = [rng.randint(0, 90) for _ in range(3)], [rng.randint(190, 255) for _ in range(3)]
    else:
        board, ink = [rng.randint(165, 255) for _ in range(3)], [rng.randint(0, 80) for _ in range(3)]
    return Sign(index, signs[index], x, y, w, h, rng.gauss(0, 4), board, ink)


def put(rng, thing, box):
    """The thing at a place, with random small differences of look."""
    x, y, w, _ = box
    directed = words.NAMES[thing.cls] in ("arrow", "square", "diamond", "rectangle", "oval", "cross")
    return Thing(thing.cls, thing.color, x, y, w, rng.gauss(0, 9 if directed or thing.cls < words.N_EMOJI else 14),
                 rng.uniform(0.82, 1.12), thing.cls < words.N_EMOJI and rng.random() < 0.3,
                 tuple(rng.randint(-10, 10) for _ in range(3)))


def random_post(rng):
    return Post(rng.choice((0, 0, 0.01, 0.02, 0.04)), rng.choice((0, 0, 0.4, 0.7, 1.0)), rng.uniform(0.8, 1.15),
                rng.uniform(-0.05, 0.05))


def random_scene(rng, world, sign=False, things=None, aspect=None):
    """A scene with these things (None: random ones)."""
    while True:
        ratio = aspect or rng.choice(ASPECTS)
        width, height = (1.0, 1.0 / ratio) if ratio >= 1 else (ratio, 1.0)
        if things is None:
            count = rng.choice((0, 1, 1, 2)) if sign else rng.choice((1, 1, 2, 2, 3, 3, 4, 5))
        else:
            count = len(things)
        boxes = place(rng, count, sign, width, height)
        if boxes is not None:
            break
    scene = Scene(width, height, random_ground(rng), post=random_post(rng))
    if sign:
        scene.sign = random_sign(rng, boxes.pop(0), world.signs)
    for thing, box in zip(things if things is not None else pick_things(rng, world, count), boxes):
        scene.ground = _ground_for(rng, scene.ground, thing)
        scene.things.append(put(rng, thing, box))
    return scene


def blank_scene(rng):
    """Nothing to see: a plain, dark or noisy picture."""
    ratio = rng.choice(ASPECTS)
    width, height = (1.0, 1.0 / ratio) if ratio >= 1 else (ratio, 1.0)
    scene = Scene(width, height, random_ground(rng), post=random_post(rng))
    if rng.random() < 0.35:
        shade = [rng.randint(0, 25)] * 3
        scene.ground = Ground("solid", "black", shade, shade, 0, rng.randrange(1 << 30))
    return scene


class SignWords:
    """Words on signs: most are for training, some are only ever shown in tests."""

    def __init__(self, known, seed=7, held=150):
        shuffled = list(known)
        random.Random(seed).shuffle(shuffled)
        self.held, self.train = shuffled[:held], shuffled[held:]


def sign_text(rng, known, short=False):
    """Digits, one to three words, or a word and a number. `short`: one word or number."""
    digits = lambda low, high: "".join(rng.choice("0123456789") for _ in range(rng.randint(low, high)))
    kind = rng.random() * (0.65 if short else 1)
    if kind < 0.3:
        return digits(2, 5)
    if kind < 0.65:
        text = rng.choice(known)
    elif kind < 0.82:
        text = f"{rng.choice(known)} {rng.choice(known)}"
    elif kind < 0.87:
        text = " ".join(rng.choice(known) for _ in range(3))
    else:
        text = f"{rng.choice(known)} {digits(1, 3)}"
    case = rng.random()
    return text.upper() if case < 0.5 else (text if case < 0.75 else text.title())
