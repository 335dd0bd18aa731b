"""FFmpeg's command line, as the maker of files and as the second opinion on what is in them."""

import json
import subprocess
import tempfile
from pathlib import Path


def run(arguments):
    done = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-threads", "1", *map(str, arguments)], capture_output=True,
                          text=True, timeout=120)
    if done.returncode != 0:
        raise RuntimeError(f"ffmpeg {' '.join(map(str, arguments))}: {done.stderr.strip()[-600:]}")


def corners(size="64x48", rate=10, seconds=1, extra=""):
    """Red and green over blue and white, as an input."""
    drawn = (f"color=red:s={size}:r={rate}:d={seconds},format=gbrp,drawbox=x=iw/2:y=0:w=iw:h=ih/2:c=lime:t=fill,"
             f"drawbox=x=0:y=ih/2:w=iw/2:h=ih:c=blue:t=fill,drawbox=x=iw/2:y=ih/2:w=iw:h=ih:c=white:t=fill{extra}")
    return ["-f", "lavfi", "-i", drawn]


def tone(seconds=1, rate=16000, channels=1, frequency=440):
    layout = "|".join(f"0.5*sin({frequency}*2*PI*t)" for _ in range(channels))
    return ["-f", "lavfi", "-i", f"aevalsrc={layout}:d={seconds}:s={rate}"]


X264 = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"]


def made(*arguments):
    """A maker: ffmpeg with these arguments, before the path."""
    return lambda path: run([*arguments, path])


def bytes_of(ending, *arguments):
    """The bytes of a file so made."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x." + ending)
        run([*arguments, path])
        return path.read_bytes()


def edited(ending, arguments, *edits):
    """A maker: as made(), then each of `edits` from bytes to bytes."""
    def make(path):
        data = bytes_of(ending, *arguments)
        for edit in edits:
            data = edit(data)
        path.write_bytes(data)
    return make


def written(data):
    return lambda path: path.write_bytes(data() if callable(data) else data)


def probed(path, stream):
    """Times of a stream's decoded frames, s, as ffprobe says."""
    done = subprocess.run(["ffprobe", "-v", "error", "-threads", "1", "-select_streams", stream, "-show_entries",
                           "frame=best_effort_timestamp_time", "-of", "json", str(path)], capture_output=True, text=True, timeout=60)
    frames = json.loads(done.stdout or "{}").get("frames", [])
    return [float(frame["best_effort_timestamp_time"]) for frame in frames if "best_effort_timestamp_time" in frame]


def first_picture(path):
    """Of its four quadrants the middle's mean colour, upright as ffmpeg itself turns it."""
    done = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-threads", "1", "-i", str(path), "-map", "0:v:0", "-frames:v", "1", "-vf",
                           "scale=4:4:flags=area", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], capture_output=True, timeout=60)
    pixels = done.stdout
    if len(pixels) != 48:
        return None
    return [list(pixels[3 * (4 * y + x):3 * (4 * y + x) + 3]) for y, x in ((0, 0), (0, 3), (3, 0), (3, 3))]
