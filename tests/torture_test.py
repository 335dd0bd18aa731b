"""The fast part of the torture set: files of every kind, each read as it must be. `make torture` reads them all."""

import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))
from torture.__main__ import torture  # noqa: E402
from torture.cases import CASES  # noqa: E402


class Files(unittest.TestCase):
    def test_are_read_as_they_must_be(self):
        wrong = torture(os.environ["BRAID_BINARY"], [case for case in CASES if case.fast])
        self.assertFalse(wrong, "\n".join(f"{name}: {why}" for name, why in wrong.items()))


if __name__ == "__main__":
    unittest.main()
