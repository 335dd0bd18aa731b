"""Whether torch and libmtmd compute the same model.

agree.py WEIGHTS|- GGUF_FOLDER ASSETS BASE.gguf NANO_ASK SCRATCH

With `-` torch computes with the weights of the GGUFs themselves (models/nano). Compares the rows of pictures and sounds
(cosine at least 0.999), and greedy answers to 20 prompts token by token, up to the first token that torch itself prefers by
less than half a logit: there, quantisation decides. Exits 1 if they differ.
"""
import json
from pathlib import Path
import random
import subprocess
import sys

import numpy as np
import torch

from nano import questions, render_pil, scene as scenes, voices, words
from nano.base import Tokenizer, read_weights
from nano.checkpoint import load_weights, read_weights as read_trained
from nano.encoders import ROW, LogMel
from nano.model import Nano
from nano.sequences import ASSISTANT, SOUND_BEGIN, SOUND_END, SYSTEM, USER, system_turn
from nano.shipped import read_shipped

COSINE, MARGIN = 0.999, 0.5
TOKENS = 10
PICTURES, SOUNDS, QUESTIONS = 4, 3, 20
PLAIN = ("What is gravity?", "List three colors.", "Hello!", "What do cows eat?", "Why is the sky blue?", "Name three animals.")


def load(weights, folder, base):
    config, values = read_shipped(folder) if weights == "-" else read_trained(weights)[::2]
    model = Nano(config, read_weights(base))
    load_weights(model, {name: torch.from_numpy(v) for name, v in values.items()})
    return model.eval()


def pictures(model, assets, scratch, rng):
    """[(path, rows)]: pictures of just the model's size, which nobody scales."""
    sprites, fonts = dict(np.load(Path(assets, "sprites.npz"))), render_pil.fonts_of(assets)
    world = scenes.World(["EXIT 42", "OPEN"], [True] * words.N_EMOJI)
    made = []
    for i in range(PICTURES):
        scene = scenes.random_scene(rng, world, sign=i % 2 == 1, aspect=1)
        path = f"{scratch}/{i}.png"
        image = render_pil.render(scene, sprites, fonts, rng, model.config.vision.image)
        image.save(path)
        pixels = torch.from_numpy(np.asarray(image).astype(np.float32) / 255).permute(2, 0, 1)[None]
        made.append((path, model.eyes((pixels - 0.5) / 0.5)[0][0]))
    return made


def sounds(model, scratch):
    log_mel, espeak, made = LogMel(model.config.audio.mels, "cpu"), voices.Espeak(), []
    for i, text in enumerate(("please bring the red apple", "what do you see", "the code is seven three zero five")[:SOUNDS]):
        samples, path = espeak.speak(text, "en-us"), f"{scratch}/{i}.wav"
        voices.write_wav(path, samples)
        wave = torch.from_numpy(samples.astype(np.float32) / 32768)[None]
        mel, frames = log_mel(wave, torch.tensor([len(samples)]))
        rows, valid, _ = model.ears(mel[:, :, :int(frames)], frames)
        made.append((path, rows[0, :int(valid)]))
    return made


def prompts(seen, heard):
    """[(parts for nano_ask, rows for torch in their order, question)]"""
    asked = sum(questions.ASK.values(), [])
    made = []
    for i in range(QUESTIONS - len(PLAIN)):
        is_sound = i % 3 == 2
        path, rows = heard[i % SOUNDS] if is_sound else seen[i % PICTURES]
        around = (SOUND_BEGIN, SOUND_END) if is_sound else ("", "")
        made.append(([dict(text="[2.0s]"), dict(file=path)], ["[2.0s]" + around[0], rows, around[1]], "\n" + asked[i]))
    return made + [([], [], text) for text in PLAIN]


def answer(model, tokenizer, rows, question):
    """Torch's greedy tokens and how clearly each was preferred."""
    parts = [system_turn(SYSTEM) + USER, *rows, question + ASSISTANT]
    texts, joined = "", []
    for part in parts:
        if isinstance(part, str):
            texts += part
            continue
        joined += [model.language.embed(torch.tensor(tokenizer(texts))), part]
        texts = ""
    joined.append(model.language.embed(torch.tensor(tokenizer(texts))))
    ids, margins = model.language.generate(torch.cat(joined)[None], TOKENS)
    return ids[0].tolist(), margins[0].tolist()


def difference(ours, margins, theirs):
    """By how much torch prefers the first token that differs; 0 where none does."""
    for token, margin, other in zip(ours, margins, theirs + [2]):
        if token != other:
            return margin
        if token == 2:
            break
    return 0


def ask(program, base, folder, items, scratch):
    command = [program, base, f"{folder}/mmproj-nano.gguf", f"{folder}/lora-nano.gguf", "1", scratch]
    lines = "".join(json.dumps(item) + "\n" for item in items)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def cosine(ours, path):
    theirs = np.fromfile(path, np.float32).reshape(-1, ROW)
    ours = ours.numpy()
    if ours.shape != theirs.shape:
        return 0.0
    return float((ours * theirs).sum() / np.linalg.norm(ours) / np.linalg.norm(theirs))


@torch.no_grad()
def main(weights, folder, assets, base, program, scratch):
    Path(scratch).mkdir(parents=True, exist_ok=True)
    model = load(weights, folder, base)
    tokenizer = Tokenizer(json.loads(Path(assets, "text.json").read_text()))
    seen, heard = pictures(model, assets, scratch, random.Random(5)), sounds(model, scratch)
    asked = prompts(seen, heard)
    items = []
    for i, (parts, _, question) in enumerate(asked):
        plain = not parts
        items.append(dict(id=i, parts=parts or [dict(text=question)], questions=["" if plain else question[1:]], max=TOKENS))
    found = ask(program, base, folder, items, scratch)
    closest = {path: cosine(rows, f"{scratch}/{i}.0.f32") for i, (parts, mine, _) in enumerate(asked) if parts
               for path, rows in [(parts[1]["file"], mine[1])]}
    right = equal = 0
    for (_, rows, question), theirs in zip(asked, found):
        ours, margins = answer(model, tokenizer, rows, question)
        by = difference(ours, margins, theirs["answers"][0]["tokens"])
        right += by < MARGIN
        equal += by == 0
        if by:
            print(f"differs by {by:.2f}: {question!r}: {tokenizer.decode(ours)!r} and {theirs['answers'][0]['text']!r}")
    print(f"smallest cosine of {len(closest)} media {min(closest.values()):.5f}; "
          f"{right} of {len(asked)} answers agree, {equal} to the last token")
    return min(closest.values()) < COSINE or right < len(asked)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:7]))
