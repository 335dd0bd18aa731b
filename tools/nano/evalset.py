"""Held-out tests as files, as a user would have them: other seeds, another renderer, other words, other voices.

evalset.py ASSETS OUT [--count N] [--processes P]: pictures and sounds in OUT, and OUT/items.jsonl with one item a line:
the parts of a prompt, questions about them, and for each question its group, answer and the strings it must hold.
"""
import argparse
import json
import multiprocessing
from pathlib import Path
import random

import numpy as np

from nano import plain, questions, render_pil, scene as scenes, speech_questions, timeline, voices, words
from nano.scene import SignWords, World

SEED = 990001
PER_TASK = 25  # questions that one task makes


class Studio:
    """Writes pictures and sounds of one task."""

    def __init__(self, assets, out, task, rng):
        assets = Path(assets)
        self.sprites, self.fonts = np.load(assets / "sprites.npz"), render_pil.fonts_of(assets)
        self.known = json.loads((assets / "text.json").read_text())["words"]
        self.words = SignWords(self.known)
        self.out, self.task, self.rng, self.count, self.speaker = out, task, rng, 0, None
        self.world = self.world_of(self.words.train)

    def world_of(self, known, held=False):
        texts = [scenes.sign_text(self.rng, known) for _ in range(300)]
        return World(texts, [bool(t) for t in self.sprites["tintable"]], held)

    def _path(self, ending):
        self.count += 1
        return f"{self.out}/{self.task}-{self.count}{ending}"

    def picture(self, scene):
        ending = self.rng.choice((".png", ".jpg", ".jpg"))
        path = self._path(ending)
        quality = dict(quality=self.rng.choice((60, 75, 85, 92))) if ending == ".jpg" else {}
        render_pil.render(scene, self.sprites, self.fonts, self.rng).save(path, **quality)
        return dict(file=path)

    def sound(self, text, held=None, noise=None, samples=None):
        """(part, seconds); noise: dB below the speech."""
        if samples is None:
            self.speaker = self.speaker or voices.Speaker()
            samples = self.speaker.say(self.rng, text, held)[0]
        g = np.random.default_rng(self.rng.randrange(1 << 30))
        silence = lambda: np.zeros(self.rng.randint(800, 6000))
        x = np.concatenate([silence(), samples * self.rng.uniform(0.4, 1), silence()])
        level = 30 if noise is None else np.sqrt((samples.astype(float) ** 2).mean()) * 10 ** (-noise / 20)
        x = (x + g.normal(0, level, len(x))).clip(-32768, 32767)
        path = self._path(".wav")
        voices.write_wav(path, x)
        return dict(file=path), len(x) / voices.RATE


def item(parts, asked, **more):
    """asked: [(group, Asked)]"""
    return dict(parts=parts, questions=[a.text for _, a in asked], groups=[g for g, _ in asked],
                answers=[a.answer for _, a in asked], keys=[a.keys for _, a in asked], **more)


def stamp(studio):
    return [dict(text=f"[{studio.rng.uniform(0, 60):.1f}s]")] if studio.rng.random() < 0.5 else []


def pictures(studio, rng):
    """One picture with things, and up to four questions of different kinds."""
    scene = scenes.random_scene(rng, studio.world)
    asked = questions.about(rng, studio.world, scene)
    rng.shuffle(asked)
    groups = dict(left="place", right="place", top="place", bottom="place", where="place", yes="yes/no", no="yes/no",
                  ground="colour", color="colour")
    picked = {}
    for a in asked:
        picked.setdefault(groups.get(a.kind, a.kind), a)
    if "yes/no" in picked:  # balanced
        want = rng.choice(("yes", "no"))
        picked["yes/no"] = next(a for a in asked if a.kind == want)
    names = [thing.name for thing in scene.things]
    return item(stamp(studio) + [studio.picture(scene)], [(f"vision/{k}", a) for k, a in picked.items()], names=names)


def pruned(studio, rng):
    return dict(renamed(pictures(studio, rng), "vision/", "half of the rows/"), drop=8)


def renamed(made, old, new):
    return dict(made, groups=[group.replace(old, new) for group in made["groups"]])


def unseen_pairs(studio, rng):
    world = studio.world_of(studio.words.train, held=True)
    while True:
        scene = scenes.random_scene(rng, world)
        if any(thing.cls >= words.N_EMOJI for thing in scene.things):
            break
    asked = [a for a in questions.about(rng, world, scene) if a.kind == "describe"]
    return item([studio.picture(scene)], [("unseen pairs/describe", asked[0])], names=[t.name for t in scene.things])


def sign(studio, rng, held=False):
    world = studio.world_of(studio.words.held) if held else studio.world
    scene = scenes.random_scene(rng, world, sign=True)
    asked = next(a for a in questions.about(rng, world, scene) if a.kind == "sign")
    return item(stamp(studio) + [studio.picture(scene)], [("sign/unseen words" if held else "sign/known words", asked)])


def unseen_sign(studio, rng):
    return sign(studio, rng, held=True)


def transcript(studio, rng, name, **how):
    text = words.sentence(rng, studio.known)
    part, seconds = studio.sound(text, **how)
    asked = questions.Asked("heard", rng.choice(speech_questions.ASK), speech_questions.transcript(text), [text])
    return item([dict(text=f"[0.0-{seconds:.1f}s]"), part], [(f"speech/{name}", asked)], said=text)


def known_voice(studio, rng):
    return transcript(studio, rng, "known voices")


def unseen_voice(studio, rng):
    return transcript(studio, rng, "unseen espeak voice", held="espeak")


def unseen_synthesiser(studio, rng):
    return transcript(studio, rng, "unseen diphone voice", held="flite")


