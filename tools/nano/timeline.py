"""Streams of frames: things that appear, stay, go and come back; and the questions that their times answer."""
import copy
from dataclasses import dataclass
import random

from nano import questions, scene as scenes, words
from nano.questions import Asked

STEPS = (0.5, 1.0, 1.0, 1.5, 2.0, 2.0, 2.0, 3.0)


@dataclass
class Frame:
    at: float  # seconds, one decimal
    scene: scenes.Scene


def _frame_times(rng, count):
    """Even or uneven times, as a camera and as a filter that drops what is not new would give them."""
    step, uneven = rng.choice(STEPS), rng.random() < 0.4
    at = rng.choice((0.0, 0.0, round(rng.uniform(0, 60), 1), round(rng.uniform(0, 600), 1)))
    times = []
    for _ in range(count):
        times.append(round(at, 1))
        at += rng.choice((0.5, 1, 1, 1.5, 2, 3)) * step if uneven else step
    return times


def _next_things(rng, world, present, gone):
    """What is there next: something more, something less, or something that comes back."""
    things = list(present)
    act = rng.random()
    if things and act < 0.35 and (len(things) > 1 or rng.random() < 0.5):
        gone.append(things.pop(rng.randrange(len(things))))
        return things
    if len(things) >= 3:
        gone.append(things.pop(0))
    if gone and act > 0.8:
        things.append(gone.pop(rng.randrange(len(gone))))
        return things
    taken = {thing.name for thing in things + gone}
    new = scenes.pick_thing(rng, world)
    while new.name in taken:
        new = scenes.pick_thing(rng, world)
    return things + [new]


def _still(rng, scene):
    """The same scene a moment later: other noise, things moved by little or nothing."""
    later = copy.copy(scene)
    later.post = scenes.random_post(rng) if rng.random() < 0.3 else scene.post
    later.things = [copy.copy(thing) for thing in scene.things]
    if rng.random() < 0.4:
        for thing in later.things:
            thing.turn += rng.gauss(0, 3)
            thing.x = min(scene.width, max(0, thing.x + rng.gauss(0, 0.01)))
    return later


def random_frames(rng, world, count, change=0.6):
    """`count` frames; with probability `change` a frame differs from the one before."""
    aspect = rng.choice((1, 1, 4 / 3, 16 / 9, 16 / 9))
    present, gone, frames = [], [], []
    for at in _frame_times(rng, count):
        if not frames or rng.random() < change:
            for _ in range(1 if frames else rng.choice((1, 1, 2))):
                present = _next_things(rng, world, present, gone)
            scene = scenes.random_scene(rng, world, things=present, aspect=aspect) if present else scenes.blank_scene(rng)
            if frames and rng.random() < 0.7 and present:
                scene.ground = frames[-1].scene.ground
        else:
            scene = _still(rng, frames[-1].scene)
        frames.append(Frame(at, scene))
    return frames


def spans(frames):
    """By name, the stretches in which it was there: [first time, first time without it or None]."""
    found = {}
    for frame in frames:
        names = {thing.name for thing in frame.scene.things}
        for name in names:
            runs = found.setdefault(name, [])
            if not runs or runs[-1][1] is not None:
                runs.append([frame.at, None])
        for name, runs in found.items():
            if name not in names and runs[-1][1] is None:
                runs[-1][1] = frame.at
    return found


def _there(frame):
    return words.joined(questions.counted(frame.scene.things)) if frame.scene.things else "nothing"


def _names(frame):
    return [thing.name for thing in frame.scene.things] or ["nothing"]


def _times(values):
    return words.joined([f"{value:.1f}s" for value in values])


def about_thing(name, runs):
    """When, until when, how long and how many times it was there."""
    first, last = runs[0], runs[-1]
    starts = [run[0] for run in runs]
    asked = [Asked("when", f"When did the {name} appear?", f"The {name} appeared at {_times(starts)}.",
                   [f"{start:.1f}s" for start in starts])]
    gone = f"The {name} disappeared at {last[1]:.1f}s." if last[1] is not None else f"The {name} is still there."
    asked.append(Asked("gone", f"When did the {name} disappear?", gone,
                       [f"{last[1]:.1f}s" if last[1] is not None else "still there"]))
    if len(runs) == 1:
        long = f"was there from {first[0]:.1f}s to {first[1]:.1f}s" if first[1] else f"has been there since {first[0]:.1f}s"
        asked.append(Asked("howlong", f"How long was the {name} there?", f"The {name} {long}.",
                           [f"{first[0]:.1f}s"] + ([f"{first[1]:.1f}s"] if first[1] else ["since"])))
    many = f"{words.NUMBERS[len(runs)]} time{'s' if len(runs) > 1 else ''}"
    asked.append(Asked("times", f"How many times did the {name} appear?", f"The {name} appeared {many}, at {_times(starts)}.",
                       [many]))
    return asked


