"""python3 -m torture.mutate PROGRAM [--count N] [--seed S]: random changes of the torture set's files, each decoded in a process of
its own by one braid_ingest_outcomes, which must outlive them all and say of each what came of it, in time.

The same seed makes the same files. What a worker crashed at is kept, to be read again."""

import argparse
import collections
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from .cases import CASES
from .make import folder, make

MOST_BYTES = 2 << 20  # larger ones take longer and show no more
PATIENCE = 5          # seconds of processor time without a sign of life
BUDGET = 60           # seconds for any input, on a busy machine
NUMBERS = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff]


def flip(rand, data, _):
    for _ in range(rand.choice([1, 1, 2, 8, 64])):
        data[rand.randrange(len(data))] ^= 1 << rand.randrange(8)


def overwrite(rand, data, _):
    at = rand.randrange(len(data))
    data[at:at + rand.choice([1, 4, 32, 500])] = rand.randbytes(rand.choice([1, 4, 32, 500]))


def number(rand, data, _):
    """A length, a count or a size becomes another."""
    width = rand.choice([1, 2, 4, 4, 8])
    at = rand.randrange(min(len(data), rand.choice([64, 1024, len(data)])))
    value = rand.choice(NUMBERS) if rand.random() < 0.7 else rand.getrandbits(8 * width)
    data[at:at + width] = (value % (1 << 8 * width)).to_bytes(width, rand.choice(["big", "little"]))


def cut(rand, data, _):
    del data[rand.randrange(len(data)):]


def lose(rand, data, _):
    at = rand.randrange(len(data))
    del data[at:at + rand.choice([1, 7, 188, 4096])]


def double(rand, data, _):
    at = rand.randrange(len(data))
    part = data[at:at + rand.choice([1, 16, 188, 5000])]
    data[at:at] = part * rand.choice([1, 1, 9])


def swap(rand, data, _):
    size = rand.choice([4, 188, 1000])
    a, b = rand.randrange(len(data)), rand.randrange(len(data))
    data[a:a + size], data[b:b + size] = data[b:b + size], data[a:a + size]


def blank(rand, data, _):
    at = rand.randrange(len(data))
    size = min(rand.choice([8, 400, 8000]), len(data) - at)
    data[at:at + size] = bytes([rand.choice([0, 255])]) * size


def splice(rand, data, other):
    at, begin = rand.randrange(len(data)), rand.randrange(len(other))
    data[at:at + rand.choice([0, 400, len(data)])] = other[begin:begin + rand.choice([400, 20000])]


CHANGES = [flip, flip, overwrite, number, number, number, cut, lose, double, swap, blank, splice]


def mutation(seed, index, files):
    """(name, bytes) of the index-th file of a seed."""
    rand = random.Random(f"{seed}/{index}")
    path = rand.choice(files)
    data = bytearray(path.read_bytes())
    for _ in range(rand.choice([1, 1, 1, 2, 3, 6])):
        if data:
            rand.choice(CHANGES)(rand, data, rand.choice(files).read_bytes())
    return f"{index}-{path.name}", bytes(data)


def media_files(cases):
    chosen = [case for case in cases if case.group != "logs" and case.spec == "{file}"]
    make(chosen)
    paths = [folder(case.group) / case.name for case in chosen]
    return [path for path in paths if path.is_file() and 0 < path.stat().st_size <= MOST_BYTES]


class Reader:
    """One program that reads one file after the other."""

    def __init__(self, program):
        self.process = subprocess.Popen([program, str(PATIENCE)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.descriptors = None

    def read(self, path):
        """What came of it; raises AssertionError where that is wrong."""
        watch = threading.Timer(2 * BUDGET, self.process.kill)
        watch.start()
        try:
            self.process.stdin.write(f"{path}\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        finally:
            watch.cancel()
        assert line, f"the program that reads is gone, with {self.process.wait()}"
        outcome = json.loads(line)
        assert outcome["seconds"] <= BUDGET, f"took {outcome['seconds']:.0f} s"
        assert outcome["code"] != "internal", outcome["message"]
        self.descriptors = self.descriptors or outcome["descriptors"]
        assert outcome["descriptors"] <= self.descriptors, f"{outcome['descriptors']} descriptors, {self.descriptors} at first"
        return outcome

    def close(self):
        self.process.stdin.close()
        assert self.process.wait(60) == 0, f"ended with {self.process.returncode}"


def kind_of(outcome):
    if not outcome["code"]:
        return "damaged, the rest used" if outcome["damage"] else "read"
    message = outcome["message"]
    for words, kind in (("crashed (", "crashed"), ("computed for", "computed too long"), ("gave nothing", "hung"),
                        ("of memory", "no memory"), ("what no decoder", "forbidden call"), ("ended by itself", "ended by itself"),
                        (" sent ", "lied"), ("was killed", "killed")):
        if "the process that decodes it" in message and words in message:
            return "worker " + kind
    return "refused: " + outcome["code"]


def run(program, count, seed, kept, cases=CASES, say=lambda text: None):
    """Counts by kind of outcome, what was wrong, in sentences, and the slowest."""
    files = media_files(cases)
    counts, wrong, slowest = collections.Counter(), [], (0.0, "")
    numbers, lock = iter(range(count)), threading.Lock()

    def work(place):
        nonlocal slowest
        reader = Reader(program)
        while True:
            with lock:
                index = next(numbers, None)
            if index is None:
                break
            name, data = mutation(seed, index, files)
            path = Path(place) / name
            path.write_bytes(data)
            try:
                outcome = reader.read(path)
            except AssertionError as error:
                with lock:
                    wrong.append(f"{name}: {error}")
                (Path(kept) / name).write_bytes(data)
                reader.process.kill()
                reader = Reader(program)
                continue
            finally:
                path.unlink()
            kind = kind_of(outcome)
            with lock:
                counts[kind] += 1
                slowest = max(slowest, (outcome["seconds"], name))
                if kind.startswith("worker"):
                    (Path(kept) / name).write_bytes(data)
                    say(f"{name}: {outcome['message']}")
        reader.close()

    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as place:
        threads = [threading.Thread(target=work, args=(place,)) for _ in range(os.cpu_count())]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if sum(counts.values()) + len(wrong) != count:
        wrong.append(f"{count} files, but {sum(counts.values())} outcomes")
    return counts, wrong, slowest


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--keep", default="build/mutations", help="folder for files that a worker died of")
    options = parser.parse_args()
    os.makedirs(options.keep, exist_ok=True)
    begun = time.monotonic()
    counts, wrong, slowest = run(options.program, options.count, options.seed, options.keep, say=lambda text: print(text, flush=True))
    for sentence in wrong:
        print("WRONG", sentence)
    for kind, number in counts.most_common():
        print(f"{number:7d} {kind}")
    print(f"mutations: {options.count} files of seed {options.seed} in {time.monotonic() - begun:.0f} s, {len(wrong)} wrong; "
          f"the slowest took {slowest[0]:.1f} s ({slowest[1]})")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
