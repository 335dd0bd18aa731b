"""Text chats at several concurrencies: `braid serve` and llama-server, the same file, threads, KV cells and requests."""

import http.client
import json
import math
import os
import random
import statistics
import subprocess
import threading
import time

import peers

LEVELS = (1, 4, 8, 16)
WAVES = 2  # of a level's requests, in each round and on each side
SETTLE_S = 2.0  # the other side's threads go on spinning for a while after its last answer
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


class Sides:
    """Starts either server: the same model file, encoders and threads."""

    def __init__(self, braid, peer, model, mmproj, threads, work):
        self.programs, self.model, self.mmproj, self.threads, self.work = (braid, peer), model, mmproj, str(threads), work

    def folder(self, name):
        return os.path.join(self.work, name)

    def braid(self, *flags):
        port = peers.free_port()
        return Server([self.programs[0], "serve", "-m", self.model, "--mmproj", self.mmproj, "--threads", self.threads, "--port",
                       str(port), *flags], port, self.folder("braid-serve.log"))

    def peer(self, *flags):
        port = peers.free_port()
        return Server([self.programs[1], "-m", self.model, "--mmproj", self.mmproj, "-t", self.threads, "-tb", self.threads, "-fa",
                       "on", "--cache-prompt", "--host", "127.0.0.1", "--port", str(port), *flags], port,
                      self.folder("llama-server-chat.log"))


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


def in_rounds(braid, peer, levels, rounds, samples, say):
    gaps = {}
    for level in levels:  # so that a wave is over before the next on either side; warms both up
        gaps[level] = 1.25 * max(wave(server.port, level, 1, 0, 10 * level)["wall_s"] for server in (braid, peer))
    for number in range(rounds):
        sides = [("", braid), ("peer_", peer)]
        for level in levels:
            for prefix, server in sides if number % 2 else reversed(sides):
                time.sleep(SETTLE_S)
                seed = 100_000 * (number + 1) + 1000 * level
                got = wave(server.port, level, WAVES, gaps[level], seed)
                samples.add(f"{prefix}chat_{level}_tokens_s", got["tokens_s"])
                samples.add(f"{prefix}chat_{level}_first_ms", statistics.median(got["ttft_ms"]))
                for name in ("ttft_ms", "gap_ms"):
                    for value in got[name]:
                        samples.add(f"{prefix}chat_{level}_{name}", value)
        say(f"text chats, {levels} at once: round {number + 1} of {rounds}")


def measure(sides, levels, rounds, samples, say):
    braid = sides.braid("--kv-cells", str(CELLS))
    try:
        peer = sides.peer("-np", str(max(LEVELS)), "-c", str(CELLS))
        try:
            in_rounds(braid, peer, levels, rounds, samples, say)
        finally:
            peer.close()
    finally:
        braid.close()


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


# Student's t for 95 % by the number of rounds.
STUDENT = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78, 6: 2.57, 7: 2.45, 8: 2.36, 9: 2.31, 10: 2.26}


def interval(ours, theirs):
    """The ratio of two series of rounds and its 95 % interval (on logarithms, paired by round)."""
    logs = [math.log(a / b) for a, b in zip(ours, theirs)]
    middle = statistics.fmean(logs)
    if len(logs) < 2:
        return math.exp(middle), 0.0, math.inf
    spread = STUDENT.get(len(logs), 2.0) * statistics.stdev(logs) / math.sqrt(len(logs))
    return math.exp(middle), math.exp(middle - spread), math.exp(middle + spread)


def interval_text(ratio, low, high):
    return f"{ratio:.2f}x" if math.isinf(high) else f"{ratio:.2f}x ({low:.2f} – {high:.2f})"


def add_rows(table, samples):
    for level in LEVELS:
        if f"chat_{level}_tokens_s" not in samples:
            continue
        # Rates: ours by theirs; times: theirs by ours. Above 1 is better.
        for name, what, better in (("tokens_s", "tokens/s", 1), ("first_ms", "first token p50, ms", -1)):
            ours, theirs = samples[f"chat_{level}_{name}"], samples[f"peer_chat_{level}_{name}"]
            ratio, low, high = interval(ours, theirs) if better > 0 else interval(theirs, ours)
            table.add(f"text chat, {level} at once: {what}", f"{statistics.median(ours):.0f}", f"{statistics.median(theirs):.0f}",
                      interval_text(ratio, low, high), ">= 0.97x", low >= 0.97 or (math.isinf(high) and ratio >= 0.97))
        for name, what in (("ttft_ms", "first token p99"), ("gap_ms", "longest pause between tokens p99")):
            a, b = (percentile(samples[f"{side}chat_{level}_{name}"], 0.99) for side in ("", "peer_"))
            table.add(f"text chat, {level} at once: {what}, ms", f"{a:.0f}", f"{b:.0f}", f"{b / a:.2f}x")
