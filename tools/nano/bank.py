"""What training draws from: texts drawn for signs, and utterances.

bank.py ASSETS OUT [--config NAME] [setting=value ...]
Writes signs.npy [n, 128, 256] uint8, letters.npy [n, 24, 3], signs.json; sound.npy (int16, all utterances end to end),
offsets.npy [m + 1], sound.json with [text, is a question, voice] each. The text of music is empty. Signs come sorted:
the first `short_signs.json` are one word or number.
"""
import argparse
import json
import multiprocessing
from pathlib import Path
import random

import numpy as np

from nano import scene, signs, voices, words
from nano.config import configured

CHUNK = 250  # utterances or signs that one task makes: the results depend on its number alone
SECONDS = (0.3, 6.0)
FESTIVAL_EVERY = {"ked_diphone": 9, "cmu_us_slt_arctic_hts": 40}  # one chunk in so many
_speaker = None


def draw_chunk(task):
    assets, number, count, short = task
    rng = random.Random(1000 + number)
    known = scene.SignWords(json.loads(Path(assets, "text.json").read_text())["words"]).train
    fonts = sorted(Path(assets, "fonts").iterdir())
    texts = [scene.sign_text(rng, known, short) for _ in range(count)]
    drawn = [signs.draw(text, rng.choice(fonts)) for text in texts]
    return texts, np.stack([mask for mask, _ in drawn]), np.stack([letters for _, letters in drawn])


def _texts(rng, known, number, count, more):
    """Every fifth is a question that can be answered from a picture; these go round, so that each is said often. Of the
    others, where there are `more` sentences, half are of those."""
    asked = words.spoken_questions()
    first = number * count // 5
    other = lambda: rng.choice(more) if more and rng.random() < 0.5 else words.sentence(rng, known)
    return [(asked[(first + i // 5) % len(asked)], 1) if i % 5 == 0 else (other(), 0) for i in range(count)]


def speak_chunk(task):
    """(labels, int16 samples, lengths) of one chunk."""
    global _speaker
    assets, number, count = task
    rng = random.Random(2000 + number)
    known = json.loads(Path(assets, "text.json").read_text())["words"]
    more = Path(assets, "sentences.txt")
    texts = _texts(rng, known, number, count, more.read_text().splitlines() if more.exists() else [])
    for voice, every in FESTIVAL_EVERY.items():
        if number % every == every - 1:
            spoken = [(voices.trimmed(x), voice) for x in voices.festival([text for text, _ in texts], voice)]
            break
    else:
        _speaker = _speaker or voices.Speaker()
        spoken = [_speaker.say(rng, text) for text, _ in texts]
    low, high = (seconds * voices.RATE for seconds in SECONDS)
    kept = [(samples, (text, question, voice)) for (samples, voice), (text, question) in zip(spoken, texts)
            if low < len(samples) < high]
    return [label for _, label in kept], np.concatenate([x for x, _ in kept]), [len(x) for x, _ in kept]


def music_chunk(task):
    number, count = task
    rng = random.Random(3000 + number)
    made = [voices.music(rng, rng.uniform(0.6, 4)) for _ in range(count)]
    return [("", 0, "music")] * count, np.concatenate(made), [len(x) for x in made]


def _shares(count):
    return [min(CHUNK, count - start) for start in range(0, count, CHUNK)]


def make_signs(pool, assets, out, config):
    short = config.signs // 3
    tasks = [(assets, i, n, True) for i, n in enumerate(_shares(short))]
    tasks += [(assets, 500 + i, n, False) for i, n in enumerate(_shares(config.signs - short))]
    made = pool.map(draw_chunk, tasks, 1)
    (out / "signs.json").write_text(json.dumps(dict(short=short, texts=sum((m[0] for m in made), []))))
    np.save(out / "signs.npy", np.concatenate([m[1] for m in made]))
    np.save(out / "letters.npy", np.concatenate([m[2] for m in made]))


def make_sound(pool, assets, out, config):
    tasks = [(assets, i, n) for i, n in enumerate(_shares(config.utterances))]
    labels, lengths, pieces = [], [], []
    for made in (pool.map(speak_chunk, tasks, 1), pool.map(music_chunk, list(enumerate(_shares(config.music))), 1)):
        for chunk_labels, samples, chunk_lengths in made:
            labels += chunk_labels
            lengths += chunk_lengths
            pieces.append(samples)
    np.save(out / "sound.npy", np.concatenate(pieces))
    np.save(out / "offsets.npy", np.concatenate([[0], np.cumsum(lengths)]))
    (out / "sound.json").write_text(json.dumps(labels))
    print(f"{len(labels)} sounds, {sum(lengths) / voices.RATE / 3600:.2f} hours", flush=True)


def make(assets, out, config, processes=None):
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    with multiprocessing.Pool(processes) as pool:
        make_signs(pool, assets, out, config)
        make_sound(pool, assets, out, config)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("assets")
    parser.add_argument("out")
    parser.add_argument("settings", nargs="*")
    parser.add_argument("--config", default="full")
    arguments = parser.parse_intermixed_args()
    make(arguments.assets, arguments.out, configured(arguments.config, arguments.settings))
