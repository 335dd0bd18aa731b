"""The fast part of the torture set: files of every kind, each read as it must be. `make torture` reads them all."""

import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))
from torture import mutate  # noqa: E402
from torture.__main__ import torture  # noqa: E402
from torture.cases import CASES  # noqa: E402


class Files(unittest.TestCase):
    def test_are_read_as_they_must_be(self):
        wrong = torture(os.environ["BRAID_BINARY"], [case for case in CASES if case.fast])
        self.assertFalse(wrong, "\n".join(f"{name}: {why}" for name, why in wrong.items()))


class Mutations(unittest.TestCase):
    def test_are_read_or_refused_and_outlived(self):
        with tempfile.TemporaryDirectory() as kept:
            counts, wrong, _ = mutate.run(os.environ["BRAID_BINARY"], 200, 3, kept, [case for case in CASES if case.fast])
        self.assertFalse(wrong, "\n".join(wrong))
        self.assertEqual(sum(counts.values()), 200)


def children(pid):
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = stat.read_text().rsplit(")", 1)[1].split()[:2]
        except (OSError, ValueError):
            continue
        if int(parent) == pid and state != "Z":
            found.append(int(stat.parent.name))
    return found


def wait_until(holds, patience=60):
    end = time.monotonic() + patience
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


class Workers(unittest.TestCase):
    def test_die_with_who_started_them(self):
        with tempfile.TemporaryDirectory() as place:
            pipe = os.path.join(place, "silent.mp4")
            os.mkfifo(pipe)
            writer = os.open(pipe, os.O_RDWR)
            reader = subprocess.Popen([os.environ["BRAID_BINARY"]], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
            reader.stdin.write(pipe + "\n")
            reader.stdin.flush()
            started = lambda: [worker for guard in children(reader.pid) for worker in children(guard)]
            self.assertTrue(wait_until(started), "no worker was started")
            family = children(reader.pid) + started()
            reader.kill()
            reader.wait()
            self.assertTrue(wait_until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in family)), f"{family} live on")
            reader.stdin.close()
            os.close(writer)


if __name__ == "__main__":
    unittest.main()