def noisy(studio, rng):
    return transcript(studio, rng, "known voices, noise 10 dB below", noise=10)


def spoken(studio, rng):
    known = set(words.spoken_questions())
    while True:
        scene = scenes.random_scene(rng, studio.world)
        asked = questions.spoken(rng, studio.world, scene, known)
        if asked:
            break
    asked = rng.choice(asked)
    part, seconds = studio.sound(asked.text)
    said, asked = asked.text, questions.Asked(asked.kind, "", asked.answer, asked.keys)
    parts = [dict(text="[3.0s]"), studio.picture(scene), dict(text=f"\n[3.2-{3.2 + seconds:.1f}s]"), part]
    return item(parts, [("spoken question", asked)], spoken=said)


def stream(studio, rng, low=1, high=8, name="timeline", change=0.6):
    """Frames, sometimes speech and readings; two to four questions."""
    frames = timeline.random_frames(rng, studio.world, rng.randint(low, high), change)
    events = [(f.at, [dict(text=f"[{f.at:.1f}s]"), studio.picture(f.scene)]) for f in frames]
    said = []
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        text = words.sentence(rng, studio.known)
        part, seconds = studio.sound(text, held=rng.choice((None, "espeak")))
        start = round(rng.uniform(frames[0].at, frames[-1].at + 1), 1)
        end = round(start + seconds, 1)
        said.append((start, end, text))
        events.append((end, [dict(text=f"[{start:.1f}-{end:.1f}s]"), part]))
    readings = []
    if rng.random() < 0.25:
        readings = timeline.random_readings(rng, frames[0].at, frames[-1].at + 1, rng.randint(1, 5))
        events += [(r.at, [dict(text=r.line)]) for r in readings]
    parts = []
    for i, (_, event) in enumerate(sorted(events, key=lambda e: e[0])):
        parts += ([dict(text="\n")] if i else []) + event
    asked = timeline.about(rng, studio.world, frames)[:3] + speech_questions.about(rng, sorted(said))[:1]
    asked += [rng.choice(timeline.about_readings(readings))] if readings else []
    by_kind = {a.kind: a for a in asked}
    made = item(parts, [(f"{name}/{kind}", a) for kind, a in by_kind.items()])
    if "text" in made["parts"][-1]:  # a text at the end is tokenised with its question: one question then
        keep = rng.randrange(len(made["questions"]))
        made["parts"].append(dict(text="\n" + made["questions"][keep]))
        made["questions"] = [""]
        for key in ("groups", "answers", "keys"):
            made[key] = [made[key][keep]]
    return made


def long_stream(studio, rng):
    return stream(studio, rng, 20, 52, "timeline of 20 to 60", change=rng.choice((0.1, 0.2, 0.4)))


def nothing(studio, rng):
    """Blank pictures, silence, noise, music."""
    kind = rng.choice(("blank", "silence", "noise", "music"))
    if kind == "blank":
        asked = questions.Asked("blank", rng.choice(questions.ASK["describe"]), questions.NOTHING, ["othing"])
        return item(stamp(studio) + [studio.picture(scenes.blank_scene(rng))], [("nothing/blank", asked)])
    seconds = rng.uniform(0.6, 4)
    if kind == "music":
        samples = voices.music(rng, seconds)
    else:
        level = rng.uniform(0, 20) if kind == "silence" else rng.uniform(200, 3000)
        samples = np.random.default_rng(rng.randrange(1 << 30)).normal(0, level + 1e-3, int(seconds * voices.RATE))
    part, seconds = studio.sound("", samples=samples)
    asked = questions.Asked("nospeech", rng.choice(speech_questions.ASK), speech_questions.NO_SPEECH, ["o speech"])
    return item([dict(text=f"[0.0-{seconds:.1f}s]"), part], [(f"nothing/{kind}", asked)])


# What makes items, and how many questions for each hundred of --count.
MAKERS = {pictures: 100, pruned: 60, unseen_pairs: 100, sign: 100, unseen_sign: 100, known_voice: 100, unseen_voice: 100,
          unseen_synthesiser: 100, noisy: 100, spoken: 100, stream: 200, long_stream: 20, nothing: 100}


def _make(task):
    assets, out, name, number, count = task
    maker = next(m for m in MAKERS if m.__name__ == name)
    rng = random.Random(f"{SEED}-{name}-{number}")
    studio = Studio(assets, out, f"{name}{number}", rng)
    return [maker(studio, rng) for _ in range(count)]


def make(assets, out, count, processes):
    Path(out).mkdir(parents=True, exist_ok=True)
    tasks = []
    for maker, share in MAKERS.items():
        total = count * share // 100
        tasks += [(assets, out, maker.__name__, i, min(PER_TASK, total - start))
                  for i, start in enumerate(range(0, total, PER_TASK))]
    # A process for each task: espeak-ng remembers what it said before. Even so, a sound's length moves now and then.
    with multiprocessing.Pool(processes, maxtasksperchild=1) as pool:
        made = sum(pool.map(_make, tasks, 1), [])
    for question in plain.held_prompts():
        made.append(item([dict(text=question)], [("plain chat", questions.Asked("plain", "", "", []))], max=64))
    with open(f"{out}/items.jsonl", "w") as file:
        for i, one in enumerate(made):
            file.write(json.dumps(dict(one, id=i)) + "\n")
    print(f"{len(made)} items, {sum(len(one['questions']) for one in made)} questions")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("assets")
    parser.add_argument("out")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--processes", type=int)
    arguments = parser.parse_args()
    make(arguments.assets, arguments.out, arguments.count, arguments.processes)
