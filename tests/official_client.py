"""The official OpenAI client, from the packages that set-up put under build/."""

import test_packages  # noqa: F401  before what it brings along
import openai


def connect_to(server, key="none-needed", **more):
    return openai.OpenAI(api_key=key, base_url=f"http://127.0.0.1:{server.port}/v1", max_retries=0, **more)
