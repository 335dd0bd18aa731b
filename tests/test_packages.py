"""The packages that set-up put under build/ for tests alone: import this before them."""

import sys
from pathlib import Path

PACKAGES = Path(__file__).resolve().parent.parent / "build/test-packages"
if not PACKAGES.is_dir():
    raise SystemExit(f"{PACKAGES} is missing: run `make test` once, it installs the tests' packages there")
sys.path.insert(0, str(PACKAGES))
