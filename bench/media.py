#!/usr/bin/env python3
"""`make bench BENCH=media`: what reading a file costs, in a process of its own and in ours, beside the ffmpeg command. By turns in
one run; medians."""

import json
import os
import statistics
import struct
import subprocess
import sys
import time
from pathlib import Path

FILM = "-f lavfi -i testsrc2=s=1920x1080:r=25:d={seconds} -c:v libx264 -preset veryfast -g 50 -pix_fmt yuv420p"
SIDE = 1280
# What src/ingest/ffmpeg/picture.cpp asks of the scaler; one thread, as the model needs the others.
SAME_WORK = "scale=1280:720:flags=area+accurate_rnd+full_chroma_int"
HOURS = 2


def made(path, arguments):
    if not path.exists():
        unfinished = path.with_name("unfinished-" + path.name)
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *arguments.split(), str(unfinished)], check=True)
        unfinished.rename(path)
    return path


def padded(path, film, size):
    """The film with a free box before its samples, so that the file has `size` bytes; most of it is a hole."""
    if path.exists():
        return path
    data = film.read_bytes()
    boxes, at = [], 0
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        boxes.append((kind, at, length))
        at += length
    if [kind for kind, _, _ in boxes][-1] != b"moov":
        raise RuntimeError("the film's index must stand behind its samples, whose places then stay")
    index = boxes[-1]
    hole = size - len(data)
    with open(path, "wb") as file:
        file.write(data[:index[1]])
        file.write(struct.pack(">I4sQ", 1, b"free", hole))
        file.seek(index[1] + hole)
        file.write(data[index[1]:])
    return path


def ours(program, path, isolated, *rest):
    out = subprocess.run([program, str(path), str(SIDE), "1" if isolated else "0", *map(str, rest)], check=True, capture_output=True)
    return json.loads(out.stdout)


def ffmpeg_ms(path):
    """Decoding, scaling and handing on to nobody; its own start is not part of it."""
    def run(*more):
        begin = time.monotonic()
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-threads", "1", "-filter_threads", "1", "-i", str(path), *more, "-an",
                        "-vf", SAME_WORK, "-pix_fmt", "rgb24", "-f", "rawvideo", "-y", "/dev/null"], check=True)
        return 1e3 * (time.monotonic() - begin)
    return run() - run("-frames:v", "1")


def resident(pid):
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def children(pid):
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(stat.read_text().rsplit(")", 1)[1].split()[1]) == pid:
                found.append(int(stat.parent.name))
        except (OSError, IndexError):
            pass
    return found


def memory(program, path):
    """Most kB held by reader and worker in the first and last quarter of a long stream."""
    reader = subprocess.Popen([program, str(path), str(SIDE), "1", "2"], stdout=subprocess.PIPE)
    seen = []
    while reader.poll() is None:
        workers = [worker for guard in children(reader.pid) for worker in children(guard)]
        held = [resident(reader.pid), *map(resident, workers)]
        if len(held) == 2:
            seen.append(held)
        time.sleep(0.2)
    frames = json.loads(reader.stdout.read())["frames"]
    quarter = max(1, len(seen) // 4)
    most = lambda part: [max(held[i] for held in part) for i in (0, 1)]
    return frames, most(seen[quarter:2 * quarter] or seen), most(seen[-quarter:])


def main(program, work, quick):
    work = Path(work)
    work.mkdir(parents=True, exist_ok=True)
    rounds = 3 if quick else 9
    film = made(work / "film-1080p.mp4", FILM.format(seconds=4 if quick else 12))
    figures = {"in": [], "worker": [], "ffmpeg": [], "extra": []}
    for _ in range(rounds):
        here, there, peer = ours(program, film, False), ours(program, film, True), ffmpeg_ms(film)
        frames = here["frames"]
        figures["in"].append(here["ms"] / frames)
        figures["worker"].append(there["ms"] / frames)
        figures["ffmpeg"].append(peer / (frames - 1))
        figures["extra"].append((there["ms"] - here["ms"]) / frames)
    middle = {name: statistics.median(values) for name, values in figures.items()}
    print(f"a 1080p frame of {frames}, {rounds} rounds by turns: {middle['in']:.2f} ms in process, {middle['worker']:.2f} ms through "
          f"a worker ({middle['extra']:+.3f} ms, goal <= 0.3), {middle['ffmpeg']:.2f} ms by ffmpeg doing the same work: "
          f"{middle['ffmpeg'] / middle['in']:.2f}x and {middle['ffmpeg'] / middle['worker']:.2f}x its speed (goal >= 0.95x)")
    large = padded(work / "large.mp4", film, 4 << 30)
    first = {isolated: statistics.median(ours(program, large, isolated, 0.01)["first_ms"] for _ in range(rounds)) for isolated in (False, True)}
    print(f"a file of {large.stat().st_size >> 30} GiB: first frame after {first[False]:.1f} ms in process, {first[True]:.1f} ms through a "
          f"worker (goal <= 300)")
    if quick:
        return
    long = made(work / "two-hours.mp4", f"-f lavfi -i testsrc2=s=640x360:r=5:d={HOURS * 3600} -c:v libx264 -preset ultrafast -g 50")
    frames, before, after = memory(program, long)
    print(f"{HOURS} hours of video, {frames} frames: most held in the second quarter {before[0]} kB and {before[1]} kB (reader, worker), "
          f"in the last {after[0]} kB and {after[1]} kB")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], "QUICK" in os.environ and bool(os.environ["QUICK"]))
