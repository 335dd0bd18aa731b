"""Text chats at several concurrencies: `braid serve` and llama-server, the same file, threads, KV cells and requests."""

import http.client
import json
import math
import random
import statistics
import subprocess
import threading
import time

import peers

LEVELS = (1, 4, 8, 16)
WAVES = 2  # of a level's requests, in each round and on each side
TOKENS = 32
CELLS = 16384
NO_END = {"0": -100, "2": -100}  # the model's two end tokens: every answer has TOKENS tokens
WORDS = "river stone cloud window paper engine garden summer market silver copper winter mountain letter candle".split()


class Server:
    def __init__(self, command, port, log):
        self.port, self.log = port, open(log, "w", encoding="utf-8")
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log)
        for _ in range(600):
            try:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
                connection.request("GET", "/health")
                if connection.getresponse().status == 200:
                    return
            except OSError:
                if self.process.poll() is not None:
                    break
            time.sleep(0.1)
        raise RuntimeError(f"{command[0]} did not get ready; see {log}")

    def close(self):
        self.process.kill()
        self.process.wait()
        self.log.close()


def start_braid(program, model, mmproj, threads, log):
    port = peers.free_port()
    return Server([program, "serve", "-m", model, "--mmproj", mmproj, "--threads", str(threads), "--kv-cells", str(CELLS),
                   "--port", str(port)], port, log)


def start_peer(program, model, mmproj, threads, log):
    port = peers.free_port()
    return Server([program, "-m", model, "--mmproj", mmproj, "-t", str(threads), "-tb", str(threads), "-np", str(max(LEVELS)),
                   "-c", str(CELLS), "-fa", "on", "--cache-prompt", "--host", "127.0.0.1", "--port", str(port)], port, log)


def body(seed):
    words = random.Random(seed).choices(WORDS, k=40)
    return json.dumps({"model": "bench", "messages": [{"role": "user", "content": "Write a story about: " + " ".join(words)}],
                       "max_tokens": TOKENS, "temperature": 0, "stream": True, "logit_bias": NO_END,
                       "stream_options": {"include_usage": True}})


def ask(port, request, wave_of, intended, replies):
    """Latencies count from the intended time, however late the request went out."""
    time.sleep(max(0.0, intended - time.perf_counter()))
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    connection.request("POST", "/v1/chat/completions", request, {"Content-Type": "application/json"})
    response = connection.getresponse()
    first, last, gap, tokens = None, None, 0.0, 0
    for line in response:
        if not line.startswith(b"data: {"):
            continue
        event = json.loads(line[6:])
        tokens = (event.get("usage") or {}).get("completion_tokens", tokens)
        if any(choice["delta"].get("content") for choice in event.get("choices", ())):
            now = time.perf_counter()
            first = first or now
            gap = max(gap, now - (last or now))
            last = now
    connection.close()
    if response.status != 200 or first is None:
        raise RuntimeError(f"port {port}: status {response.status}, no text")
    replies.append({"wave": wave_of, "ttft": first - intended, "wall": time.perf_counter() - intended, "gap": gap, "tokens": tokens})


def wave(port, level, waves, gap_s, seed):
    """`waves` times `level` requests at once, every `gap_s`: tokens a second, and each request's latencies."""
    replies, begin = [], time.perf_counter() + 0.05
    threads = [threading.Thread(target=ask, args=(port, body(seed + i), i // level, begin + gap_s * (i // level), replies))
               for i in range(level * waves)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(replies) != len(threads):
        raise RuntimeError("a request failed; see above")
    # Of each wave, the time until its last answer was over.
    walls = sum(max(reply["wall"] for reply in replies if reply["wave"] == number) for number in range(waves))
    return {"tokens_s": sum(reply["tokens"] for reply in replies) / walls, "wall_s": walls / waves,
            "ttft_ms": [reply["ttft"] * 1e3 for reply in replies], "gap_ms": [reply["gap"] * 1e3 for reply in replies]}


def in_rounds(braid, peer, rounds, samples, say):
    gaps = {}
    for level in LEVELS:  # so that a wave is over before the next on either side; warms both up
        gaps[level] = 1.5 * max(wave(server.port, level, 1, 0, 10 * level)["wall_s"] for server in (braid, peer))
    for number in range(rounds):
        sides = [("", braid), ("peer_", peer)]
        for level in LEVELS:
            for prefix, server in sides if number % 2 else reversed(sides):
                seed = 100_000 * (number + 1) + 1000 * level
                got = wave(server.port, level, WAVES, gaps[level], seed)
                samples.add(f"{prefix}chat_{level}_tokens_s", got["tokens_s"])
                for name in ("ttft_ms", "gap_ms"):
                    for value in got[name]:
                        samples.add(f"{prefix}chat_{level}_{name}", value)
        say(f"serving: round {number + 1} of {rounds}")


def measure(braid_program, peer_program, model, mmproj, threads, rounds, samples, log, say):
    braid = start_braid(braid_program, model, mmproj, threads, log("braid-serve"))
    try:
        peer = start_peer(peer_program, model, mmproj, threads, log("llama-server-chat"))
        try:
            in_rounds(braid, peer, rounds, samples, say)
        finally:
            peer.close()
    finally:
        braid.close()


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def interval(ours, theirs):
    """The ratio of two series of rounds and its 95 % interval (normal, on logarithms, paired by round)."""
    logs = [math.log(a / b) for a, b in zip(ours, theirs)]
    middle = statistics.fmean(logs)
    spread = statistics.stdev(logs) / math.sqrt(len(logs)) * 1.96 if len(logs) > 1 else math.inf
    return math.exp(middle), math.exp(middle - spread), math.exp(middle + spread)


def add_rows(table, samples):
    for level in LEVELS:
        ours, theirs = samples[f"chat_{level}_tokens_s"], samples[f"peer_chat_{level}_tokens_s"]
        ratio, low, high = interval(ours, theirs)
        table.add(f"text chat, {level} at once: tokens/s", f"{statistics.median(ours):.0f}", f"{statistics.median(theirs):.0f}",
                  f"{ratio:.2f}x ({low:.2f} – {high:.2f})", ">= 0.97x", low >= 0.97)
        for name, what, share in (("ttft_ms", "first token p50", 0.5), ("ttft_ms", "first token p99", 0.99),
                                  ("gap_ms", "longest pause between tokens p99", 0.99)):
            a, b = (percentile(samples[f"{side}chat_{level}_{name}"], share) for side in ("", "peer_"))
            table.add(f"text chat, {level} at once: {what}, ms", f"{a:.0f}", f"{b:.0f}", f"{b / a:.2f}x")
