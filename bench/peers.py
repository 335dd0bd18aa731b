"""llama.cpp's own programs, of the same source, flags, model file and threads."""

import http.client
import json
import os
import socket
import subprocess
import time


def llama_bench(program, model, threads, prompt, generate):
    """One repetition of `prompt` rows and of `generate` tokens, each after llama-bench's own warm-up: ms each."""
    command = [program, "-m", model, "-t", str(threads), "-p", str(prompt), "-n", str(generate), "-r", "1", "-fa", "on",
               "-o", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    runs = json.loads(done.stdout)
    prefill = next(run for run in runs if run["n_prompt"])
    decode = next(run for run in runs if run["n_gen"])
    return prefill["avg_ns"] / 1e6, decode["avg_ns"] / 1e6


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def content_of(pictures, times, question):
    """The same bytes as Braid's prompt: [12.4s]picture, a newline, the next, a newline, the question."""
    parts = []
    for index, (uri, at) in enumerate(zip(pictures, times)):
        parts.append({"type": "text", "text": ("\n" if index else "") + f"[{at:.1f}s]"})
        parts.append({"type": "image_url", "image_url": {"url": uri}})
    parts.append({"type": "text", "text": "\n" + question})
    return parts


class LlamaServer:
    """One slot with prompt caching; times are taken at the client."""

    def __init__(self, program, model, mmproj, threads, log):
        self.port = free_port()
        self.log = open(log, "w", encoding="utf-8")
        command = [program, "-m", model, "--mmproj", mmproj, "-t", str(threads), "-tb", str(threads), "-np", "1", "-c", "6144",
                   "-fa", "on", "--cache-prompt", "--host", "127.0.0.1", "--port", str(self.port)]
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log)
        self.wait_ready()

    def wait_ready(self):
        for _ in range(600):
            if self.process.poll() is not None:
                raise RuntimeError(f"llama-server ended; see {self.log.name}")
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=2)
                connection.request("GET", "/health")
                if connection.getresponse().status == 200:
                    return
            except OSError:
                pass
            time.sleep(0.1)
        raise RuntimeError(f"llama-server did not get ready; see {self.log.name}")

    def ask(self, pictures, times, question, tokens):
        """{ttft_ms, wall_ms, prompt_tokens, text}; the request's bytes are made before the clock starts."""
        body = json.dumps({"messages": [{"role": "user", "content": content_of(pictures, times, question)}],
                           "stream": True, "stream_options": {"include_usage": True}, "cache_prompt": True,
                           "temperature": 0, "max_tokens": tokens})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        begin = time.perf_counter()
        connection.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        if response.status != 200:
            raise RuntimeError(f"llama-server: {response.status} {response.read(500)!r}")
        first, text, usage = None, "", {}
        for line in response:
            if not line.startswith(b"data: ") or line.startswith(b"data: [DONE]"):
                continue
            event = json.loads(line[6:])
            usage = event.get("usage") or usage
            for choice in event.get("choices", ()):
                piece = choice["delta"].get("content")
                if piece:
                    first = first or time.perf_counter()
                    text += piece
        end = time.perf_counter()
        connection.close()
        if first is None:
            raise RuntimeError("llama-server: the answer had no text")
        return {"ttft_ms": (first - begin) * 1e3, "wall_ms": (end - begin) * 1e3,
                "prompt_tokens": usage.get("prompt_tokens"), "text": text}

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()


def find(prefix):
    """Paths of llama-bench and llama-server under the prefix that tools/setup/llama.sh --peers prints."""
    return os.path.join(prefix, "bin/llama-bench"), os.path.join(prefix, "bin/llama-server")
