#!/usr/bin/env python3
"""Synthesises dialogues for `make bench BENCH=turns`: what a server hears of one speaker, and where its turns end.

    python3 tools/turns/make_dialogues.py FOLDER [--piper VOICE.onnx] [--count 65] [--seed 1]

FOLDER gets NN.wav (16 kHz, mono) and dialogues.json, where `turns` are [start, end] of each turn in seconds, with the pauses
inside, and `noise` is the level. Besides, clips to interrupt with: backchannels and interruptions, listed in clips.json. Voices are
espeak-ng's, flite's, festival's and, with the package piper-tts, variants of a Piper voice, which sounds like a person. The same seed
gives the same dialogues where the same voices are installed.
"""

import argparse
import array
import json
import math
import pathlib
import random
import subprocess
import tempfile
import wave

RATE = 16000
SECOND_SPEAKER = 0.03  # of the other voice that is overheard, beside the speaker's peak
NOISES = {"none": None, "low": 30.0, "high": 15.0}  # dB under the speech

# Pitch of the Piper voice's variants; other engines' voices by name.
VOICES = [("piper", pitch) for pitch in ("1.0", "0.88", "1.1", "1.25", "0.94", "1.38")]
VOICES += [("flite", name) for name in ("rms", "slt", "awb")]
VOICES += [("espeak", name) for name in ("en-us", "en-gb", "en-us+f3")]
VOICES += [("festival", "default")]

WHOLE = ["What time does the last train leave?", "Please turn off the lights in the kitchen.", "I think the blue one is better.",
         "Can you tell me what the weather will be like tomorrow?", "The machine stopped ten minutes ago.",
         "How many people are in the room?", "Set a timer for twenty minutes.", "That is all I wanted to know.",
         "Where did I put my keys?", "The delivery came this morning.", "Who is standing at the door?",
         "I would like a cup of coffee.", "Play the song again.", "It was much colder yesterday.",
         "Is the red light on the panel still blinking?", "Thank you very much for your help."]
# Said with a pause, before which some say "um".
PAUSED = [("I would like to book a table for", "seven people on Friday."), ("When the pressure rises above", "four bar, please call me."),
          ("Could you tell me whether", "the meeting was moved to Monday?"), ("I went to the store because", "we had no more milk."),
          ("If you look at the left side of the", "picture, what do you see?"), ("Remind me tomorrow to", "send the report to Anna."),
          ("The thing that I don't understand is", "why it stopped twice."), ("First open the valve and", "then wait for the green light."),
          ("I was going to say that", "the second camera is broken."), ("My sister and", "her friends are coming at eight.")]
UM = 0.6

BACKCHANNELS = ["uh-huh", "mm-hmm", "yeah", "okay", "right", "I see", "sure", "aha", "ah", "yes"]
INTERRUPTIONS = ["No, wait a moment, that is not what I meant.", "Stop, I want to ask something else first.",
                 "Hold on, what about the second one?", "Actually, tell me about the weather instead.",
                 "Sorry, can you say that more slowly?", "Excuse me, I have another question.",
                 "That's wrong, look at the other picture.", "Please stop talking and call my brother."]


class Voices:
    """Samples at RATE, -1..1, of a voice; each text is made once."""

    def __init__(self, piper, work):
        self.work, self.made, self.piper = work, {}, None
        if piper:
            from piper import PiperVoice
            self.piper = PiperVoice.load(piper)
        self.names = [voice for voice in VOICES if self.piper or voice[0] != "piper"]

    def say(self, voice, text, speed=1.0):
        key = (voice, text, speed)
        if key not in self.made:
            self.made[key] = trimmed(self.synthesise(*voice, text, speed))
        return self.made[key]

    def synthesise(self, engine, name, text, speed):
        raw, filters = f"{self.work}/raw.wav", "anull"
        if engine == "piper":
            with wave.open(raw, "wb") as out:
                self.piper.synthesize_wav(text, out)
            with wave.open(raw) as made:
                rate = made.getframerate()
            # Resampled as if it had been spoken higher, and brought back to its time.
            filters = f"asetrate={int(rate * float(name))},aresample={rate},atempo={speed / float(name):.4f}"
        elif engine == "espeak":
            subprocess.run(["espeak-ng", "-v", name, "-s", str(int(165 * speed)), "-w", raw, text], check=True)
        elif engine == "flite":
            subprocess.run(["flite", "-voice", name, "--setf", f"duration_stretch={1 / speed:.3f}", "-t", text, "-o", raw], check=True)
        else:
            subprocess.run(["text2wave", "-eval", f"(Parameter.set 'Duration_Stretch {1 / speed:.3f})", "-o", raw], check=True,
                           input=text.encode())
        run = subprocess.run(["ffmpeg", "-v", "error", "-i", raw, "-af", filters, "-ac", "1", "-ar", str(RATE), "-f", "s16le", "-"],
                             check=True, capture_output=True)
        return [s / 32768.0 for s in array.array("h", run.stdout)]


