"""The fast part of the torture set: files of every kind, each read as it must be. `make torture` reads them all."""

import os
import sys
import tempfile
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


if __name__ == "__main__":
    unittest.main()
