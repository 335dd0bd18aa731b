"""Braid's own programs, as the benchmark drives them."""

import json
import os
import subprocess


class Braid:
    """braid_bench: one model, commands in, figures out."""

    def __init__(self, program, model, mmproj, pictures, threads, log):
        self.log = open(log, "w", encoding="utf-8")
        self.process = subprocess.Popen([program, model, mmproj, pictures, str(threads)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.log, text=True)

    def do(self, *words):
        self.process.stdin.write(" ".join(str(word) for word in words) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"braid_bench ended; see {self.log.name}")
        reply = json.loads(line)
        if "error" in reply:
            raise RuntimeError(f"braid_bench, {words}: {reply['error']}")
        return reply

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.log.close()


def frame_cost(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)


# Not a place of ours: the allocator's own interface and the standard library.
NOT_A_SITE = ("operator new", "std::", "void std::", "__gnu_cxx::", "malloc", "calloc", "realloc", "memalign", "fmt::",
              "tl::", "posix_memalign", "aligned_alloc")
LIBRARIES = ("libav", "libsw", "libstdc++", "libc.so", "libx264", "libdav1d")


def place_of(stack):
    """The innermost frame that is not the allocator or the standard library, and whose code it is."""
    for frame in stack:
        if frame.startswith(NOT_A_SITE) or "libstdc++" in frame or "libc.so" in frame:
            continue
        return frame
    return stack[0] if stack else "unknown"


def owner_of(site):
    place = place_of(site["stack"])
    if site["owner"] != "ours":
        return site["owner"]
    name = os.path.basename(place.split("+0x")[0])
    if place.startswith(("av", "sws_", "swr_", "ff_")) or name.startswith(LIBRARIES):
        return "ffmpeg"
    if "braid::bench" in place and "Camera" not in place:
        return "bench"
    return "ours"


def per_frame(counted):
    """Allocations a frame by owner, and our most frequent sites."""
    frames = counted["frames"]
    owners, places = {}, {}
    for site in counted["sites"]:
        owner = owner_of(site)
        owners[owner] = owners.get(owner, 0) + site["count"] / frames
        if owner == "ours":
            place = place_of(site["stack"])
            places[place] = places.get(place, 0) + site["count"] / frames
    top = sorted(places.items(), key=lambda item: -item[1])[:12]
    return {"by_owner": {k: round(v, 2) for k, v in sorted(owners.items())},
            "top_sites": [{"site": shorten(place), "per_frame": round(count, 2)} for place, count in top]}


def shorten(place):
    name = place.split("(")[0] if "::" in place else os.path.basename(place)
    return name.replace("braid::", "")


def peak_rss_mb(command):
    """Of one run of the command, MB."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with {process.returncode}")
    return usage.ru_maxrss / 1024
