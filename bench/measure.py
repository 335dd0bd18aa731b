"""The measurements of `make bench`. Each round does everything once, ours and the peer's by turns."""

import contextlib
import os
import subprocess
import sys
import time

PREFILL_ROWS, DECODE_TOKENS, ANSWER_TOKENS = 512, 64, 8
SETTLE_S = 0.2  # between two programs that compute
FRAME_GAP_S = 0.5
HISTORIES = (8, 32)
CASES = ("cold", "same_prefix", "new_frame", "sliding")
FIRST_TOKEN_STAGES = ("sync", "encode_queue", "encode", "prefill_queue", "prefill", "schedule", "decode_first")
SLIDES = 16  # questions of a round in Braid's sliding session: more than one turn of its window
QUESTIONS = ["What do you see now?", "What do you see last?", "Which colours are there?", "What is on the left?",
             "What is on the right?", "What is at the top?", "What did you see first?", "What has changed now?"]


class Questions:
    """Never the same twice in a row."""

    def __init__(self):
        self.asked = 0

    def next(self):
        self.asked += 1
        return QUESTIONS[self.asked % len(QUESTIONS)]


class Samples(dict):
    def add(self, name, value):
        self.setdefault(name, []).append(value)


def rates(braid, llama_bench, samples):
    """Encode, prefill, decode."""
    samples.add("encode_frame_ms", braid.do("frame")["ms"])
    samples.add("encode_utterance_ms", braid.do("utterance")["ms"])
    for first in (0, 1):
        time.sleep(SETTLE_S)
        if (len(samples["encode_frame_ms"]) + first) % 2:
            braid.do("prefill", PREFILL_ROWS)  # llama-bench warms up too
            samples.add("prefill_ms", braid.do("prefill", PREFILL_ROWS)["ms"])
            samples.add("decode_ms", braid.do("decode", DECODE_TOKENS)["ms"])
        else:
            prefill, decode = llama_bench(PREFILL_ROWS, DECODE_TOKENS)
            samples.add("peer_prefill_ms", prefill)
            samples.add("peer_decode_ms", decode)


def server_cases(server, pictures, history, first, questions, samples):
    """Four requests; the server keeps what it can of the one before. Pictures of a round are new to it."""
    film = [pictures[(first + i) % len(pictures)] for i in range(history + 2)]
    times = [i * FRAME_GAP_S for i in range(history + 2)]
    spans = {"cold": (0, history), "same_prefix": (0, history), "new_frame": (0, history + 1), "sliding": (2, history + 2)}
    for case in CASES:
        begin, end = spans[case]
        reply = server.ask(film[begin:end], times[begin:end], questions.next(), ANSWER_TOKENS)
        samples.add(f"peer_{case}_{history}", reply["ttft_ms"])
        samples.add(f"peer_tokens_{case}_{history}", reply["prompt_tokens"])


def braid_ask(braid, fresh, questions, case, history, samples):
    reply = braid.do("ask", fresh, questions.next())
    samples.add(f"{case}_{history}", reply["ttft_ms"])
    samples.add(f"tokens_{case}_{history}", reply["prompt_tokens"])
    for stage in FIRST_TOKEN_STAGES:
        samples.add(f"{stage}_{case}_{history}", reply["stages_ms"][stage])
    wanted = {"cold": history, "same_prefix": history, "new_frame": history + 1, "sliding": history}[case]
    if reply["pictures"] != wanted:
        raise RuntimeError(f"{case}: the answer saw {reply['pictures']} pictures, not {wanted}")


def braid_cases(braid, history, first, questions, samples, slides):
    braid.do("open", 0, 0, first)
    braid_ask(braid, history, questions, "cold", history, samples)
    braid_ask(braid, 0, questions, "same_prefix", history, samples)
    braid_ask(braid, 1, questions, "new_frame", history, samples)
    braid.do("open", history, history + 4, first)
    for _ in range(slides):
        braid_ask(braid, 1, questions, "sliding", history, samples)
    braid.do("close")


def first_tokens(braid, server, pictures, round_number, questions, samples, slides):
    for history in HISTORIES:
        first = (round_number * 40 + history) % len(pictures)
        ours = lambda: braid_cases(braid, history, first, questions, samples, slides)
        theirs = lambda: server_cases(server, pictures, history, first, questions, samples)
        for turn in (ours, theirs) if round_number % 2 == 0 else (theirs, ours):
            turn()
            time.sleep(SETTLE_S)


@contextlib.contextmanager
def busy_cores():
    """An endless loop pinned to every core that we may use."""
    loops = []
    try:
        for core in os.sched_getaffinity(0):
            code = f"import os; os.sched_setaffinity(0, {{{core}}})\nwhile True: pass"
            loops.append(subprocess.Popen([sys.executable, "-c", code]))
        time.sleep(0.5)
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def contention(braid, samples, tokens):
    """Token time alone, then beside a busy loop on every core."""
    braid.do("decode", tokens)
    samples.add("token_alone_ms", braid.do("decode", tokens)["ms"] / tokens)
    with busy_cores():
        samples.add("token_beside_busy_ms", braid.do("decode", tokens)["ms"] / tokens)