def levels(samples, step=RATE // 100):
    """Root mean square of each 10 ms."""
    return [math.sqrt(sum(s * s for s in samples[i:i + step]) / step) for i in range(0, len(samples) - step + 1, step)]


def trimmed(samples):
    """Without the silence around it, at a peak of a half."""
    loud = levels(samples)
    floor = max(loud) / 100
    voiced = [i for i, level in enumerate(loud) if level > floor]
    samples = samples[voiced[0] * 160:(voiced[-1] + 1) * 160]
    peak = max(abs(s) for s in samples)
    return [s * 0.5 / peak for s in samples]


def noise(rng, kind, count, level):
    """White, or as of a fan: low and steady."""
    if kind == "white":
        return [rng.gauss(0, level) for _ in range(count)]
    out, last = [], 0.0
    for _ in range(count):
        last = 0.97 * last + rng.gauss(0, level * 0.24)
        out.append(last)
    return out


def write(path, samples):
    data = array.array("h", (max(-32767, min(32767, round(s * 32767))) for s in samples))
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes(data.tobytes())


def turn(rng, voices, voice):
    speed = rng.choice((0.9, 1.0, 1.1))
    if rng.random() < 0.5:
        return voices.say(voice, rng.choice(WHOLE), speed)
    before, after = rng.choice(PAUSED)
    before += ", um," if rng.random() < UM else ","
    return voices.say(voice, before, speed) + [0.0] * int(rng.uniform(0.25, 0.9) * RATE) + voices.say(voice, after, speed)


def dialogue(rng, voices, index):
    """One speaker's turns, with time between them in which the other one is faintly overheard."""
    voice, other = voices.names[index % len(voices.names)], rng.choice(voices.names)
    samples, turns = [0.0] * RATE, []
    for _ in range(4):
        speech = turn(rng, voices, voice)
        turns.append([round(len(samples) / RATE, 3), round((len(samples) + len(speech)) / RATE, 3)])
        samples += speech
        gap = [0.0] * int(rng.uniform(1.8, 2.6) * RATE)
        if rng.random() < 0.5:  # the other one answers before the gap is over, and is heard across the room
            reply, at = voices.say(other, rng.choice(WHOLE)), int(1.1 * RATE)
            for i, s in enumerate(reply[:len(gap) - at]):
                gap[at + i] = s * SECOND_SPEAKER
        samples += gap
    level = list(NOISES)[(index // len(voices.names) + index) % len(NOISES)]
    if NOISES[level]:
        speech_level = math.sqrt(sum(s * s for s in samples) / len(samples))
        added = noise(rng, rng.choice(("white", "fan")), len(samples), speech_level * 10 ** (-NOISES[level] / 20))
        samples = [s + n for s, n in zip(samples, added)]
    return samples, {"voice": "/".join(voice), "noise": level, "turns": turns}


def make_clips(rng, voices, folder):
    clips = []
    for kind, texts in (("backchannel", BACKCHANNELS), ("interruption", INTERRUPTIONS)):
        for number, text in enumerate(texts * 2):
            voice = voices.names[(3 * number + len(kind)) % len(voices.names)]
            name = f"{kind}{number:02}.wav"
            samples = voices.say(voice, text, 1.1)
            write(folder / name, samples)
            clips.append({"file": name, "kind": kind, "text": text, "voice": "/".join(voice), "seconds": len(samples) / RATE})
    return clips


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--piper", help="the voice's file; without it there are no such voices")
    parser.add_argument("--count", type=int, default=65)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        voices, listed = Voices(options.piper, work), []
        clips = make_clips(random.Random(options.seed), voices, options.folder)
        for index in range(options.count):
            samples, about = dialogue(random.Random(options.seed * 1000 + index), voices, index)
            write(options.folder / f"{index:02}.wav", samples)
            listed.append({"file": f"{index:02}.wav", **about})
    (options.folder / "dialogues.json").write_text(json.dumps(listed, indent=1) + "\n")
    (options.folder / "clips.json").write_text(json.dumps(clips, indent=1) + "\n")


if __name__ == "__main__":
    main()
