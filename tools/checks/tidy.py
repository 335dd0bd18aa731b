#!/usr/bin/env python3
"""Runs clang-tidy over our sources, in parallel, and skips a file that passed before with the same text.

A pass is remembered in the cache by a hash of the file, of every header of ours that it includes, of the settings and of
the tool, wherever the clone lies. Tests are left to the compiler's warnings: their macros cost minutes and hide more than they show.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/tidy"
PASSED = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "braid/tidy"
KEPT_S = 60 * 24 * 3600
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def configure():
    prefix = subprocess.run([ROOT / "tools/setup/llama.sh"], check=True, capture_output=True, text=True).stdout.strip()
    BUILD.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DBRAID_CCACHE=",
                           "-DBRAID_TESTS=OFF", f"-DBRAID_LLAMA_ROOT={prefix}"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    return json.loads((BUILD / "compile_commands.json").read_text())


def included(path, include_dirs, seen):
    """The file and every file of ours that it includes, however deep."""
    if path in seen:
        return seen
    seen.add(path)
    for name in INCLUDE.findall(path.read_text(errors="replace")):
        for folder in [path.parent, *include_dirs]:
            if (folder / name).is_file():
                included((folder / name).resolve(), include_dirs, seen)
                break
    return seen


def fingerprint(command, version):
    include_dirs = [Path(d) for d in re.findall(r"-I(\S+)", command["command"]) if d.startswith(str(ROOT))]
    anywhere = command["command"].replace(str(ROOT), ".").encode()
    digest = hashlib.sha256(version + (ROOT / ".clang-tidy").read_bytes() + anywhere)
    for path in sorted(included(Path(command["file"]), include_dirs, set())):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def check(command, tool, version):
    stamp = PASSED / fingerprint(command, version)
    if stamp.exists():
        stamp.touch()
        return ""
    done = subprocess.run([tool, "--quiet", "-p", BUILD, command["file"]], capture_output=True, text=True)
    if done.returncode == 0:
        stamp.touch()
        return ""
    return done.stdout or done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default="clang-tidy", help="the clang-tidy to run")
    parser.add_argument("files", nargs="*", help="only these")
    options = parser.parse_args()
    only = [str(Path(name).resolve()) for name in options.files]
    commands = [c for c in configure() if c["file"].startswith(str(ROOT / "src")) and (not only or c["file"] in only)]
    PASSED.mkdir(parents=True, exist_ok=True)
    for stamp in PASSED.iterdir():
        if stamp.stat().st_mtime < time.time() - KEPT_S:
            stamp.unlink(missing_ok=True)
    version = subprocess.run([options.tool, "--version"], check=True, capture_output=True).stdout
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for report in pool.map(lambda command: check(command, options.tool, version), commands):
            if report:
                failed += 1
                print(report, end="")
    print(f"clang-tidy: {len(commands)} files, {failed} with findings")
    return 1 if failed else 0


sys.exit(main())
