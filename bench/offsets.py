#!/usr/bin/env python3
"""`make bench BENCH=offsets`: how well a machine's log and a camera still go together when one's clock is off.

A camera sees another thing each second; a log has a pulse in each scene. The log is shifted by -500 to +500 ms, and at each
pulse a pipeline gathers the camera's frames of 600 ms around it and asks the default model what it sees. Of both is known what is
right.
"""
import argparse
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from make_clip import HEIGHT, OBJECTS, WIDTH, draw_scene  # noqa: E402

FPS, HALF_MS = 20, 300
PIPELINE = """
unperceived = ["plc"]
[[stage]]
name = "around"
trigger_on = {{ channel = "pulse", above = 0.5 }}
start_offset = "-{half}ms"
duration = "{window}ms"
sources = ["camera"]
[[stage]]
name = "seen"
trigger_on = "around"
delay = "1ms"
action = "ask"
question = "What do you see now?"
max_tokens = 24
"""


def make(folder, scenes, seed):
    """Scenes of a second, and a pulse in each, 200 to 800 ms after it began."""
    rng = random.Random(seed)
    names = []
    while len(names) < scenes:
        name = rng.choice(sorted(OBJECTS))
        if name not in names[-3:]:
            names.append(name)
    command = ["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{WIDTH}x{HEIGHT}",
               "-r", str(FPS), "-i", "-", "-c:v", "libx264", "-preset", "ultrafast", "-crf", "20", "-pix_fmt", "yuv420p",
               str(folder / "camera.mp4")]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        for name in names:
            image = draw_scene([(name, (WIDTH // 2, HEIGHT // 2, 190))], (238, 232, 213)).tobytes()
            for _ in range(FPS):
                process.stdin.write(image)
        process.stdin.close()
        if process.wait():
            sys.exit("ffmpeg failed")
    pulses = [1000 * scene + rng.randint(200, 800) for scene in range(scenes)]
    rows = [f"{at},0\n{at + 1},1\n{at + 3},0\n" for at in (pulse - 1 for pulse in pulses)]
    (folder / "plc.csv").write_text("time_ms,pulse\n" + "".join(rows))
    (folder / "pipeline.toml").write_text(PIPELINE.format(half=HALF_MS, window=2 * HALF_MS))
    return names, pulses


def watch(braid, folder, shift):
    done = subprocess.run(
        [braid, "watch", str(folder / "camera.mp4"), "--source", f"name=plc,kind=sensor,file={folder / 'plc.csv'},shift={shift}",
         "--pipeline", str(folder / "pipeline.toml"), "--fps", str(FPS), "--sample-fps", str(FPS), "--window", "1", "--no-turns",
         "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout[-500:] + done.stderr)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    return [event for event in events if event["type"] == "pipeline"]


def expected_frames(pulse, scenes):
    return {frame for frame in range(scenes * FPS) if pulse - HALF_MS <= frame * 1000 / FPS < pulse + HALF_MS}


def measure(braid, folder, names, pulses, shift):
    """Mean Jaccard index of the frames gathered, and the share of right answers."""
    alike, right = [], []
    for event in watch(braid, folder, shift):
        pulse = min(range(len(pulses)), key=lambda i: abs(pulses[i] + shift - event["at_us"] / 1000))
        if event["stage"] == "around":
            members = next(stream["members_us"] for stream in event["streams"] if stream["kind"] == "video")
            got = {round(at * FPS / 1e6) for at in members}
            wanted = expected_frames(pulses[pulse], len(names))
            alike.append(len(got & wanted) / max(1, len(got | wanted)))
        elif event["stage"] == "seen":
            right.append(names[pulse] in event["answer"])
    return sum(alike) / len(alike), sum(right) / len(right), len(right)


def plot(rows, path):
    """Both curves over the shift."""
    x = lambda shift: 60 + (shift + 500) * 0.6
    y = lambda share: 220 - 200 * share
    lines = [f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="'
             + " ".join(f"{x(row['shift_ms']):.1f},{y(row[key]):.1f}" for row in rows) + '"/>'
             for key, colour in (("alignment", "#888"), ("accuracy", "#06c"))]
    marks = [f'<text x="{x(shift)}" y="240" text-anchor="middle">{shift}</text>' for shift in (-500, -250, 0, 250, 500)]
    marks += [f'<text x="50" y="{y(share) + 4}" text-anchor="end">{share:.1f}</text>'
              f'<line x1="60" x2="660" y1="{y(share)}" y2="{y(share)}" stroke="#ddd"/>' for share in (0, 0.5, 1)]
    path.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="680" height="260" font-family="sans-serif" font-size="12">'
                    + "".join(marks + lines) + '<text x="660" y="16" text-anchor="end">grey: frames gathered alike; '
                    'blue: answers right</text><text x="360" y="256" text-anchor="middle">shift of the log, ms</text></svg>\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--braid", required=True)
    parser.add_argument("--out", type=Path, required=True, help="JSON; an SVG of the curve beside it")
    parser.add_argument("--scenes", type=int, default=40)
    parser.add_argument("--step", type=int, default=50, help="ms")
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        names, pulses = make(folder, options.scenes, options.seed)
        print("| the log is shifted by, ms | frames gathered alike | answers right |\n| --- | --- | --- |")
        for shift in range(-500, 501, options.step):
            alignment, accuracy, asked = measure(options.braid, folder, names, pulses, shift)
            rows.append(dict(shift_ms=shift, alignment=alignment, accuracy=accuracy, asked=asked))
            print(f"| {shift:+} | {alignment:.2f} | {100 * accuracy:.0f} % of {asked} |", flush=True)
    options.out.write_text(json.dumps(rows, indent=1) + "\n")
    plot(rows, options.out.with_suffix(".svg"))


if __name__ == "__main__":
    main()
