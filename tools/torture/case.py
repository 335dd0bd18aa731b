"""What a file of the torture set is: how it is made, how it is read, and what must come of it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

# Pure colours, far enough apart that any codec keeps them.
RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)
BLACK, GREY = (0, 0, 0), (128, 128, 128)
CORNERS = [RED, GREEN, BLUE, WHITE]  # top left, top right, bottom left, bottom right


@dataclass
class Case:
    """`expect` holds any of:

    frames     times of all pictures, s (± 1 ms); or {"count": [least, most], "from": s, "to": s}
    size       [width, height] as shown; sizes: those of all pictures in order, without repeats
    colours    of the four quadrants of the first picture, give or take `colour_slack`; last_colours: of the last
    sound      stretches [start, end], s; within `sound_slack` (0.03)
    from_to    of all sound, in stretches without holes of more than 30 ms
    level      least and most RMS of the first stretch
    lines      [start, end, text]; readings: [at, {channel: value}]
    damage     none (the default), some, any (nobody can tell), or {"from": s, "to": s, "says": part of a message}
    notice     part of one
    error      the code with which it is refused, `says` a part of its message
    describes  a part of the description
    duration   s, ± 0.1
    """
    name: str
    make: Callable[[Path], None]
    expect: dict
    spec: str = "{file}"
    limits: dict = field(default_factory=dict)
    piped: bool = False
    fast: bool = False  # belongs to the part that every run of the tests takes
    differs: str = ""   # why ffprobe's times are others; empty: they must be the same
    group: str = ""


def grid(rate, count, start=0.0):
    return [start + i / rate for i in range(count)]


def mirrored(colours):
    return [colours[1], colours[0], colours[3], colours[2]]


def turned(colours):
    """A quarter clockwise."""
    return [colours[2], colours[0], colours[3], colours[1]]


def case(name, make, **given):
    """A case; what isn't one of its own fields is expected."""
    own = {key: given.pop(key) for key in ("spec", "limits", "piped", "fast", "differs") if key in given}
    return Case(name, make, given, **own)
