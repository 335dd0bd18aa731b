"""Sessions on the real engine that go on for SOAK_SECONDS (12; `make soak`: 600): every window turns over again and again,
every answer is about what is in sight, and nothing grows or gets slower.
"""

import base64
import os
import re
import time
import unittest

from braid_runs import SAMPLES, TIMEOUT_S
from raw_socket import RawWebSocket
from served import Served

SECONDS = float(os.environ.get("SOAK_SECONDS", "12"))
LONG = SECONDS >= 300  # shorter ones say nothing of growth and speed
SESSIONS = 2
ASK_EVERY_S = 5.0
TURN_OVERS = 3
FLAT = 1.05  # the last fifth against the first
WINDOW = 512 if LONG else 256  # tokens
PICTURE = base64.b64encode((SAMPLES / "still2.jpg").read_bytes()).decode()


class Watcher:
    """One session: a frame and a reading a second, and questions."""

    def __init__(self, port):
        self.socket = RawWebSocket(port, timeout=TIMEOUT_S)
        assert self.socket.until("session.created"), f"refused with {self.socket.status}"
        self.socket.send({"type": "session.update", "session": {"type": "realtime", "braid": {"novelty": False}}})
        self.socket.until("session.updated")
        self.seen, self.evicted, self.turn_overs = 0, 0, 0

    def see(self):
        self.socket.send({"type": "input_video_buffer.append", "image": PICTURE})
        self.socket.send({"type": "input_sensor.append", "source": "press", "values": {"count": self.seen}})
        self.seen += 1

    def ask(self):
        """(text, ms to the first token, the window)."""
        begin = time.perf_counter()
        self.socket.send({"type": "response.create", "response": {"instructions": "What do you see now?"}})
        first, text = None, ""
        while True:
            event = self.socket.receive()
            if event["type"] == "response.output_text.delta":
                first = first or (time.perf_counter() - begin) * 1e3
                text += event["delta"]
            elif event["type"] == "braid.stages":
                break
        window = event["braid"]["window"]
        self.turn_overs += window["evicted_chunks"] > self.evicted
        self.evicted = window["evicted_chunks"]
        return text, first, window


class Soak(Served):
    flags = ("--window-tokens", str(WINDOW), "--kv-cells", "16384")

    def held(self):
        """Resident bytes, and bytes of the sessions."""
        text = self.server.request("GET", "/metrics")[1]
        value = lambda name: float(re.search(rf"^{name}(?:{{[^}}]*}})? (\S+)", text, re.M)[1])
        return value("process_resident_memory_bytes"), value("braid:session_bytes") / SESSIONS

    def test_windows_turn_over_and_nothing_grows(self):
        watchers = [Watcher(self.server.port) for _ in range(SESSIONS)]
        for watcher in watchers:
            self.addCleanup(watcher.socket.close)
        fifths = [[] for _ in range(5)]
        begin = time.monotonic()
        asked = 0
        for second in range(int(SECONDS)):
            time.sleep(max(0.0, begin + second - time.monotonic()))
            for number, watcher in enumerate(watchers):
                watcher.see()
                if (second + 2 * number) % ASK_EVERY_S == 4:
                    text, first, window = watcher.ask()
                    asked += 1
                    self.assertRegex(text, "dog|pizza", f"after {second} s, {watcher.turn_overs} turn-overs: {window}")
                    self.assertLessEqual(window["tokens"], WINDOW)
                    fifths[int(5 * second / SECONDS)].append((first, *self.held()))
        self.tell(fifths, watchers)
        for watcher in watchers:
            self.assertGreaterEqual(watcher.turn_overs, TURN_OVERS if LONG else 1)
        if LONG:
            self.check_flat(fifths)

    def figures(self, fifth):
        """First token p99 in ms, the most resident MB, kB of a session."""
        firsts = sorted(entry[0] for entry in fifth)
        return (firsts[min(len(firsts) - 1, int(0.99 * len(firsts)))], max(entry[1] for entry in fifth) / 1e6,
                max(entry[2] for entry in fifth) / 1e3)

    def tell(self, fifths, watchers):
        print(f"\n| fifth of {SECONDS:.0f} s, {SESSIONS} sessions | answers | first token p99, ms | resident, MB | a session, kB |")
        for number, fifth in enumerate(fifths):
            if fifth:
                late, resident, session = self.figures(fifth)
                print(f"| {number + 1} | {len(fifth)} | {late:.0f} | {resident:.1f} | {session:.0f} |")
        print("turn-overs seen by each session:", ", ".join(str(watcher.turn_overs) for watcher in watchers), flush=True)

    def check_flat(self, fifths):
        for name, first, last in zip(("first token p99", "resident", "a session"), self.figures(fifths[0]), self.figures(fifths[-1])):
            self.assertLessEqual(last, FLAT * first + 1e-9, name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
