"""Runs the real program and reads what it prints. BRAID_BINARY names it; tests run in the source's root."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from json_lines import faults_of_event

BRAID = os.environ["BRAID_BINARY"]
ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "models/nano/samples"
CLIP = SAMPLES / "clip.mp4"
TIMEOUT_S = 120


def cached_model(name):
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(cache, "braid/models", name)


class Run:
    """One finished run: exit code, events (with --json) and both outputs."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err
        self.events = [json.loads(line) for line in out.splitlines()] if out.startswith("{") else []

    def of(self, *kinds):
        return [event for event in self.events if event["type"] in kinds]

    def texts(self):
        """Answers in the order of their ids."""
        return [answer["text"] for answer in sorted(self.of("answer"), key=lambda answer: answer["id"])]

    def answer_to(self, question):
        return next(answer["text"] for answer in self.of("answer") if answer["question"] == question)


class BraidTest(unittest.TestCase):
    """A folder of its own, and runs that are held to the schema."""

    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.holder.cleanup)
        cls.folder = Path(cls.holder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    @classmethod
    def make_clip(cls, name, *arguments):
        """A generated clip and what is in it."""
        path = cls.folder / name
        subprocess.run([ROOT / "tools/make_clip.py", path, *arguments], check=True, timeout=TIMEOUT_S)
        return path, json.loads(path.with_suffix(".json").read_text())

    def watch(self, *arguments, code=0, stdin=subprocess.DEVNULL):
        command = [BRAID, "watch", *map(str, arguments)]
        done = subprocess.run(command, stdin=stdin, capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, code, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
        run = Run(done.returncode, done.stdout, done.stderr)
        self.check_events(run)
        return run

    def check_events(self, run):
        for event in run.events:
            self.assertEqual(faults_of_event(event), [], event)
        if run.of("answer"):
            self.assertEqual(run.events[-1]["type"], "summary")
            self.assertEqual(run.events[-1]["questions"], len(run.of("answer")))

    def assert_one_sentence(self, text):
        self.assertEqual(len(text.strip().splitlines()), 1, text)
        self.assertGreater(len(text.strip()), 20)


def main():
    sys.exit(unittest.main())