def _order(frames, found):
    """What came before and after a thing's first appearance."""
    asked = []
    firsts = sorted((runs[0][0], name) for name, runs in found.items())
    for at, name in firsts:
        before = [frame for frame in frames if frame.at < at]
        was = _there(before[-1]) if before else "nothing"
        asked.append(Asked("before", f"What was there before the {name}?", f"Before the {name} there was {was}.",
                           _names(before[-1]) if before else ["nothing"]))
        later = [(t, other) for t, other in firsts if t > at]
        if not later:
            asked.append(Asked("after", f"What came after the {name}?", f"Nothing came after the {name}.", ["Nothing"]))
        elif sum(t == later[0][0] for t, _ in later) == 1:
            asked.append(Asked("after", f"What came after the {name}?",
                               f"After the {name} came {words.article(later[0][1])}, at {later[0][0]:.1f}s.",
                               [later[0][1]]))
    return asked


def changes(frames):
    asked = []
    for before, after in zip(frames, frames[1:]):
        old, new = [t.name for t in before.scene.things], [t.name for t in after.scene.things]
        came, went = [n for n in new if n not in old], [n for n in old if n not in new]
        said = [f"{words.capital(words.article(n))} appeared." for n in came] + [f"The {n} disappeared." for n in went]
        asked.append(Asked("changed", f"What changed between {before.at:.1f}s and {after.at:.1f}s?",
                           " ".join(said) or "Nothing changed.", came + went or ["Nothing"]))
    return asked


def _at(rng, frames):
    asked = []
    for i, frame in enumerate(frames):
        at = frame.at
        if i + 1 < len(frames) and rng.random() < 0.25:  # a time between two frames: what was there since the first
            at = round(rng.uniform(at, frames[i + 1].at - 0.1), 1)
        asked.append(Asked("at", f"What was there at {at:.1f}s?", f"At {at:.1f}s there was {_there(frame)}.",
                           _names(frame)))
    return asked


def not_seen(rng, world, found):
    """Questions about something that was never there."""
    name = scenes.pick_thing(rng, world).name
    while name in found:
        name = scenes.pick_thing(rng, world).name
    text = rng.choice((f"When did the {name} appear?", f"When did the {name} disappear?",
                       f"How long was the {name} there?", f"How many times did the {name} appear?"))
    return Asked("notseen", text, f"The {name} was not seen.", ["not seen"])


def about(rng, world, frames):
    """Every question these frames answer, few of each kind: a kind is picked first, then its question."""
    found = spans(frames)
    last = frames[-1].scene
    by_thing = {}
    for name, runs in found.items():
        for asked in about_thing(name, runs):
            by_thing.setdefault(asked.kind, []).append(asked)
    kinds = list(by_thing.values()) + [_at(rng, frames), changes(frames), _order(frames, found)]
    kinds.append([Asked("first", "What was there first?", f"At first there was {_there(frames[0])}.", _names(frames[0]))])
    kinds.append([Asked("now", rng.choice(("What do you see now?", "What is visible now?")), questions.describe(last),
                        questions.name_keys(last.things) or ["othing"])])
    kinds.append([not_seen(rng, world, found)])
    picked = []
    for asked in kinds:
        rng.shuffle(asked)
        picked += asked[:2]
    rng.shuffle(picked)
    return picked


# ---------------------------------------------------------------- words and numbers beside the frames

CHANNELS = {"temperature": (15, 120), "pressure": (1, 12), "speed": (0, 90), "voltage": (3, 48), "humidity": (10, 95),
            "level": (0, 100), "weight": (1, 400), "distance": (0, 50)}
SENSORS = ("press", "motor", "pump", "oven", "tank", "belt", "line1", "sensor", "room", "scale")


@dataclass
class Reading:
    at: float
    source: str
    channel: str
    value: str

    @property
    def line(self):
        return f"[{self.at:.1f}s]{self.source} {self.channel}={self.value}"


def random_readings(rng, start, end, count):
    source, channel = rng.choice(SENSORS), rng.choice(list(CHANNELS))
    low, high = CHANNELS[channel]
    times = sorted(round(rng.uniform(start, end), 1) for _ in range(count))
    return [Reading(at, source, channel, f"{rng.uniform(low, high):.1f}") for at in times]


def about_readings(readings):
    channel, last = readings[0].channel, readings[-1]
    highest = max(readings, key=lambda reading: float(reading.value))
    lowest = min(readings, key=lambda reading: float(reading.value))
    asked = [Asked("reading", f"What is the {channel}?", f"The {channel} is {last.value} at {last.at:.1f}s.", [last.value])]
    for word, reading in (("highest", highest), ("lowest", lowest)):
        asked.append(Asked("reading", f"What was the {word} {channel}?",
                           f"The {word} {channel} was {reading.value} at {reading.at:.1f}s.", [reading.value]))
    return asked


def no_reading(rng):
    channel = rng.choice(list(CHANNELS))
    return Asked("noreading", f"What is the {channel}?", f"There is no reading of the {channel}.", ["no reading"])
