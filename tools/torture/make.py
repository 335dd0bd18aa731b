"""Makes the set in a cache folder, a group in a folder named after the scripts that make it, with a manifest."""

import dataclasses
import functools
import hashlib
import json
import os
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import ffmpeg
from .cases import CASES

FORGOTTEN = 7 * 24 * 3600  # seconds after which a set of other scripts is taken to be nobody's
MAKERS = ["boxes.py", "case.py", "damage.py", "ffmpeg.py", "transport.py"]


def cache():
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "braid" / "torture"


@functools.cache
def folder(group):
    told = hashlib.sha256(subprocess.run(["ffmpeg", "-version"], capture_output=True, timeout=30).stdout)
    for script in [*MAKERS, f"cases/{group}.py"]:
        told.update((Path(__file__).parent / script).read_bytes())
    return cache() / f"{group}-{told.hexdigest()[:12]}"


def agrees(ours, theirs):
    return len(ours) == len(theirs) and all(abs(a - b) <= 0.0011 for a, b in zip(ours, theirs))


def second_opinion(case, path):
    """Complains where ffprobe doesn't see what we say the file holds, unless the case says why."""
    times = case.expect.get("frames")
    if not isinstance(times, list) or not times or case.spec != "{file}":
        return None
    seen = ffmpeg.probed(path, "v:0")
    heard = ffmpeg.probed(path, "a:0") if "sound" in case.expect else []
    begins = [0.0 if part is heard and part[0] < 0 else part[0] for part in (seen, heard) if part]
    theirs = [time - min(begins) for time in seen] if begins else []
    if agrees(times, theirs) == bool(case.differs):
        raise AssertionError(f"{case.name}: we say {times[:6]}… ({len(times)}), ffprobe {theirs[:6]}… ({len(theirs)}); "
                             f"stated difference: {case.differs or 'none'}")
    return "differs: " + case.differs if case.differs else "agrees"


def make_one(case):
    where = folder(case.group)
    where.mkdir(parents=True, exist_ok=True)
    path, told = where / case.name, where / f"{case.name}.opinion"
    if not path.exists():
        unfinished = where / f"unfinished-{os.getpid()}-{case.name}"
        case.make(unfinished)
        told.write_text(json.dumps(second_opinion(case, unfinished)))
        unfinished.rename(path)
    fields = {key: value for key, value in dataclasses.asdict(case).items() if key != "make"}
    return fields | {"path": str(path), "ffprobe": json.loads(told.read_text())}


def make(cases=None):
    """What is there already isn't made again. Returns what could not be made, by name."""
    current = {folder(group) for group in {case.group for case in CASES}}
    for old in cache().glob("*-*"):
        if old not in current and time.time() - old.stat().st_mtime > FORGOTTEN:
            shutil.rmtree(old, ignore_errors=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [(case, pool.submit(make_one, case)) for case in (CASES if cases is None else cases)]
    if cases is None:
        made = [job.result() for _, job in jobs if not job.exception()]
        (cache() / "manifest.json").write_text(json.dumps(made, indent=1))
    return {case.name: job.exception() for case, job in jobs if job.exception()}
