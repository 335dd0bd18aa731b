"""The official OpenAI client, from the packages that set-up put under build/."""

import sys
from pathlib import Path

PACKAGES = Path(__file__).resolve().parent.parent / "build/test-packages"
if not PACKAGES.is_dir():
    raise SystemExit(f"{PACKAGES} is missing: run `make test` once, it installs the tests' packages there")
sys.path.insert(0, str(PACKAGES))

import openai  # noqa: E402


def connect_to(server, key="none-needed", **more):
    return openai.OpenAI(api_key=key, base_url=f"http://127.0.0.1:{server.port}/v1", max_retries=0, **more)
